package cloud

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Outage is a time in which a region does not answer.
type Outage struct {
	Since time.Time // when the first call in a row that failed was made
	Cause string    // of the failure that made it an outage: one line, without a secret
}

const (
	// suspectAfter is how many calls in a row have to fail for their network before
	// the region is probed. A probe that is answered ends the suspicion: one action
	// that hangs is no outage.
	suspectAfter = 3
	// probeID is an instance that no cloud has: asking for it costs next to nothing.
	probeID = "postgres-00000000"
)

// refusal is the error of a call that is not made.
func (o Outage) refusal(action, region string) *Error {
	return &Error{Class: NotSent, Action: action, Region: region, Code: "mote.CloudUnreachable",
		Message: fmt.Sprintf("not sent: the cloud has not answered since %s (%s)", o.Since.UTC().Format(time.RFC3339), o.Cause), Outage: &o}
}

// network is the error of a call to which the network is to blame, or nil.
func network(err error) *Error {
	var e *Error
	if errors.As(err, &e) && e.Network {
		return e
	}
	return nil
}

// regionGate is what a Gate knows of one region, guarded by the Gate's mutex.
type regionGate struct {
	failures int       // in a row
	since    time.Time // when the first of them was made
	watched  bool      // its goroutine runs
	outage   *Outage   // nil: calls are made
}

// watch is the goroutine of a region under suspicion: it probes at once and, while
// nothing is answered, ever more seldom, up to once a minute.
func (g *Gate) watch(ctx context.Context, region string, r *regionGate) {
	for n := 0; ; n++ {
		call, cancel := context.WithTimeout(ctx, g.limit)
		_, err := g.Postgres.List(call, region, []string{probeID})
		silent := call.Err() != nil && !answered(err)
		cancel()
		if ctx.Err() != nil {
			return
		}
		bad := network(err)
		if bad == nil && silent {
			bad = &Error{Code: "mote.NoAnswer", Message: fmt.Sprintf("nothing came within %s", g.limit)}
		}
		g.mu.Lock()
		was := r.outage
		switch {
		case bad == nil:
			delete(g.regions, region)
		case was == nil:
			r.outage = &Outage{Since: r.since, Cause: bad.Code + ": " + bad.Message}
		}
		now := r.outage
		g.mu.Unlock()
		switch {
		case bad == nil && was == nil:
			return
		case bad == nil:
			g.log.Info("the cloud answers again", "region", region, "since", was.Since)
			g.opened(region)
			return
		case was == nil:
			g.log.Warn("the cloud does not answer: no call is made but one now and then", "region", region, "since", now.Since, "cause", now.Cause)
		}
		if !pause(ctx, min(g.interval<<min(n, 10), longestProbe)) {
			return
		}
	}
}
