package metric

import "sync/atomic"

// Counter is a number that only grows. Its zero value is ready for use, by many
// goroutines; it must not be copied.
type Counter struct{ n atomic.Uint64 }

// Inc adds one.
func (c *Counter) Inc() { c.n.Add(1) }

// Value is the number so far.
func (c *Counter) Value() float64 { return float64(c.n.Load()) }
