package standin

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// keptCalls is how many calls the log keeps; the counts cover all.
const keptCalls = 10000

// pending is the outcome of a call that has not ended.
const pending = "pending"

// Call is one API call as the server saw it.
type Call struct {
	Seq       int       `json:"seq"` // from 1, in order of arrival
	At        time.Time `json:"at"`
	Action    string    `json:"action"` // as sent, even when unknown
	Region    string    `json:"region"`
	About     []string  `json:"about,omitempty"` // instance ids, or the name of a create or a look-up
	RequestID string    `json:"requestID"`
	// Outcome is "ok", the error code that was answered, "cut" when the caller
	// or the server went away, "fault" when Fault shaped the answer, or
	// "pending" while the call is in work.
	Outcome string `json:"outcome"`
	Fault   Kind   `json:"fault,omitempty"`
	// Effect is true once a mutating call has changed something, whatever the
	// caller was told.
	Effect bool `json:"effect"`
}

// CallCount is how often an action was called in a region.
type CallCount struct {
	Action string `json:"action"`
	Region string `json:"region"`
	N      int    `json:"n"`
}

// Calls is the log of API calls.
type Calls struct {
	Counts []CallCount `json:"counts"` // since the start or the last reset; by action, then region
	Recent []Call      `json:"recent"` // the last 10,000 at most, oldest first
}

// Count sums the calls of an action over all regions.
func (c Calls) Count(action string) int {
	sum := 0
	for _, n := range c.Counts {
		if n.Action == action {
			sum += n.N
		}
	}
	return sum
}

// Calls returns the counts and the recent calls whose Seq is above since (0: all).
func (s *Server) Calls(since int) Calls { return s.calls.snapshot(since) }

// ResetCalls forgets all counts and calls; Seq goes on.
func (s *Server) ResetCalls() { s.calls.reset() }

type callLog struct {
	mu     sync.Mutex
	seq    int
	counts map[[2]string]int
	recent []*Call
}

func (l *callLog) begin(c Call) *Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	c.Seq, c.Outcome = l.seq, pending
	if l.counts == nil {
		l.counts = map[[2]string]int{}
	}
	l.counts[[2]string{c.Action, c.Region}]++
	if len(l.recent) == keptCalls {
		l.recent = slices.Delete(l.recent, 0, keptCalls/10)
	}
	l.recent = append(l.recent, &c)
	return &c
}

func (l *callLog) about(c *Call, ids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.About = ids
}

func (l *callLog) end(c *Call, outcome string, fault Kind, effect bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.Outcome, c.Fault, c.Effect = outcome, fault, effect
}

func (l *callLog) snapshot(since int) Calls {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := Calls{Counts: []CallCount{}, Recent: []Call{}}
	for k, n := range l.counts {
		out.Counts = append(out.Counts, CallCount{k[0], k[1], n})
	}
	slices.SortFunc(out.Counts, func(a, b CallCount) int {
		return cmp.Or(cmp.Compare(a.Action, b.Action), cmp.Compare(a.Region, b.Region))
	})
	for _, c := range l.recent {
		if c.Seq > since {
			out.Recent = append(out.Recent, *c)
		}
	}
	return out
}

func (l *callLog) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts, l.recent = nil, nil
}
