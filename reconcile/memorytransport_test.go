package reconcile

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// memoryTransport answers requests by a handler in the same process, with no
// network; so that time may be virtual.
type memoryTransport struct{ handler http.Handler }

func (m memoryTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(r.Context())
	from, to := io.Pipe()
	w := &memoryResponse{header: http.Header{}, body: to, ready: make(chan struct{})}
	go func() {
		defer cancel()
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			} else if p != nil {
				w.abort()
				to.CloseWithError(io.ErrUnexpectedEOF)
			}
		}()
		request := r.Clone(ctx)
		if request.Body == nil {
			request.Body = http.NoBody
		}
		m.handler.ServeHTTP(w, request)
		w.WriteHeader(http.StatusOK)
		to.Close()
	}()
	select {
	case <-w.ready:
	case <-ctx.Done(): // the caller gave up, or the handler has ended and said all it had to say
	}
	if err := r.Context().Err(); err != nil { // as net/http has it, whatever came at the same instant
		from.CloseWithError(err)
		return nil, err
	}
	<-w.ready
	if w.code == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	context.AfterFunc(r.Context(), func() { from.CloseWithError(r.Context().Err()) })
	return &http.Response{
		StatusCode: w.code, Status: http.StatusText(w.code), Header: w.header, Request: r, ContentLength: -1,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: memoryBody{from, cancel},
	}, nil
}

type memoryResponse struct {
	header http.Header
	body   *io.PipeWriter
	once   sync.Once
	ready  chan struct{} // closed when code and header stand
	code   int           // 0: the connection broke
}

func (w *memoryResponse) Header() http.Header { return w.header }
func (w *memoryResponse) WriteHeader(code int) {
	w.once.Do(func() {
		w.code, w.header = code, w.header.Clone()
		close(w.ready)
	})
}
func (w *memoryResponse) abort() { w.once.Do(func() { close(w.ready) }) }
func (w *memoryResponse) Flush() { w.WriteHeader(http.StatusOK) }
func (w *memoryResponse) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

type memoryBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (b memoryBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}
