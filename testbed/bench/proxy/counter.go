package proxy

import (
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

// Counts is what a client has taken.
type Counts struct {
	Requests int64            `json:"requests"`
	Bytes    int64            `json:"bytes"`
	By       map[string]int64 `json:"by,omitempty"` // requests by "verb resource"
}

// Since is what was taken after the counts of before.
func (c Counts) Since(before Counts) Counts {
	d := Counts{Requests: c.Requests - before.Requests, Bytes: c.Bytes - before.Bytes, By: map[string]int64{}}
	for what, n := range c.By {
		if n -= before.By[what]; n > 0 {
			d.By[what] = n
		}
	}
	return d
}

type counter struct {
	bytes atomic.Int64

	mu       sync.Mutex
	requests int64
	by       map[string]int64
}

func (c *counter) request(r *http.Request) {
	what := describe(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[string]int64{}
	}
	c.requests++
	c.by[what]++
}

func (c *counter) counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Counts{Requests: c.requests, Bytes: c.bytes.Load(), By: maps.Clone(c.by)}
}

// describe says what a request asks for: "list postgresdbs", "patch postgresdbs/status".
func describe(r *http.Request) string {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		parts = parts[3:]
	default:
		return "discover"
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	resource := parts[0]
	if len(parts) > 2 {
		resource += "/" + parts[2]
	}
	verb := strings.ToLower(r.Method)
	switch {
	case verb == "get" && (r.URL.Query().Get("watch") == "true" || r.URL.Query().Get("watch") == "1"):
		verb = "watch"
	case verb == "get" && len(parts) == 1:
		verb = "list"
	}
	return verb + " " + resource
}

// countingListener counts what is written to its connections.
type countingListener struct {
	net.Listener
	counter *counter
}

// Accept waits for the next connection.
func (l countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return countingConn{c, l.counter}, nil
}

type countingConn struct {
	net.Conn
	counter *counter
}

// Write counts the bytes that were taken.
func (c countingConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.counter.bytes.Add(int64(n))
	return n, err
}
