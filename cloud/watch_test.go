package cloud

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"
)

func TestWatchWakesOncePerChange(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		fp := b.sky.put("r", "a", 10)
		b.Track("r", "a", "A", fp)
		b.holds("a", "nothing")
		b.expect(9*time.Second, "[]")
		b.holds("a", "nothing")
		b.expect(2*time.Second, "[]")
		b.holds("a", "10GB, 1s old")

		fp = b.sky.put("r", "a", 20)
		b.expect(10*time.Second, "[A]")
		b.holds("a", "20GB, 1s old")
		b.expect(time.Minute, "[]")

		b.Track("r", "a", "A", fp)
		b.holds("a", "20GB, 1s old")
		b.expect(time.Minute, "[]")

		b.Track("r", "a", "A", 0)
		b.holds("a", "nothing")
		b.expect(10*time.Second, "[A]")

		b.Forget("r", "a")
		b.holds("a", "nothing")
		b.sky.put("r", "a", 30)
		b.expect(time.Hour, "[]")
	})
}

func TestWatchUnknownFingerprintWakes(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		b.sky.put("r", "a", 10)
		b.Track("r", "a", "A", 0)
		b.expect(11*time.Second, "[A]")
		b.expect(time.Hour, "[]")
	})
}

func TestWatchAbsence(t *testing.T) {
	watching(t, WatchOptions{Interval: 10 * time.Second, Sweep: 100 * time.Second}, func(b *bench) {
		fp := b.sky.put("r", "a", 10)
		b.Track("r", "a", "A", fp)
		b.expect(101*time.Second, "[]")
		b.sky.remove("r", "a")
		if first := b.after(100 * time.Second); first == "[]" {
			t.Error("not told")
		}
		b.holds("a", "absent")
		// Nobody accepts it: told again, once a sweep.
		b.expect(100*time.Second, "[A]")
		b.expect(100*time.Second, "[A]")

		b.Track("r", "a", "A", Absent)
		b.holds("a", "nothing")
		b.expect(time.Hour, "[]")
		b.sky.put("r", "a", 10)
		b.expect(100*time.Second, "[A]")
	})
}

// A list that lags behind a create shows the instance late: its absence is told
// once, and it coming up as the reconciler knows it is no news.
func TestWatchListThatLags(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		fp := Instance{State: StateRunning, StorageGB: 10}.Fingerprint()
		b.Track("r", "a", "A", fp)
		b.expect(11*time.Second, "[A]")
		b.Track("r", "a", "A", fp) // it has read it live
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
		b.Track("r", "a", "A", old)
		b.after(12 * time.Second) // the first list is under way and has seen 10 GB
		now := b.sky.put("r", "a", 20)
		b.Track("r", "a", "A", now)
		b.expect(3*time.Second, "[]")
		b.holds("a", "nothing")
		b.expect(10*time.Second, "[]")
		b.holds("a", "20GB, 5s old")
	})
}

func TestWatchPagesAndCallCounts(t *testing.T) {
	const n = 250
	watching(t, WatchOptions{}, func(b *bench) {
		for i := range n {
			id := fmt.Sprint("postgres-", i)
			b.Track("r", id, id, b.sky.put("r", id, 10))
		}
		b.expect(31*time.Minute, "[]")
		// From 1 to 31 minutes: 180 intervals of 3 pages.
		calls := b.sky.during("r", time.Minute, 31*time.Minute)
		if n := len(calls); n < 537 || n > 543 {
			t.Errorf("%d calls in half an hour, want 3 each 10 s: 540", n)
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
		for i := range n {
			if often := seen[fmt.Sprint("postgres-", i)]; often < 179 || often > 181 {
				t.Fatalf("instance %d was looked at %d times", i, often)
			}
		}
	})
}

func TestWatchHangingRegionDelaysNoOther(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		b.sky.slow("stuck", 24*time.Hour)
		b.Track("stuck", "a", "A", 0)
		fp := b.sky.put("r", "b", 10)
		b.Track("r", "b", "B", fp)
		b.expect(10*time.Minute, "[]")
		if n := len(b.sky.during("r", 0, 10*time.Minute+1)); n != 60 {
			t.Errorf("%d polls of the good region, want one each 10 s", n)
		}
		if _, _, bad := b.unreachable("r"); bad {
			t.Error("the good region is called bad")
		}
		if _, err, bad := b.unreachable("stuck"); !bad || err == nil {
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
				b.Track(fmt.Sprint("r", i), "a", "A", 0)
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
	w.Track("r", "a", "A", 0) // before it runs
	w.Track("r", "b", "B", 0)
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

// A change of everything at once is told for everything, but not held.
func TestWatchHoldsABoundedNumber(t *testing.T) {
	const n = 3 * maxSnapshots
	watching(t, WatchOptions{}, func(b *bench) {
		for i := range n {
			id := fmt.Sprint(i)
			b.sky.put("r", id, 10)
			b.Track("r", id, id, 0)
		}
		b.after(time.Minute)
		if held := len(b.regions["r"].snapshots); held != maxSnapshots {
			t.Errorf("%d held", held)
		}
		told := 0
		for _, s := range b.regions["r"].ring.slots {
			if s.seen != 0 {
				told++
			}
		}
		if told != n {
			t.Errorf("%d of %d were told", told, n)
		}
	})
}
