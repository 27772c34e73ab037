package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"example.com/mote/testbed/artifact"
	"example.com/mote/testbed/bench/contender"
	"example.com/mote/testbed/bench/measure"
	"example.com/mote/testbed/bench/report"
	"example.com/mote/testbed/bench/result"
)

func run(ctx context.Context, o options, out io.Writer) (err error) {
	root, err := artifact.Root()
	if err != nil {
		return err
	}
	results := filepath.Join(root, "testbed", "bench", "results")
	if !o.reportOnly {
		take := measureAll
		if o.apps > 0 {
			take = measureApps
		}
		if err := take(ctx, o, root, results, newTeller(out)); err != nil {
			return err
		}
	}
	if !o.write {
		return nil
	}
	return report.Write(results, filepath.Join(root, "docs"))
}

// measureAll runs every contender that is wanted, and keeps and prints what came of it.
func measureAll(ctx context.Context, o options, root, results string, t *teller) (err error) {
	paths, programs, err := build(ctx, root, true, t)
	if err != nil {
		return err
	}
	s, err := setStage(ctx, paths, o.objects, o.changed(), t)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()

	r, err := result.Load(results, o.objects)
	if err != nil {
		return err
	}
	r.Bytes, r.Setting = s.bytes, setting(ctx, root, programs)
	changer := measure.NewChanger(s.api, o.changed())
	all := contender.All(programs, s.place())
	for _, c := range slices.Backward(all) {
		if !o.wants(c.ID) {
			continue
		}
		if c.Limit > 0 {
			cage, err := contender.NewCage("bench-probe", c.Limit)
			if err != nil {
				t.say("%s is left out: %v", c.Name, err)
				continue
			}
			if err := cage.Remove(); err != nil {
				return err
			}
		}
		m, err := s.measure(ctx, o, c, changer, t)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		r.Put(m)
		if o.write {
			if err := r.Save(results); err != nil {
				return err
			}
		}
	}
	report.Table(t.out, r)
	if o.creates == 0 {
		return nil
	}
	c, err := s.creations(ctx, o, programs, changer, results, t)
	if err != nil {
		return err
	}
	c.Setting = r.Setting
	report.CreationsTable(t.out, c)
	if !o.write {
		return nil
	}
	return c.Save(results)
}

// build makes sure that all programs are there; the peer in Rust if it is wanted.
func build(ctx context.Context, root string, rust bool, t *teller) (artifact.Paths, contender.Programs, error) {
	paths, err := artifact.ControlPlane(ctx, root, t.out)
	if err != nil {
		return paths, contender.Programs{}, err
	}
	t.say("building Mote")
	built, err := artifact.Mote(ctx, root)
	if err != nil {
		return paths, contender.Programs{}, err
	}
	paths.Mote, paths.Standin = built.Mote, built.Standin
	programs, err := contender.Build(ctx, root, paths.Mote, rust, t.progress)
	if err == nil && rust && programs.KubeRS == "" {
		t.say("kube-rs is left out: there is no cargo on this machine (install Rust, and run again)")
	}
	return paths, programs, err
}
