package probe

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/mote/metric"
)

// Tell takes the state of one check: trouble is "" when it passes, otherwise what
// is the matter, in one line, and since when (zero: not known).
type Tell = func(check, trouble string, since time.Time)

// Part is a part of the process that can be asked how it does, by any goroutine
// and quickly.
type Part interface {
	// Metrics puts what it counted on a page.
	Metrics(p *metric.Page)
	// Alive tells whether its loops move. A failure is something that only a
	// restart of the process can heal; trouble with others is none.
	Alive(tell Tell)
	// Ready tells whether it sees what it is to serve.
	Ready(tell Tell)
}

// Counts is something that only has metrics.
type Counts interface{ Metrics(p *metric.Page) }

// Board knows the parts that are at work at present. It is safe for use by many
// goroutines; its zero value has none.
type Board struct {
	mu     sync.Mutex
	counts []Counts
	parts  []Part
	more   map[string]http.Handler // by the beginning of the path
}

// Handle has paths that begin with prefix answered by h, for good. Whom it answers is
// h's own business.
func (b *Board) Handle(prefix string, h http.Handler) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.more == nil {
		b.more = map[string]http.Handler{}
	}
	b.more[prefix] = h
}

// handler is for a path of which the listener itself knows nothing, or nil.
func (b *Board) handler(path string) http.Handler {
	b.mu.Lock()
	defer b.mu.Unlock()
	for prefix, h := range b.more {
		if strings.HasPrefix(path, prefix) {
			return h
		}
	}
	return nil
}

// Count puts up something with metrics, for good.
func (b *Board) Count(c ...Counts) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.counts = append(b.counts, c...)
}

// Put puts up parts, until take is called.
func (b *Board) Put(parts ...Part) (take func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parts = append(b.parts, parts...)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.parts = slices.DeleteFunc(slices.Clone(b.parts), func(p Part) bool { return slices.Contains(parts, p) })
	}
}

func (b *Board) up() ([]Counts, []Part) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.counts, b.parts
}
