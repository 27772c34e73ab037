package wire

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// exchange is one request at the other end, and its answer on the way back: whole,
// or, once the handler flushes, as a stream.
type exchange struct {
	line   *Line
	fate   Fate
	caller context.Context
	leave  func()
	left   <-chan struct{} // closed when the caller is gone

	header http.Header // the handler's
	code   int         // as it said; from then on the header stands
	stands http.Header
	buffer bytes.Buffer // what was written before the first flush
	stream *io.PipeWriter
	muted  sync.Mutex
	mute   bool

	head   chan struct{} // closed when the answer begins; what follows stands then
	once   sync.Once
	status int // 0: the connection broke
	sent   http.Header
	body   io.ReadCloser
}

// serve lets the handler answer.
func (e *exchange) serve(r *http.Request) {
	if e.fate.Delay > 0 {
		time.Sleep(e.fate.Delay)
	}
	h := e.line.handler
	if e.fate.Instead != nil {
		h = e.fate.Instead
	}
	broke := e.handle(h, r)
	if e.stream != nil {
		if e.silent() { // its end is not heard of either
			<-e.left
		}
		select {
		case <-e.left:
			e.gone()
		default:
		}
		if broke {
			e.stream.CloseWithError(io.ErrUnexpectedEOF)
		}
		e.stream.Close()
		return
	}
	if !e.late() || broke && e.buffer.Len() == 0 {
		e.lose()
		return
	}
	e.once.Do(func() {
		defer close(e.head)
		e.WriteHeader(http.StatusOK)
		e.status, e.sent = e.code, e.stands
		if broke {
			e.body = &whole{io.MultiReader(&e.buffer, brokenOff{}), e.leave}
			return
		}
		if e.sent.Get("Content-Length") == "" {
			e.sent.Set("Content-Length", strconv.Itoa(e.buffer.Len()))
		}
		e.body = &whole{&e.buffer, e.leave}
	})
}

// handle calls the handler and tells whether it broke the connection.
func (e *exchange) handle(h http.Handler, r *http.Request) (broke bool) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			broke = true
		default:
			panic(p)
		}
	}()
	h.ServeHTTP(e, r)
	return false
}

// late lets the answer take its time; false: it does not come.
func (e *exchange) late() bool {
	if e.fate.Hung {
		<-e.left
		return false
	}
	if e.fate.Late > 0 {
		t := time.NewTimer(e.fate.Late)
		defer t.Stop()
		select {
		case <-t.C:
		case <-e.left:
			return false
		}
	}
	return !e.fate.Unheard
}

// lose breaks the connection before the answer has begun.
func (e *exchange) lose() { e.once.Do(func() { close(e.head) }) }

// gone ends the stream of a caller that is.
func (e *exchange) gone() {
	err := e.line.over(e.caller)
	if err == nil {
		err = io.ErrClosedPipe
	}
	e.stream.CloseWithError(err)
}

// Header is part of http.ResponseWriter.
func (e *exchange) Header() http.Header { return e.header }

// WriteHeader is part of http.ResponseWriter.
func (e *exchange) WriteHeader(code int) {
	if e.code == 0 {
		e.code, e.stands = code, e.header.Clone()
	}
}

// Write is part of http.ResponseWriter.
func (e *exchange) Write(p []byte) (int, error) {
	e.WriteHeader(http.StatusOK)
	if e.stream == nil {
		return e.buffer.Write(p)
	}
	if e.silent() {
		return len(p), nil
	}
	return e.stream.Write(p)
}

func (e *exchange) silent() bool {
	e.muted.Lock()
	defer e.muted.Unlock()
	return e.mute
}

// Flush is part of http.Flusher: from here on the answer is a stream.
func (e *exchange) Flush() {
	e.WriteHeader(http.StatusOK)
	if e.stream != nil {
		return
	}
	if !e.late() {
		e.lose()
		panic(http.ErrAbortHandler)
	}
	from, to := io.Pipe()
	e.stream = to
	go func() {
		<-e.left
		e.gone()
	}()
	if e.fate.Breaks > 0 {
		time.AfterFunc(e.fate.Breaks, func() { to.CloseWithError(syscall.ECONNRESET); e.leave() })
	}
	if e.fate.Silent > 0 {
		time.AfterFunc(e.fate.Silent, func() { e.muted.Lock(); e.mute = true; e.muted.Unlock() })
	}
	e.once.Do(func() {
		e.status, e.sent, e.body = e.code, e.stands, &whole{from, func() { e.leave(); from.Close() }}
		close(e.head)
	})
	if e.buffer.Len() > 0 {
		_, _ = to.Write(e.buffer.Bytes()) // the caller may be gone
	}
}

// whole is the body of an answer; to close it ends the exchange.
type whole struct {
	io.Reader
	leave func()
}

// Close is part of io.ReadCloser.
func (b *whole) Close() error {
	b.leave()
	return nil
}

type brokenOff struct{}

func (brokenOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
