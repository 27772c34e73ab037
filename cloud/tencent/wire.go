package tencent

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"
)

// maxBody bounds an answer in memory: a page of 100 instances is below 1 MB.
const maxBody = 16 << 20

// exchange is what a call's errors tell of the wire; it belongs to one call.
type exchange struct {
	status int       // HTTP status; 0: no answer
	kind   string    // Content-Type of the answer
	size   int       // bytes of its body
	date   time.Time // the cloud's clock; zero when it did not say

	// Of an answer of the API's form; nil and "" else.
	response  []byte // its inner object, until release
	requestID string

	buffer *bytes.Buffer
}

// buffers are those that answers are read into: growing a new one for each page
// of 100 instances made most of the garbage of a Mote at rest.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxKept is the largest buffer that is kept for another answer.
const maxKept = 1 << 20

// release ends the use of the answer's bytes.
func (x *exchange) release() {
	if x.buffer != nil && x.buffer.Cap() <= maxKept {
		x.buffer.Reset()
		buffers.Put(x.buffer)
	}
	x.buffer, x.response = nil, nil
}

type exchangeKey struct{}

func withExchange(ctx context.Context) (context.Context, *exchange) {
	x := &exchange{}
	return context.WithValue(ctx, exchangeKey{}, x), x
}

// neverSent marks an error of a request of which not a byte has left.
type neverSent struct{ error }

func (e neverSent) Unwrap() error { return e.error }

// wire is the process's one transport. It sends each request at most once (see
// newWire), knows whether one has left, and hands the SDK complete answers
// only: the SDK closes no body that it fails to read.
type wire struct {
	base http.RoundTripper
	// traced says that base tells of its connections, as net/http's does. What
	// fails in one that does not may have been sent, unless it could not dial.
	traced bool
}

// newWire wraps a transport, by default one for HTTP/1.1 only. There, net/http
// repeats a POST by itself just when nothing of it was written; over HTTP/2 it
// also repeats some that a peer reset.
func newWire(base http.RoundTripper) *wire {
	if base != nil {
		return &wire{base: base}
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &wire{traced: true, base: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		Protocols:           &protocols,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 64,
		// Shorter than what gateways and NAT tables forget, so that few
		// requests meet a dead connection.
		IdleConnTimeout: 30 * time.Second,
	}}
}

// RoundTrip is http.RoundTripper's.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	x, _ := r.Context().Value(exchangeKey{}).(*exchange)
	if x == nil {
		x = &exchange{}
	}
	// Whatever fails before there is a connection (name, route, TLS, proxy, the
	// deadline of all that), the request has not left.
	connected := !w.traced
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }}
	resp, err := w.base.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	if err != nil {
		if !connected || dialFailed(err) {
			err = neverSent{err}
		}
		return nil, err
	}
	x.buffer = buffers.Get().(*bytes.Buffer)
	_, err = x.buffer.ReadFrom(http.MaxBytesReader(nil, resp.Body, maxBody))
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	body := x.buffer.Bytes()
	x.status, x.kind, x.size = resp.StatusCode, resp.Header.Get("Content-Type"), len(body)
	x.date, _ = http.ParseTime(resp.Header.Get("Date"))
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		body = nil // is no answer; of a null, the SDK would panic
	} else if e, err := open(body); err == nil {
		x.response, x.requestID = e.response, e.requestID
		body = e.short
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	// The SDK would take some types for a stream; the API has none.
	resp.Header.Set("Content-Type", "application/json")
	// A redirect is no answer of the API, and following one would send again.
	resp.Header.Del("Location")
	return resp, nil
}

// dialFailed tells of an error from making a connection. After one connection
// failed, net/http makes another only for a request of which nothing was
// written, so that is certain then as well.
func dialFailed(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}
