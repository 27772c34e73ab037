package standin

import (
	"maps"
	"sync"
	"time"
)

// Limits are the rates that the API allows, for each action and region. All
// keys count as one account.
type Limits struct {
	// Off turns all limits off.
	Off bool `json:"off"`
	// PerSecond overrides the documented calls a second by action; 0 is no limit.
	PerSecond map[string]int `json:"perSecond,omitempty"`
}

// SetLimits replaces the limits; the current second starts anew.
func (s *Server) SetLimits(l Limits) { s.limits.set(l) }

// Limits is what SetLimits or the configuration set.
func (s *Server) Limits() Limits {
	s.limits.mu.Lock()
	defer s.limits.mu.Unlock()
	return Limits{Off: s.limits.conf.Off, PerSecond: maps.Clone(s.limits.conf.PerSecond)}
}

// limiter counts calls in each second of the clock.
type limiter struct {
	mu     sync.Mutex
	conf   Limits
	second int64
	seen   map[string]int // action + region -> calls in this second
}

func (l *limiter) set(conf Limits) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conf = Limits{Off: conf.Off, PerSecond: maps.Clone(conf.PerSecond)}
	l.seen = map[string]int{}
}

// count adds one call and tells whether it is one too many.
func (l *limiter) count(a action, region string, now time.Time) (n, limit int, over bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	limit, overridden := l.conf.PerSecond[a.name]
	if !overridden {
		limit = a.perSecond
	}
	if l.conf.Off || limit <= 0 {
		return 0, 0, false
	}
	if sec := now.Unix(); sec != l.second {
		l.second = sec
		clear(l.seen)
	}
	key := a.name + " " + region
	l.seen[key]++
	return l.seen[key], limit, l.seen[key] > limit
}
