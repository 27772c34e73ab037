package cloud

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// fill enters a lane as often as it is let in.
func fill(l *Lanes, name string) (leaves []func()) {
	for {
		leave, wait := l.Enter(name)
		if wait > 0 {
			return leaves
		}
		leaves = append(leaves, leave)
	}
}

func TestLanesLeaveRoomForOthers(t *testing.T) {
	for _, room := range []int{2, 3, 16, 128} {
		l := NewLanes(room, newClock().now)
		lanes := 0
		for free := room; free > 0; lanes++ {
			n := len(fill(l, fmt.Sprint("slow ", lanes)))
			if n != (free+1)/2 {
				t.Errorf("a lane holds %d of the %d that are left", n, free)
			}
			free -= n
		}
		if room == 128 && lanes != 8 {
			t.Errorf("%d lanes hold all", lanes)
		}
		if l.held != room || len(fill(l, "one more")) != 0 {
			t.Errorf("%d of %d are held", l.held, room)
		}
	}
}

func TestLanesGiveBack(t *testing.T) {
	l := NewLanes(16, newClock().now)
	a := fill(l, "a")
	b := fill(l, "b")
	for _, leave := range a {
		leave()
	}
	// b may hold what is free now: 16 = 4 + 12, so up to half.
	b = append(b, fill(l, "b")...)
	if len(b) != 8 || l.held != 8 {
		t.Errorf("b holds %d, all %d", len(b), l.held)
	}
	for _, leave := range b {
		leave()
	}
	if l.held != 0 || len(fill(l, "c")) != 8 {
		t.Errorf("%d are held by nobody", l.held)
	}
}

// Those who are turned away come back at the pace at which the lane is served, and
// none later than after five minutes.
func TestLanesHandOutTimes(t *testing.T) {
	c := newClock()
	l := NewLanes(16, c.now)
	leaves := fill(l, "slow")
	for range 40 { // turns of 4 s
		c.advance(4 * time.Second)
		for _, leave := range leaves {
			leave()
		}
		leaves = fill(l, "slow")
	}
	c.advance(latestReturn) // what was handed out is past
	last := time.Duration(0)
	for range 20 {
		_, wait := l.Enter("slow")
		if apart := wait - last; apart < 450*time.Millisecond || apart > 550*time.Millisecond {
			t.Fatalf("%s after the one before; eight at once of 4 s each are one each half second", apart)
		}
		last = wait
	}
	for range 10_000 {
		if _, wait := l.Enter("slow"); wait > latestReturn || wait < last {
			t.Fatalf("told to come back in %s", wait)
		}
	}
}

// A clock that goes back makes nothing negative.
func TestLanesClockGoesBack(t *testing.T) {
	c := newClock()
	l := NewLanes(4, c.now)
	leaves := fill(l, "a")
	c.advance(-time.Hour)
	for _, leave := range leaves {
		leave()
	}
	fill(l, "a")
	if _, wait := l.Enter("a"); wait <= 0 || wait > latestReturn {
		t.Errorf("wait %s", wait)
	}
}

func TestLanesForget(t *testing.T) {
	c := newClock()
	l := NewLanes(8, c.now)
	for i := range 1000 {
		for _, leave := range fill(l, fmt.Sprint("region-", i)) {
			leave()
		}
		c.advance(time.Minute)
	}
	if n := len(l.lanes); n > 2 {
		t.Errorf("%d lanes are remembered", n)
	}
}

func TestLanesByMany(t *testing.T) {
	l := NewLanes(10, nil)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 2000 {
				if leave, wait := l.Enter(fmt.Sprint(g, i%3)); wait == 0 {
					leave()
				}
			}
		})
	}
	all.Wait()
	if l.held != 0 {
		t.Errorf("%d are held by nobody", l.held)
	}
}
