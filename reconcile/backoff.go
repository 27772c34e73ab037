package reconcile

import "time"

// Backoff is how long a failing key waits before its next turn: Base doubled
// for each failure in a row, at most Max, with a jitter of up to a quarter more
// so that keys that failed together do not come back together.
type Backoff struct {
	Base, Max time.Duration
}

// DefaultBackoff is from a second to five minutes.
var DefaultBackoff = Backoff{Base: time.Second, Max: 5 * time.Minute}

// Delay is the wait after the given number of failures in a row (at least 1);
// random is in [0, 1).
func (b Backoff) Delay(failures int, random float64) time.Duration {
	d := b.Base
	for i := 1; i < failures && 0 < d && d < b.Max; i++ {
		d *= 2
	}
	d = min(d, b.Max)
	return d + time.Duration(random*float64(d)/4)
}
