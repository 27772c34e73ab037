package reconcile

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// pruned notices that the API server takes a status and drops a field of it, which is
// what it does with fields that its CRD does not know. It holds one object that shows
// it: while the CRD is not brought up to date, that one is written to now and then.
type pruned struct {
	has func(Key) bool // whether an object is in the selection

	mu     sync.Mutex
	object Key
	field  string // "" when nothing is dropped
	since  time.Time
}

// prunedRetry is how soon the object that shows it is tried again.
const prunedRetry = time.Minute

// answered compares what was sent of a status with what the server made of it. It
// tells which field is dropped when that is news.
func (p *pruned) answered(k Key, sent, got map[string]any) (news string) {
	if p == nil {
		return "" // a Turn without a controller
	}
	field := lacks(sent, got)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case field == "" && p.field != "" && sent[top(p.field)] != nil:
		p.field = "" // it was written again, and is kept
	case field != "" && (p.field == "" || !p.has(p.object)):
		p.object, p.field, p.since = k, field, time.Now()
		return field
	}
	return ""
}

// again is when a key is to come back that wanted to after so long; 0: never.
func (p *pruned) again(k Key, after time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.field == "" || p.object != k || after > 0 && after < prunedRetry {
		return after
	}
	return prunedRetry
}

// get is what is the matter at present, for people, the field, and since when; "" when
// nothing is, or when the object that showed it has gone.
func (p *pruned) get() (trouble, field string, since time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.field == "" || !p.has(p.object) {
		return "", "", time.Time{}
	}
	return fmt.Sprintf("the API server drops status.%s, of %s for one: its CRD is older than this Mote (mote crds | kubectl apply -f -)", p.field, p.object), p.field, p.since
}

// top is the first name of a path.
func top(path string) string {
	name, _, _ := strings.Cut(path, ".")
	return name
}

// lacks is the path of a field that was sent and is not there; "" when all are. Lists
// are not looked into.
func lacks(sent, got map[string]any) string {
	for name, value := range sent {
		if value == nil {
			continue // it was to be taken away
		}
		kept, there := got[name]
		if !there {
			return name
		}
		inner, ok := value.(map[string]any)
		if !ok {
			continue
		}
		within, _ := kept.(map[string]any)
		if field := lacks(inner, within); field != "" {
			return name + "." + field
		}
	}
	return ""
}
