package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"testing"
	"testing/synctest"

	"k8s.io/klog/v2"
)

// TestSimulation runs the whole program in one process, on virtual time: an API
// server in memory (which passes the contract of the real one), the stand-in of the
// cloud, people who make, change and delete objects, faults on both wires, processes
// that are killed at any step and started again, two of them at once. Then the
// faults end, and everything has to come to rest as it should be.
//
// A seed decides the world, what people do and when, and the fate of each request:
// of the nth of its kind to its path, so that it does not depend on the order in
// which goroutines come to run. That order, and the product's own random numbers
// (passwords, jitter), a seed does not decide: a run that failed is the same world
// again and most often the same failure; its trace is kept for when it is not.
//
// SEEDS is how many, SEED the first.
func TestSimulation(t *testing.T) {
	first, seeds := numberFrom(t, "SEED", 1), numberFrom(t, "SEEDS", 3)
	simulate(t, first, seeds, func(t *testing.T, w *world) {
		if w.broken != nil {
			t.Errorf("%v\n%s\nagain: SEED=%d SEEDS=1 go test -run TestSimulation .", w.broken, w.writeTrace(t), w.seed)
		}
	})
}

func numberFrom(t *testing.T, env string, otherwise uint64) uint64 {
	text := os.Getenv(env)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%q is not a number", env, text)
	}
	return n
}

// simulate runs seeds, as many at once as there are processors, and hands each world
// over when it is at rest or broken.
func simulate(t *testing.T, first, seeds uint64, judge func(*testing.T, *world)) {
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	t.Run("seeds", func(t *testing.T) {
		for seed := first; seed < first+seeds; seed++ {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, seed)
					w.run()
					judge(t, w)
				})
			})
		}
	})
}

// writeTrace keeps what went over the wires and what the processes said.
func (w *world) writeTrace(t *testing.T) string {
	f, err := os.CreateTemp("", fmt.Sprintf("mote-simulation-%d-*.log", w.seed))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.trace {
		if _, err := io.WriteString(f, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	return "the trace is in " + f.Name()
}
