package faulty

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
)

// Hold stops the first request that it is about, and keeps it until it is
// released or the client has gone. So a client can be killed at a moment of choice.
type Hold struct {
	// Which is asked of every request, with its body.
	Which func(r *http.Request, body []byte) bool
	// After: the server has done it, and its answer is kept back. Otherwise the
	// request has not been passed on; when the client goes it never is.
	After bool

	taken          bool // by a request; under the proxy's lock
	held, released chan struct{}
	release        sync.Once
}

// Hold begins a hold.
func (p *Proxy) Hold(h *Hold) {
	h.held, h.released = make(chan struct{}), make(chan struct{})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holds = append(p.holds, h)
}

// DropHolds ends the holds that have stopped nothing yet. What is held stays so.
func (p *Proxy) DropHolds() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holds = nil
}

// Held is closed when a request was stopped.
func (h *Hold) Held() <-chan struct{} { return h.held }

// Release lets the request, or its answer, go on.
func (h *Hold) Release() { h.release.Do(func() { close(h.released) }) }

// stops finds the hold of a request, which stops no other one.
func (p *Proxy) stops(r *http.Request, body []byte) *Hold {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.holds {
		if !h.taken && h.Which(r, body) {
			h.taken = true
			if !h.After {
				close(h.held)
			}
			return h
		}
	}
	return nil
}

// keep waits until the hold is over; false: the client has gone before.
func (h *Hold) keep(ctx context.Context) bool {
	select {
	case <-h.released:
		return true
	case <-ctx.Done():
		return false
	}
}

// keepAnswer waits with the whole answer at hand.
func (h *Hold) keepAnswer(ctx context.Context, answer *http.Response) bool {
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return false
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	close(h.held)
	return h.keep(ctx)
}

// buffered reads a request's body, and leaves it to be read again.
func buffered(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, err
}
