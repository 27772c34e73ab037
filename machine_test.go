package main

import (
	"context"
	"runtime/debug"
	"testing"
)

func TestGCPercent(t *testing.T) {
	for live, want := range map[uint64][2]int{0: {100, 100}, 1 << 20: {100, 100}, 3 << 20: {100, 50}, 4 << 20: {75, 35}, 10 << 20: {30, 15}, 12 << 20: {25, 15}, 15 << 20: {20, 15}, 100 << 20: {20, 15}} {
		for i, lull := range []bool{false, true} {
			if got := gcPercent(live, lull); got != want[i] {
				t.Errorf("%d MiB alive, lull %t: GOGC %d, want %d", live>>20, lull, got, want[i])
			}
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
	// looks makes some, between which so many collections are, and tells of them: q of a
	// lull, f where memory is given back.
	cycles := uint64(0)
	looks := func(n int, between uint64) (told string) {
		for range n {
			cycles += between
			switch quiet, free := l.look(cycles); {
			case free && quiet:
				told += "f"
				cycles++
				l.freed = cycles
			case free:
				told += "!"
			case quiet:
				told += "q"
			default:
				told += "."
			}
		}
		return told
	}
	for i, step := range []struct {
		looks   int
		between uint64
		want    string
	}{
		{10, 5, ".........."},                     // the start
		{20, 0, ".............fqqqqqq"},           // then nothing
		{30, 0, "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"}, // nothing was collected, nothing is given back
		{1, 1, "f"},    // until something is
		{4, 1, "qqqq"}, // but not soon again
		{3, 1, "qq."},  // and not when there is none any more
		{30, 1, ".............................."},           // for as long as it is not
		{40, 0, "......fqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"}, // the next lull
	} {
		if got := looks(step.looks, step.between); got != step.want {
			t.Errorf("step %d: %s, want %s", i, got, step.want)
		}
	}
}
