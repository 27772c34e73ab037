package cloud

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"
)

func TestWatchUrgentWakesOncePerChange(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		fp := b.sky.put("r", "a", 10)
		b.Track("r", "a", "A", fp, true)
		b.holds("a", "nothing")
		b.expect(9*time.Second, "[]")
		b.holds("a", "nothing")
		b.expect(2*time.Second, "[]")
		b.holds("a", "10GB, 1s old")

		fp = b.sky.put("r", "a", 20)
		b.expect(10*time.Second, "[A]")
		b.holds("a", "20GB, 1s old")
		b.expect(time.Minute, "[]")

		b.Track("r", "a", "A", fp, true)
		b.holds("a", "20GB, 1s old")
		b.expect(time.Minute, "[]")

		b.Track("r", "a", "A", 0, true)
		b.holds("a", "nothing")
		b.expect(10*time.Second, "[A]")

		b.Forget("r", "a")
		b.holds("a", "nothing")
		b.sky.put("r", "a", 30)
		b.expect(time.Hour, "[]")
	})
}

func TestWatchSweepHoldsOnlyUnseenDifferences(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		fp := b.sky.put("r", "a", 10)
		b.Track("r", "a", "A", fp, false)
		b.expect(time.Hour, "[]")
		b.holds("a", "nothing")

		b.sky.put("r", "a", 20)
		b.expect(6*time.Minute, "[A]")
		if b.held("a") == "nothing" {
			t.Error("the difference is not held")
		}
		b.expect(time.Hour, "[]")
		if b.held("a") == "nothing" {
			t.Error("the difference is not held any more, unseen as it is")
		}
		fp = b.sky.put("r", "a", 30)
		b.expect(5*time.Minute, "[A]")
		b.Track("r", "a", "A", fp, false)
		b.holds("a", "nothing")
		b.expect(time.Hour, "[]")

		b.sky.put("r", "a", 40)
		b.expect(5*time.Minute, "[A]")
		b.Track("r", "a", "A", fp, false) // acted upon what it was before
		b.holds("a", "nothing")
		b.expect(5*time.Minute, "[A]")
	})
}

func TestWatchUnknownFingerprintWakes(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		b.sky.put("r", "a", 10)
		b.Track("r", "a", "A", 0, false)
		b.expect(5*time.Minute+time.Second, "[A]")
		b.expect(time.Hour, "[]")
	})
}

func TestWatchAbsence(t *testing.T) {
	for _, urgent := range []bool{true, false} {
		t.Run(fmt.Sprint("urgent=", urgent), func(t *testing.T) {
			watching(t, WatchOptions{Interval: 10 * time.Second, Sweep: 100 * time.Second}, func(b *bench) {
				fp := b.sky.put("r", "a", 10)
				b.Track("r", "a", "A", fp, urgent)
				b.expect(101*time.Second, "[]")
				b.sky.remove("r", "a")
				if first := b.after(100 * time.Second); first == "[]" {
					t.Error("not told")
				}
				b.holds("a", "absent")
				// Nobody accepts it: told again, once a sweep.
				b.expect(100*time.Second, "[A]")
				b.expect(100*time.Second, "[A]")

				b.Track("r", "a", "A", Absent, urgent)
				b.holds("a", "nothing")
				b.expect(time.Hour, "[]")
				b.sky.put("r", "a", 10)
				b.expect(100*time.Second, "[A]")
			})
		})
	}
}

// A list that lags behind a create shows the instance late: its absence is told
// once, and it coming up as the reconciler knows it is no news.
func TestWatchListThatLags(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		fp := Instance{State: StateRunning, StorageGB: 10}.Fingerprint()
		b.Track("r", "a", "A", fp, true)
		b.expect(11*time.Second, "[A]")
		b.Track("r", "a", "A", fp, true) // it has read it live
		b.expect(2*time.Minute, "[]")
		b.sky.put("r", "a", 10)
		b.expect(time.Minute, "[]")
		b.sky.put("r", "a", 20)
		b.expect(10*time.Second, "[A]")
	})
}

// What was asked for before the reconciler looked itself is not used: it is
// older than what the reconciler knows.
func TestWatchIgnoresWhatATrackOvertook(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		b.sky.slow("r", 4*time.Second)
		old := b.sky.put("r", "a", 10)
		b.Track("r", "a", "A", old, true)
		b.after(12 * time.Second) // the first list is under way and has seen 10 GB
		now := b.sky.put("r", "a", 20)
		b.Track("r", "a", "A", now, true)
		b.expect(3*time.Second, "[]")
		b.holds("a", "nothing")
		b.expect(10*time.Second, "[]")
		b.holds("a", "20GB, 5s old")
	})
}

func TestWatchPagesAndCallCounts(t *testing.T) {
	const urgent, steady = 250, 2500
	watching(t, WatchOptions{}, func(b *bench) {
		for i := range urgent + steady {
			id := fmt.Sprint("postgres-", i)
			b.Track("r", id, id, b.sky.put("r", id, 10), i < urgent)
		}
		b.expect(31*time.Minute, "[]")
		// From 1 to 31 minutes: 180 intervals of 3 pages, 6 sweeps of 25.
		calls := b.sky.during("r", time.Minute, 31*time.Minute)
		if n := len(calls); n < 680 || n > 692 {
			t.Errorf("%d calls in half an hour, want 3 each 10 s and 25 each 5 min: 690", n)
		}
		seen := map[string]int{}
		for _, c := range calls {
			if len(c.ids) > MaxPage {
				t.Fatalf("a page of %d", len(c.ids))
			}
			for _, id := range c.ids {
				seen[id]++
			}
		}
		for i := range urgent + steady {
			n := seen[fmt.Sprint("postgres-", i)]
			if i < urgent && (n < 179 || n > 181) || i >= urgent && (n < 5 || n > 7) {
				t.Fatalf("instance %d was looked at %d times", i, n)
			}
		}
		// The sweep is spread: no minute has more than its share.
		for m := 1; m < 31; m++ {
			n := 0
			for _, c := range b.sky.during("r", time.Duration(m)*time.Minute, time.Duration(m+1)*time.Minute) {
				if c.ids[0] >= "postgres-250" && len(c.ids[0]) >= len("postgres-250") {
					n++
				}
			}
			if n > 7 {
				t.Errorf("%d pages of the sweep in minute %d", n, m)
			}
		}
	})
}

// With more urgent pages than fit into an interval, neither side starves: a
// page of the sweep waits for one call at most, and so does an urgent one.
func TestWatchUrgentAndSweepShare(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		b.sky.slow("r", 8*time.Second)
		for i := range 3000 {
			id := fmt.Sprint(i)
			b.Track("r", id, id, b.sky.put("r", id, 10), i < 1000)
		}
		b.after(time.Hour)
		seen := map[string]int{}
		for _, c := range b.sky.during("r", 0, time.Hour) {
			for _, id := range c.ids {
				seen[id]++
			}
		}
		for i := range 3000 {
			if n := seen[fmt.Sprint(i)]; n < 6 {
				t.Fatalf("instance %d was looked at %d times in an hour of 450 calls", i, n)
			}
		}
	})
}

func TestWatchHangingRegionDelaysNoOther(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		b.sky.slow("stuck", 24*time.Hour)
		b.Track("stuck", "a", "A", 0, true)
		fp := b.sky.put("r", "b", 10)
		b.Track("r", "b", "B", fp, true)
		b.expect(10*time.Minute, "[]")
		if n := len(b.sky.during("r", 0, 10*time.Minute+1)); n != 60 {
			t.Errorf("%d polls of the good region, want one each 10 s", n)
		}
		if _, _, bad := b.Unreachable("r"); bad {
			t.Error("the good region is called bad")
		}
		if _, err, bad := b.Unreachable("stuck"); !bad || err == nil {
			t.Error("the hanging region is not called bad")
		}
		// 10 s, then 30 s of hanging and a pause of 10, 20, 40, 60, 60 ... s
		if n := len(b.sky.during("stuck", 0, 10*time.Minute)); n < 6 || n > 10 {
			t.Errorf("%d polls of the hanging region", n)
		}
	})
}

// serving counts the goroutines that serve a region, by their stacks: the count
// of runtime.NumGoroutine still holds one for a moment after it has ended.
func serving(t *testing.T) int {
	t.Helper()
	stacks := make([]byte, 1<<20)
	n := runtime.Stack(stacks, true)
	if n == len(stacks) {
		t.Fatal("more stacks than there is room for")
	}
	return bytes.Count(stacks[:n], []byte(").serve("))
}

func TestWatchRegionsComeAndGo(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		b.after(0)
		for round := range 3 {
			for i := range 5 {
				b.Track(fmt.Sprint("r", i), "a", "A", 0, true)
			}
			b.after(time.Minute * time.Duration(round))
			if n := serving(t); n != 5 {
				t.Errorf("%d goroutines for 5 regions", n)
			}
			for i := range 5 {
				b.Forget(fmt.Sprint("r", i), "a")
				b.Forget("never", "heard")
			}
			b.after(0)
			if n := serving(t); n != 0 {
				t.Errorf("%d goroutines for no region", n)
			}
		}
	})
}

func TestWatchRunsOnceAtATimeAndAgain(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		if err := b.Watch.Run(t.Context(), func(string) {}); err == nil {
			t.Error("ran twice at a time")
		}
	})
	api := newSky()
	w := NewWatch[string](api, WatchOptions{})
	w.Track("r", "a", "A", 0, true) // before it runs
	w.Track("r", "b", "B", 0, true)
	w.Forget("r", "a")
	w.Forget("r", "b")
	if len(w.regions) != 0 {
		t.Error("a region without instances is kept")
	}
	done, stop := context.WithCancel(t.Context())
	stop()
	for range 2 {
		if err := w.Run(done, nil); err != nil {
			t.Error(err)
		}
	}
}

func TestWatchMovesBetweenPaces(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		fps := map[string]uint64{}
		for i := range 300 {
			id := fmt.Sprint(i)
			fps[id] = b.sky.put("r", id, 10)
			b.Track("r", id, id, fps[id], i%2 == 0)
		}
		b.expect(time.Minute, "[]")
		for i := range 300 {
			id := fmt.Sprint(i)
			if i%3 == 0 {
				b.Forget("r", id)
			} else {
				b.Track("r", id, id, fps[id], i%2 == 1)
			}
		}
		b.sky.put("r", "1", 20) // urgent now
		b.expect(11*time.Second, "[1]")
		b.sky.put("r", "2", 20) // in the sweep now
		b.sky.put("r", "3", 20) // forgotten
		b.expect(5*time.Minute+time.Second, "[2]")
		for id := range fps {
			b.Forget("r", id)
		}
		b.after(0)
		if len(b.regions) != 0 {
			t.Error("the region outlives its instances")
		}
	})
}

// A change of everything at once is told for everything, but not held.
func TestWatchHoldsABoundedNumber(t *testing.T) {
	const n = 3 * maxSnapshots
	watching(t, WatchOptions{}, func(b *bench) {
		for i := range n {
			id := fmt.Sprint(i)
			b.sky.put("r", id, 10)
			b.Track("r", id, id, 0, i%2 == 0)
		}
		b.after(6 * time.Minute)
		if held := len(b.regions["r"].snapshots); held != maxSnapshots {
			t.Errorf("%d held", held)
		}
		told := 0
		for _, c := range []*ring[string]{&b.regions["r"].urgent, &b.regions["r"].steady} {
			for _, s := range c.slots {
				if s.seen != 0 {
					told++
				}
			}
		}
		if told != n {
			t.Errorf("%d of %d were told", told, n)
		}
	})
}

// TestWatchMemory measures what the comment on Watch says.
func TestWatchMemory(t *testing.T) {
	const n = 100_000
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	keys := make([]string, n) // the engine's own
	for i := range keys {
		keys[i] = fmt.Sprint("namespace/name-", i)
	}
	before := heap()
	w := NewWatch[string](nil, WatchOptions{})
	for i, key := range keys {
		w.Track("ap-guangzhou", fmt.Sprintf("postgres-%08x", i), key, 1, false)
	}
	each := float64(heap()-before) / n
	t.Logf("%.0f bytes for each tracked instance", each)
	if each > 150 {
		t.Errorf("%.0f bytes for each tracked instance", each)
	}
	runtime.KeepAlive(w)
	runtime.KeepAlive(keys)
}
