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

func TestLull(t *testing.T) {
	var l lull
	begun := ""
	for _, cycles := range []uint64{3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 6, 6, 6, 6, 6, 6} {
		if l.begins(cycles) {
			begun += "x"
		} else {
			begun += "."
		}
	}
	if begun != "........x..........x" {
		t.Errorf("lulls begin at %s", begun)
	}
}
