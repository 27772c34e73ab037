package metric

import (
	"sync/atomic"
	"time"
)

// bounds are the upper bounds of every Histogram's buckets, from a turn that found
// nothing to do to one that waited for a cloud that hangs.
var bounds = [...]time.Duration{
	time.Millisecond, 5 * time.Millisecond, 25 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond,
	500 * time.Millisecond, time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 5 * time.Minute,
}

// Histogram counts durations by size. Its zero value is ready for use, by many
// goroutines; it must not be copied. It takes 120 bytes.
type Histogram struct {
	counts [len(bounds) + 1]atomic.Uint64 // of each bucket alone; the last is for what is above all bounds
	sum    atomic.Int64                   // nanoseconds
}

// Observe counts a duration; a negative one counts as 0.
func (h *Histogram) Observe(d time.Duration) {
	d = max(d, 0)
	i := 0
	for i < len(bounds) && d > bounds[i] {
		i++
	}
	h.counts[i].Add(1)
	h.sum.Add(int64(d))
}
