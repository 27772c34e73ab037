package reconcile

import (
	"context"
	"sync/atomic"

	"example.com/mote/metric"
)

// Term tells whether this process leads.
type Term struct {
	Lease string // its name
	leads atomic.Bool
}

// Of is work that is done while leading.
func (t *Term) Of(work func(context.Context)) func(context.Context) {
	return func(ctx context.Context) {
		t.leads.Store(true)
		defer t.leads.Store(false)
		work(ctx)
	}
}

// Metrics puts leader_election_master_status on the page.
func (t *Term) Metrics(p *metric.Page) {
	p.Flag("leader_election_master_status", "1 while this process holds the Lease and works.", t.leads.Load(), "name", t.Lease)
}
