// Package slowshop is the cloud of those peers that make one plain call for an
// instance: POST / answers {"id": "..."} after a time that can be set.
//
// What may come in: the standard library.
package slowshop

import (
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Shop sells instance ids.
type Shop struct {
	URL string

	call   atomic.Int64 // nanoseconds that a call takes
	sold   atomic.Int64
	server *http.Server
}

// Open starts a shop on a free port of the loopback interface.
func Open() (*Shop, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Shop{URL: "http://" + l.Addr().String() + "/"}
	s.server = &http.Server{Handler: s}
	go s.server.Serve(l)
	return s, nil
}

// Slow makes each call take d from now on.
func (s *Shop) Slow(d time.Duration) { s.call.Store(int64(d)) }

// Close ends it.
func (s *Shop) Close() error { return s.server.Close() }

// ServeHTTP sells an instance; a caller who leaves earlier gets none.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "POST buys an instance", http.StatusMethodNotAllowed)
		return
	}
	select {
	case <-time.After(time.Duration(s.call.Load())):
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"id":"postgres-s%07d"}`, s.sold.Add(1))
}
