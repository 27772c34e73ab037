package main

import (
	"context"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

func TestProcessors(t *testing.T) {
	for _, c := range []struct {
		now, all int
		share    float64
		want     int
	}{
		{4, 4, 0, 1},
		{4, 4, 0.19, 1},
		{4, 4, 0.3, 4}, // between the two it stays
		{1, 4, 0.3, 1},
		{1, 4, 0.51, 4},
		{1, 4, 1, 4},
		{4, 4, 3.5, 4},
	} {
		if got := processors(c.now, c.all, c.share); got != c.want {
			t.Errorf("%d of %d, a share of %v: %d, want %d", c.now, c.all, c.share, got, c.want)
		}
	}
}

func TestKeepFew(t *testing.T) {
	before := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(before)
	for set, want := range map[string]int{"": 1, "2": 2} {
		synctest.Test(t, func(t *testing.T) { // whose time takes no CPU time
			ctx, stop := context.WithCancel(t.Context())
			go keepFew(ctx, func(string) string { return set }, slog.New(slog.DiscardHandler))
			time.Sleep(10 * lookAtProcessors)
			synctest.Wait()
			if n := runtime.GOMAXPROCS(0); n != want {
				t.Errorf("GOMAXPROCS=%q: %d processors, want %d", set, n, want)
			}
			stop()
			synctest.Wait()
			if n := runtime.GOMAXPROCS(0); n != 2 {
				t.Errorf("GOMAXPROCS=%q: it is left at %d", set, n)
			}
		})
	}
	if used := cpuTime(); used <= 0 {
		t.Errorf("%s of CPU", used)
	}
}
