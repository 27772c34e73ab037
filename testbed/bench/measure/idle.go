package measure

import (
	"context"
	"time"

	"example.com/mote/testbed/bench/contender"
	"example.com/mote/testbed/bench/proc"
	"example.com/mote/testbed/bench/proxy"
)

// Idle is a contender's life while nothing changes.
type Idle struct {
	Seconds float64      `json:"seconds"` // how long it was watched
	CPU     float64      `json:"cpu"`     // CPU-seconds in that time
	RSS     int64        `json:"rss"`     // bytes of memory held at its end
	Taken   proxy.Counts `json:"taken"`   // from the API server in that time
}

// CPUPerMinute is the CPU-seconds of a minute.
func (i Idle) CPUPerMinute() float64 { return i.CPU / i.Seconds * 60 }

// Idling watches a contender that has nothing to do for d.
func Idling(ctx context.Context, p *contender.Process, d time.Duration, taken func() proxy.Counts) (Idle, error) {
	before, err := proc.Read(p.PID())
	if err != nil {
		return Idle{}, err
	}
	began, counts := time.Now(), taken()
	if err := p.Wait(ctx, d); err != nil {
		return Idle{}, err
	}
	after, err := proc.Read(p.PID())
	if err != nil {
		return Idle{}, err
	}
	return Idle{Seconds: time.Since(began).Seconds(), CPU: (after.CPU - before.CPU).Seconds(), RSS: after.RSS, Taken: taken().Since(counts)}, nil
}
