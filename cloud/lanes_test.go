package cloud

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// lanes are Lanes of numbered keys, with who was called.
type lanes struct {
	*Lanes[int]
	called []int
	next   int
}

func newLanes(room int, now func() time.Time) *lanes {
	l := &lanes{Lanes: NewLanes[int](room, now)}
	l.Call(func(k int) { l.called = append(l.called, k) })
	return l
}

// fill enters a lane with new keys as often as it is let in.
func (l *lanes) fill(name string) (leaves []func()) {
	for {
		l.next++
		leave, wait := l.Enter(name, l.next)
		if wait > 0 {
			l.Drop(l.next)
			return leaves
		}
		leaves = append(leaves, leave)
	}
}

func TestLanesLeaveRoomForOthers(t *testing.T) {
	for _, room := range []int{2, 3, 16, 128} {
		l := newLanes(room, newClock().now)
		count := 0
		for free := room; free > 0; count++ {
			n := len(l.fill(fmt.Sprint("slow ", count)))
			if n != (free+1)/2 {
				t.Errorf("a lane holds %d of the %d that are left", n, free)
			}
			free -= n
		}
		if room == 128 && count != 8 {
			t.Errorf("%d lanes hold all", count)
		}
		if l.held != room || len(l.fill("one more")) != 0 {
			t.Errorf("%d of %d are held", l.held, room)
		}
	}
}

func TestLanesGiveBack(t *testing.T) {
	l := newLanes(16, newClock().now)
	a := l.fill("a")
	b := l.fill("b")
	for _, leave := range a {
		leave()
	}
	// b may hold what is free now: 16 = 4 + 12, so up to half.
	b = append(b, l.fill("b")...)
	if len(b) != 8 || l.held != 8 {
		t.Errorf("b holds %d, all %d", len(b), l.held)
	}
	for _, leave := range b {
		leave()
	}
	if l.held != 0 || len(l.lanes) != 0 || len(l.fill("c")) != 8 {
		t.Errorf("%d are held by nobody", l.held)
	}
}

// Those who wait are called in their order, one for each place, and nobody who asks
// later comes before them.
func TestLanesCallInOrder(t *testing.T) {
	l := newLanes(8, newClock().now)
	in := l.fill("slow")
	for k := 101; k <= 110; k++ {
		if _, wait := l.Enter("slow", k); wait != notCalled {
			t.Fatalf("%d: wait %s", k, wait)
		}
	}
	l.Enter("slow", 103) // it asks again: its place stays
	if len(l.called) != 0 {
		t.Errorf("called although there is no place: %v", l.called)
	}
	in[0]()
	in[1]()
	if !slices.Equal(l.called, []int{101, 102}) {
		t.Fatalf("called: %v", l.called)
	}
	if _, wait := l.Enter("slow", 200); wait == 0 {
		t.Error("who comes by takes the place of one who was called")
	}
	for _, k := range []int{102, 101} {
		if _, wait := l.Enter("slow", k); wait != 0 {
			t.Errorf("%d was called and does not get in", k)
		}
	}
	l.Drop(103)
	l.Drop(104)
	in[2]()
	if !slices.Equal(l.called, []int{101, 102, 105}) {
		t.Errorf("called: %v", l.called)
	}
	l.Pass(105) // it needs no place any more
	if !slices.Equal(l.called, []int{101, 102, 105, 106}) {
		t.Errorf("called: %v", l.called)
	}
	l.Drop(106)
	if !slices.Equal(l.called, []int{101, 102, 105, 106, 107}) {
		t.Errorf("called: %v", l.called)
	}
	l.Pass(110) // it was not called, and waits on
	if len(l.lanes["slow"].waiting) != 4 {
		t.Errorf("%d wait", len(l.lanes["slow"].waiting))
	}
}

// One who was called and does not come keeps the place for a while only.
func TestLanesDoNotWaitForEver(t *testing.T) {
	c := newClock()
	l := newLanes(4, c.now)
	in := l.fill("slow")
	for k := 101; k <= 104; k++ {
		l.Enter("slow", k)
	}
	in[0]()
	in[1]()
	c.advance(expected)
	if _, wait := l.Enter("slow", 105); wait == 0 {
		t.Error("one who comes by gets in before those who wait")
	}
	if !slices.Equal(l.called, []int{101, 102, 103, 104}) {
		t.Errorf("called: %v", l.called)
	}
	c.advance(-time.Hour)
	l.Enter("slow", 106)
	if !slices.Equal(l.called, []int{101, 102, 103, 104, 105, 106}) {
		t.Errorf("a clock that goes back holds places: %v", l.called)
	}
}

// A place that was given back in one lane calls those of another.
func TestLanesCallEachOther(t *testing.T) {
	l := newLanes(8, newClock().now)
	a := l.fill("a")
	b := l.fill("b")
	l.Enter("b", 100)
	for _, leave := range a {
		leave()
	}
	if !slices.Equal(l.called, []int{100}) || len(b) != 2 {
		t.Errorf("called: %v", l.called)
	}
	// The place was kept for b, but a takes it first.
	l.fill("a")
	if _, wait := l.Enter("b", 100); wait != 0 {
		t.Error("100 was called and does not get in")
	}
}

// Without anybody to call, those who wait come back by themselves.
func TestLanesWithoutACall(t *testing.T) {
	l := NewLanes[int](2, newClock().now)
	leave, _ := l.Enter("a", 1)
	if _, wait := l.Enter("a", 2); wait != notCalled {
		t.Errorf("wait %s", wait)
	}
	leave()
	l.Drop(2)
	if _, wait := l.Enter("a", 3); wait != 0 {
		t.Errorf("wait %s", wait)
	}
}

// Ten thousand turns of two seconds through half of 256 places take what they have
// to, and no turn is begun in vain more than once.
func TestLanesAreKeptFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, stay = 10_000, 2 * time.Second
		l := NewLanes[int](256, nil)
		keys := make(chan int, 4*n)
		l.Call(func(k int) { keys <- k })
		for k := range n {
			keys <- k
		}
		began, turns := time.Now(), 0
		var all sync.WaitGroup
		for done := 0; done < n; {
			turns++
			leave, wait := l.Enter("slow", <-keys)
			if wait > 0 {
				continue
			}
			done++
			all.Go(func() {
				time.Sleep(stay)
				leave()
			})
		}
		all.Wait()
		if took, least := time.Since(began), n/128*stay; took > least+2*stay {
			t.Errorf("took %s, and could have taken %s", took, least)
		}
		if turns > 2*n {
			t.Errorf("%d turns for %d keys", turns, n)
		}
	})
}

// Whatever the order of things, places are neither lost nor given twice, and who
// waits is called in the end.
func TestLanesByChance(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		c := newClock()
		l := newLanes(2+random.IntN(7), c.now)
		inside := map[int]func(){}
		waits := map[int]string{}
		ask := func(k int, name string) {
			leave, wait := l.Enter(name, k)
			if waits[k] = name; wait == 0 {
				inside[k] = leave
				delete(waits, k)
			}
		}
		answer := func() {
			calls := l.called
			l.called = nil
			for _, k := range calls {
				if name, ok := waits[k]; ok {
					ask(k, name)
				}
			}
		}
		for step := range 200 {
			switch k := random.IntN(30); random.IntN(5) {
			case 0, 1:
				if inside[k] == nil && waits[k] == "" {
					ask(k, fmt.Sprint("lane ", k%3))
				}
			case 2:
				if leave := inside[k]; leave != nil {
					delete(inside, k)
					leave()
				}
			case 3:
				answer()
			case 4:
				if inside[k] == nil {
					l.Drop(k)
					delete(waits, k)
				}
				c.advance(time.Duration(random.IntN(3)) * time.Second)
			}
			if l.held != len(inside) || l.held > l.room || l.due < 0 {
				t.Fatalf("seed %d, step %d: %d held, %d inside, %d due", seed, step, l.held, len(inside), l.due)
			}
		}
		for range 100 {
			for k, leave := range inside {
				delete(inside, k)
				leave()
			}
			answer()
		}
		if len(waits) != 0 || l.held != 0 || l.due != 0 || len(l.lanes) != 0 {
			t.Fatalf("seed %d: %v wait, %d held, %d due, %d lanes", seed, waits, l.held, l.due, len(l.lanes))
		}
	}
}
