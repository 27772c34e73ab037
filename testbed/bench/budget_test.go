package main

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"example.com/mote/testbed/artifact"
	"example.com/mote/testbed/bench/contender"
	"example.com/mote/testbed/bench/measure"
	"example.com/mote/testbed/bench/proxy"
)

// The budget of bin/mote with 10,000 objects in steady state, in bytes. Nothing is
// said of times: the machine may be busy.
const (
	budgetObjects = 10_000
	budgetPeak    = 36 << 20 // resident, through the start
	budgetSteady  = 28 << 20 // resident, when it has settled
)

// TestMemoryBudget runs bin/mote on a real control plane with 10,000 objects of
// realistic size, and looks at the memory that it took and at what it asked of the
// API server.
func TestMemoryBudget(t *testing.T) {
	ctx := t.Context()
	s := budgetStage(ctx, t)
	c := contender.Mote("mote", "Mote", s.bed.Paths.Mote, s.place())
	p, err := c.Start(s.bed.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	before := s.proxy.Counts()
	taken := func() proxy.Counts { return s.proxy.Counts().Since(before) }
	start, err := measure.Starting(ctx, p, true, taken)
	if err != nil {
		t.Fatal(err)
	}
	idle, err := measure.Idling(ctx, p, 10*time.Second, taken)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("peak %.1f MiB, steady %.1f MiB, taken from the API server: %v", float64(start.Peak)/(1<<20), float64(idle.RSS)/(1<<20), start.Taken.By)
	if start.Peak > budgetPeak {
		t.Errorf("mote held %.1f MiB through its start; its budget is %d MiB", float64(start.Peak)/(1<<20), budgetPeak>>20)
	}
	if idle.RSS > budgetSteady {
		t.Errorf("mote holds %.1f MiB when nothing changes; its budget is %d MiB", float64(idle.RSS)/(1<<20), budgetSteady>>20)
	}
	for _, what := range []string{"get postgresdbs", "patch postgresdbs", "patch postgresdbs/status", "get secrets"} {
		if n := start.Taken.By[what] + idle.Taken.By[what]; n > 0 {
			t.Errorf("%d times %q, although every object was in its steady state", n, what)
		}
	}
	p.Stop()
	t.Run("heap", func(t *testing.T) { heapBudget(ctx, t, s) })
	t.Run("shards", func(t *testing.T) { shardsDivide(ctx, t, s) })
}

// budgetStage is the control plane with the objects; it ends with the test.
func budgetStage(ctx context.Context, t *testing.T) *stage {
	t.Helper()
	root, err := artifact.Root()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := artifact.ControlPlane(ctx, root, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	built, err := artifact.Mote(ctx, root)
	if err != nil {
		t.Fatal(err)
	}
	paths.Mote, paths.Standin = built.Mote, built.Standin
	s, err := setStage(ctx, paths, budgetObjects, 0, newTeller(os.Stderr))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(fmt.Errorf("end the control plane: %w", err))
		}
	})
	return s
}
