package main

import (
	"context"
	"errors"
	"fmt"

	"example.com/mote/testbed/artifact"
	"example.com/mote/testbed/bench/contender"
	"example.com/mote/testbed/bench/measure"
	"example.com/mote/testbed/bench/proxy"
	"example.com/mote/testbed/bench/report"
	"example.com/mote/testbed/bench/result"
)

// measureApps brings up apps with each contender, on a control plane of its own: to
// take away what another one made would take longer than to begin anew.
func measureApps(ctx context.Context, o options, root, results string, t *teller) error {
	paths, programs, err := build(ctx, root, false, t)
	if err != nil {
		return err
	}
	r, err := result.LoadApps(results)
	if err != nil {
		return err
	}
	if r.Objects != o.apps {
		r.Measured = nil // of another number of apps
	}
	r.Objects, r.Setting = o.apps, setting(ctx, root, programs)
	for _, id := range contender.AppIDs {
		if !o.wants(id) {
			continue
		}
		m, err := appsOf(ctx, o, paths, programs, id, t)
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		r.Put(m)
		if o.write {
			if err := r.Save(results); err != nil {
				return err
			}
		}
	}
	report.AppsTable(t.out, r)
	return nil
}

// appsOf takes all measures of one contender: apps that are made, their steady life,
// and a start with all of them.
func appsOf(ctx context.Context, o options, paths artifact.Paths, programs contender.Programs, id string, t *teller) (m result.AppsMeasured, err error) {
	s, err := openStage(ctx, paths, t)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	c := contender.ForApps(programs, s.place(), id)
	m = result.AppsMeasured{ID: c.ID, Name: c.Name}
	start := func() (*contender.Process, measure.Start, func() proxy.Counts, error) {
		before := s.proxy.Counts()
		taken := func() proxy.Counts { return s.proxy.Counts().Since(before) }
		p, err := c.Start(s.bed.Dir)
		if err != nil {
			return nil, measure.Start{}, nil, err
		}
		t.say("%s: starting", c.Name)
		began, err := measure.Starting(ctx, p, true, taken)
		if err != nil {
			p.Stop()
		}
		return p, began, taken, err
	}
	p, _, taken, err := start()
	if err != nil {
		return m, err
	}
	m.Apps, err = measure.BringingUp(ctx, p, s.api, o.apps, taken, func(done int) {
		t.progress(fmt.Sprintf("%s: %d of %d apps run", c.Name, done, o.apps))
	})
	if err == nil {
		t.say("%s: %d apps run after %.1f s: %.1f a second, %.1f requests each", c.Name, o.apps, m.Seconds, float64(o.apps)/m.Seconds, float64(m.Taken.Requests)/float64(o.apps))
		m.Idle, err = measure.Idling(ctx, p, o.idle, taken)
	}
	p.Stop()
	if err != nil {
		return m, err
	}
	t.say("%s: steady: %.1f MiB, %d requests in %.0f s", c.Name, float64(m.Idle.RSS)/(1<<20), m.Idle.Taken.Requests, m.Idle.Seconds)
	p, m.Start, _, err = start()
	if err != nil {
		return m, err
	}
	p.Stop()
	t.say("%s: started with %d apps: settled in %.2f s, %d requests, peak %.1f MiB", c.Name, o.apps, m.Start.Settled, m.Start.Taken.Requests, float64(m.Start.Peak)/(1<<20))
	return m, nil
}
