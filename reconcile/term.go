package reconcile

import (
	"context"
	"sync/atomic"
	"time"

	"example.com/mote/metric"
)

// Term tells whether this process leads, and whether it can.
type Term struct {
	Lease   string // its name
	leads   atomic.Bool
	trouble trouble
}

// Of is work that is done while leading.
func (t *Term) Of(work func(context.Context)) func(context.Context) {
	return func(ctx context.Context) {
		t.leads.Store(true)
		defer t.leads.Store(false)
		work(ctx)
	}
}

// Told takes what Leadership tells of its Lease.
func (t *Term) Told(trouble string) { t.trouble.set(trouble) }

// Metrics puts leader_election_master_status on the page.
func (t *Term) Metrics(p *metric.Page) {
	p.Flag("leader_election_master_status", "1 while this process holds the Lease and works.", t.leads.Load(), "name", t.Lease)
}

// Alive tells nothing: each call has a bound, and nobody's Lease is a reason to restart.
func (*Term) Alive(func(check, trouble string, since time.Time)) {}

// Ready tells whether the Lease can be read and written. Who waits because another
// holds it is ready; who cannot reach it is not, for it could not take over, and where
// there is no other, nobody works.
func (t *Term) Ready(tell func(check, trouble string, since time.Time)) {
	reason, since := t.trouble.get()
	tell("lease", reason, since)
}
