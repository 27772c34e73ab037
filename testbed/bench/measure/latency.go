package measure

import (
	"slices"
	"time"
)

// Latency is how soon changes were answered: from the event to the status that
// speaks of it, both as a third party's watch sees them.
type Latency struct {
	Sent   int     `json:"sent"`
	Served int     `json:"served"`
	P50    float64 `json:"p50"` // milliseconds
	P99    float64 `json:"p99"`
	Max    float64 `json:"max"`
}

func latencyOf(sent int, took []time.Duration) Latency {
	l := Latency{Sent: sent, Served: len(took)}
	if len(took) == 0 {
		return l
	}
	slices.Sort(took)
	at := func(share float64) float64 {
		return float64(took[min(len(took)-1, int(share*float64(len(took))))].Microseconds()) / 1000
	}
	l.P50, l.P99, l.Max = at(0.5), at(0.99), at(1)
	return l
}
