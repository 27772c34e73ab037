package standin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// Transport connects an http.Client to the server without a socket: each
// request is served in its caller's goroutine. Lost and mangled answers look
// as they do on the wire: io.EOF for a cut, a body that ends early for a
// truncated one, the context's error when the caller stopped waiting (what the
// call then did or did not do is unknown to it, as ever). The body of an
// answer is complete when RoundTrip returns, so a slow body is a slow answer.
func (s *Server) Transport() http.RoundTripper { return transport{s} }

type transport struct{ s *Server }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	in := r.Clone(r.Context())
	in.RequestURI = r.URL.RequestURI()
	in.RemoteAddr = "127.0.0.1:0"
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	defer in.Body.Close()
	w := &recorder{header: http.Header{}}
	cut := t.serve(w, in)
	if err := context.Cause(r.Context()); err != nil {
		return nil, err
	}
	if cut && w.status == 0 {
		return nil, io.EOF
	}
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	var body io.Reader = &w.body
	length := int64(w.body.Len())
	if cut {
		body = io.MultiReader(body, brokenOff{})
		length, _ = strconv.ParseInt(w.sent.Get("Content-Length"), 10, 64)
	}
	return &http.Response{
		Status:     fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)),
		StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: io.NopCloser(body), ContentLength: length, Request: r,
	}, nil
}

// serve runs the handler and tells whether it cut the connection.
func (t transport) serve(w http.ResponseWriter, r *http.Request) (cut bool) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			cut = true
		default:
			panic(p)
		}
	}()
	t.s.ServeHTTP(w, r)
	return false
}

// recorder keeps an answer as the wire would carry it.
type recorder struct {
	header, sent http.Header
	status       int
	body         bytes.Buffer
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status, w.sent = status, w.header.Clone()
	}
}

func (w *recorder) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

func (w *recorder) FlushError() error {
	w.WriteHeader(http.StatusOK)
	return nil
}

type brokenOff struct{}

func (brokenOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
