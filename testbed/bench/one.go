package main

import (
	"context"

	"example.com/mote/testbed/bench/contender"
	"example.com/mote/testbed/bench/measure"
	"example.com/mote/testbed/bench/proxy"
	"example.com/mote/testbed/bench/result"
)

// measure takes all measures of one contender, as a fresh process.
func (s *stage) measure(ctx context.Context, o options, c contender.Contender, changer *measure.Changer, t *teller) (m result.Measured, err error) {
	m = result.Measured{ID: c.ID, Name: c.Name}
	if m.Binary, m.Layer, err = contender.Size(c.Binary); err != nil {
		return m, err
	}
	before := s.proxy.Counts()
	taken := func() proxy.Counts { return s.proxy.Counts().Since(before) }
	p, err := c.Start(s.bed.Dir)
	if err != nil {
		return m, err
	}
	defer p.Stop()
	t.say("%s: starting", c.Name)
	if m.Start, err = measure.Starting(ctx, p, c.Synced != nil, taken); err != nil {
		return m, err
	}
	t.say("%s: synced in %.2f s, settled in %.2f s, peak %.1f MiB", c.Name, m.Start.Synced, m.Start.Settled, float64(m.Start.Peak)/(1<<20))
	if !c.Operator {
		return m, nil
	}
	idle, err := measure.Idling(ctx, p, o.idle, taken)
	if err != nil {
		return m, err
	}
	m.Idle = &idle
	t.say("%s: idle: %.2f CPU-seconds a minute, %.1f MiB", c.Name, idle.CPUPerMinute(), float64(idle.RSS)/(1<<20))
	if o.changes == 0 {
		return m, nil
	}
	changes, err := measure.Changing(ctx, p, s.api, changer, o.rate, o.changes, taken)
	if err != nil {
		return m, err
	}
	m.Changes = &changes
	t.say("%s: %d of %d changes answered, p50 %.1f ms, p99 %.1f ms", c.Name, changes.Latency.Served, changes.Latency.Sent, changes.Latency.P50, changes.Latency.P99)
	return m, nil
}
