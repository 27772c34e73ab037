package main

import (
	"context"
	"runtime/debug"
	"testing"
)

func TestGCPercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 100, 1 << 20: 100, 3 << 20: 100, 4 << 20: 75, 12 << 20: 25, 15 << 20: 20, 100 << 20: 20} {
		if got := gcPercent(live); got != want {
			t.Errorf("%d MiB alive: GOGC %d, want %d", live>>20, got, want)
		}
	}
}

func TestKeepSmall(t *testing.T) {
	was := debug.SetGCPercent(150)
	defer debug.SetGCPercent(was)
	over, stop := context.WithCancel(t.Context())
	stop()
	keepSmall(over, func(string) string { return "off" })
	if now := debug.SetGCPercent(150); now != 150 {
		t.Errorf("GOGC was set to %d although the user had set it", now)
	}
	keepSmall(over, func(string) string { return "" })
	if now := debug.SetGCPercent(150); now < 20 || now > 100 {
		t.Errorf("GOGC is %d", now)
	}
}
