package reconcile

import (
	"strings"
	"sync"
	"time"
)

// trouble is what is the matter with one watch at present, "" when it is in order.
type trouble struct {
	mu     sync.Mutex
	reason string
	since  time.Time // zero when it is in order
}

// set tells whether anything is different now.
func (t *trouble) set(reason string) (changed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	changed = t.reason != reason
	switch {
	case reason == "":
		t.since = time.Time{}
	case t.reason == "": // one trouble after another is one time of trouble
		t.since = time.Now()
	}
	t.reason = reason
	return changed
}

func (t *trouble) get() (reason string, since time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reason, t.since
}

// Trouble is "" when the lists and watches of the kind and of what it owns are in
// order; otherwise one line that names each resource that is not, and why. A
// watch is in order again when its list is whole, or when it has stood for some
// seconds. Any goroutine may ask.
func (c *Controller) Trouble() string {
	var lines []string
	for _, w := range c.watchers {
		if reason, _ := w.trouble.get(); reason != "" {
			lines = append(lines, w.what+": "+reason)
		}
	}
	return strings.Join(lines, "; ")
}
