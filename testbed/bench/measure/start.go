package measure

import (
	"context"
	"fmt"
	"time"

	"example.com/mote/testbed/bench/contender"
	"example.com/mote/testbed/bench/proc"
	"example.com/mote/testbed/bench/proxy"
)

// Start is what a contender's start cost.
type Start struct {
	Synced  float64      `json:"synced"`  // seconds until its first list was whole, by its own word
	Settled float64      `json:"settled"` // seconds until it had also dealt with what it listed
	CPU     float64      `json:"cpu"`     // CPU-seconds until then
	Peak    int64        `json:"peak"`    // most bytes of memory held until then
	Taken   proxy.Counts `json:"taken"`   // from the API server until then
}

// A contender has settled when it used less than settledShare of a core for settledFor.
const (
	settledFor   = 2 * time.Second
	settledShare = 0.1
	sampling     = 200 * time.Millisecond
)

// startLimit is the longest that a start may take.
const startLimit = 15 * time.Minute

// Starting waits until a contender has settled. taken is since its start.
func Starting(ctx context.Context, p *contender.Process, says bool, taken func() proxy.Counts) (Start, error) {
	var s Start
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, fmt.Errorf("not synced %s after its start", startLimit))
	defer cancel()
	if says {
		select {
		case at := <-p.Synced:
			s.Synced = at.Sub(p.Began).Seconds()
		case <-p.Done:
			return s, p.Ended()
		case <-ctx.Done():
			return s, context.Cause(ctx)
		}
	}
	at, u, err := settle(ctx, p)
	if err != nil {
		return s, err
	}
	s.Settled, s.CPU, s.Peak, s.Taken = max(at.Sub(p.Began).Seconds(), s.Synced), u.CPU.Seconds(), u.Peak, taken()
	return s, nil
}

// settle waits until a process is quiet, and returns since when.
func settle(ctx context.Context, p *contender.Process) (time.Time, proc.Usage, error) {
	type sample struct {
		at  time.Time
		cpu time.Duration
	}
	var window []sample
	for {
		u, err := proc.Read(p.PID())
		if err != nil {
			return time.Time{}, u, err
		}
		now := sample{time.Now(), u.CPU}
		window = append(window, now)
		for len(window) > 1 && now.at.Sub(window[1].at) >= settledFor {
			window = window[1:]
		}
		if first := window[0]; now.at.Sub(first.at) >= settledFor && (now.cpu-first.cpu).Seconds() < settledShare*now.at.Sub(first.at).Seconds() {
			return first.at, u, nil
		}
		if err := p.Wait(ctx, sampling); err != nil {
			return time.Time{}, u, err
		}
	}
}
