package main

import (
	"context"
	"fmt"

	"example.com/mote/cloud/standin"
	"example.com/mote/testbed/bench/contender"
	"example.com/mote/testbed/bench/dataset"
	"example.com/mote/testbed/bench/measure"
	"example.com/mote/testbed/bench/proxy"
	"example.com/mote/testbed/bench/result"
)

// creations measures what a slow cloud does to each contender's usual form, and to
// those that bound their turns also with many more of them.
func (s *stage) creations(ctx context.Context, o options, p contender.Programs, changer *measure.Changer, results string, t *teller) (result.Creations, error) {
	r, err := result.LoadCreations(results)
	if err != nil {
		return r, err
	}
	r.Objects = o.objects
	for _, c := range contender.Buyers(p, s.place()) {
		if !o.wants(c.ID) {
			continue
		}
		m, err := s.create(ctx, o, c, changer, t)
		if err != nil {
			return r, fmt.Errorf("%s: %w", c.Name, err)
		}
		r.Put(result.Created{ID: c.ID, Name: c.Name, Creations: m})
	}
	return r, nil
}

// create runs one contender against the slow cloud.
func (s *stage) create(ctx context.Context, o options, c contender.Contender, changer *measure.Changer, t *teller) (m measure.Creations, err error) {
	t.say("%s: starting for %d creations, each call to the cloud takes %s", c.Name, o.creates, o.call)
	p, err := c.Start(s.bed.Dir)
	if err != nil {
		return m, err
	}
	stopped := false
	stop := func() {
		if !stopped {
			p.Stop()
		}
		stopped = true
	}
	defer stop()
	if _, err := measure.Starting(ctx, p, true, func() proxy.Counts { return s.proxy.Counts() }); err != nil {
		return m, err
	}
	s.shop.Slow(o.call)
	defer s.shop.Slow(0)
	if _, err := s.bed.Cloud().SetFaults(ctx, standin.Fault{Kind: standin.Latency, Delay: o.call}); err != nil {
		return m, err
	}
	m, err = measure.Creating(ctx, p, s.api, changer, o.creates, o.call, o.createLimit)
	if err != nil {
		return m, err
	}
	t.say("%s: %d of %d bought in %.1f s; other changes meanwhile: p50 %.0f ms, p99 %.0f ms", c.Name, m.Bought, m.Objects, m.Seconds, m.Probes.P50, m.Probes.P99)
	stop()
	if err := s.bed.Cloud().ClearFaults(ctx); err != nil {
		return m, err
	}
	return m, dataset.Discard(ctx, s.api, o.creates)
}
