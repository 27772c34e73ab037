package wire

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"syscall"
	"time"
)

// Fate is what becomes of one request; the zero Fate is that nothing happens to it.
// Times are at least 0.
type Fate struct {
	Delay time.Duration // before it arrives; it does although the caller has left meanwhile
	Lost  bool          // it never arrives: the connection breaks instead

	Instead http.Handler // answers in the place of the one at the other end

	Late    time.Duration // the answer's, after the effect
	Unheard bool          // the connection breaks instead of the answer
	Hung    bool          // no answer ever comes

	Breaks time.Duration // a stream's connection breaks so long after it began; 0: never
	Silent time.Duration // nothing comes on it any more so long after it began; 0: never
}

// Line is an http.RoundTripper to a handler. It can be used by many goroutines.
type Line struct {
	handler http.Handler
	fate    func(*http.Request, []byte) Fate
	alive   context.Context
	cut     context.CancelFunc
}

// NewLine makes a Line. fate is asked about each request, with its body, before
// anything else is done; nil: nothing ever happens.
func NewLine(h http.Handler, fate func(r *http.Request, body []byte) Fate) *Line {
	if fate == nil {
		fate = func(*http.Request, []byte) Fate { return Fate{} }
	}
	l := &Line{handler: h, fate: fate}
	l.alive, l.cut = context.WithCancel(context.Background())
	return l
}

// Cut breaks all connections, for good: as when the process at this end dies. A
// request that is on its way may arrive all the same; its answer does not.
func (l *Line) Cut() { l.cut() }

// RoundTrip sends a request, once.
func (l *Line) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		defer r.Body.Close()
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	if err := l.over(r.Context()); err != nil {
		return nil, err
	}
	f := l.fate(r, body)
	if f.Lost {
		if err := l.wait(r.Context(), f.Delay); err != nil {
			return nil, err
		}
		return nil, syscall.ECONNRESET
	}
	ctx, leave := context.WithCancel(context.WithoutCancel(r.Context())) // of the other end: done when this end is gone
	stop := context.AfterFunc(r.Context(), leave)
	stopCut := context.AfterFunc(l.alive, leave)
	e := &exchange{line: l, fate: f, caller: r.Context(), header: http.Header{}, leave: func() { stop(); stopCut(); leave() },
		head: make(chan struct{}), left: ctx.Done()}
	in := r.Clone(ctx)
	in.Body, in.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	in.RequestURI, in.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:0"
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	go e.serve(in)
	select {
	case <-e.head:
	case <-ctx.Done(): // this end is gone, or the other has said all it had to say
	}
	if err := l.over(r.Context()); err != nil { // as net/http has it, whatever came at the same instant
		e.leave()
		return nil, err
	}
	<-e.head
	if e.status == 0 {
		e.leave()
		return nil, io.EOF
	}
	length := int64(-1)
	if text := e.sent.Get("Content-Length"); text != "" {
		length, _ = strconv.ParseInt(text, 10, 64)
	}
	return &http.Response{
		Status: strconv.Itoa(e.status) + " " + http.StatusText(e.status), StatusCode: e.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: e.sent, Body: e.body, ContentLength: length, Request: r,
	}, nil
}

// over is the error of a caller that has left, or of a line that is cut.
func (l *Line) over(caller context.Context) error {
	if err := caller.Err(); err != nil {
		return err
	}
	if l.alive.Err() != nil {
		return syscall.ECONNRESET
	}
	return nil
}

// wait waits as the caller, who may leave.
func (l *Line) wait(caller context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-caller.Done():
	case <-l.alive.Done():
	}
	return l.over(caller)
}
