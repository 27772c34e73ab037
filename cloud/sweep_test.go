package cloud

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// roll is a Roster in memory.
type roll struct {
	mu sync.Mutex
	of map[string][]Steady[string]
}

func (r *roll) add(region, id string, seen uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.of[region] = append(r.of[region], Steady[string]{ID: id, Key: "key-" + id, Seen: seen})
}

func (r *roll) set(region, id string, seen uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.of[region] {
		if r.of[region][i].ID == id {
			r.of[region][i].Seen = seen
		}
	}
}

func (r *roll) Regions() (out []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for region := range r.of {
		out = append(out, region)
	}
	return out
}

func (r *roll) Count(region string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.of[region])
}

func (r *roll) Page(region string, from, n int) ([]Steady[string], int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.of[region]
	page := slices.Clone(all[min(from, len(all)):min(from+n, len(all))])
	if from+n >= len(all) {
		return page, 0
	}
	return page, from + n
}

func (r *roll) Still(region string, s Steady[string]) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.of[region], s)
}

// swept runs a sweep in virtual time.
func swept(t *testing.T, do func(b *sweepBench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &sweepBench{T: t, sky: newSky(), roll: &roll{of: map[string][]Steady[string]{}}}
		b.sweep = NewSweep[string](b.sky, b.roll, WatchOptions{Sweep: 5 * time.Minute})
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			b.sweep.Run(ctx, func(k string) {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.woken = append(b.woken, k)
			})
		})
		do(b)
		cancel()
		running.Wait() // no goroutine outlives Run
	})
}

type sweepBench struct {
	*testing.T
	sweep *Sweep[string]
	sky   *sky
	roll  *roll
	mu    sync.Mutex
	woken []string
}

// after lets time pass and returns who was woken meanwhile.
func (b *sweepBench) after(d time.Duration) []string {
	time.Sleep(d)
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.woken
	b.woken = nil
	slices.Sort(w)
	return w
}

func (b *sweepBench) calls(region string) (n int) {
	b.sky.mu.Lock()
	defer b.sky.mu.Unlock()
	for _, c := range b.sky.calls {
		if c.region == region {
			n++
		}
	}
	return n
}

// N steady instances cost N/100 calls a period, and wake nobody.
func TestSweepCost(t *testing.T) {
	swept(t, func(b *sweepBench) {
		for i := range 2500 {
			id := fmt.Sprint("i", i)
			b.roll.add("r", id, b.sky.put("r", id, 10))
		}
		if w := b.after(30 * time.Minute); len(w) > 0 {
			b.Errorf("woke %v", w)
		}
		// 25 a round; the first of 6 rounds may go by before the roster is full.
		if n := b.calls("r"); n < 5*25 || n > 6*25+1 {
			b.Errorf("%d calls in 6 periods, 25 to a round", n)
		}
	})
}

// A difference and an absence wake once a round until they are acted upon; what
// was seen is there to take once.
func TestSweepDifference(t *testing.T) {
	swept(t, func(b *sweepBench) {
		b.roll.add("r", "same", b.sky.put("r", "same", 10))
		b.roll.add("r", "grown", b.sky.put("r", "grown", 10))
		b.roll.add("r", "lost", 77)
		b.roll.add("r", "known-lost", Absent)
		now := b.sky.put("r", "grown", 20)
		if w := b.after(5*time.Minute + 10*time.Second); !slices.Equal(w, []string{"key-grown", "key-lost"}) {
			b.Errorf("woke %v", w)
		}
		if i, ok := b.sweep.Take("r", "grown"); !ok || i.StorageGB != 20 {
			b.Errorf("took %v %v", i, ok)
		}
		if _, ok := b.sweep.Take("r", "grown"); ok {
			b.Error("taken twice")
		}
		if _, ok := b.sweep.Take("r", "lost"); ok {
			b.Error("an absence is held as an instance")
		}
		b.roll.set("r", "grown", now)
		b.roll.set("r", "lost", Absent)
		if w := b.after(10 * time.Minute); len(w) > 0 {
			b.Errorf("woke %v for what was acted upon", w)
		}
	})
}

// What was seen long ago is not what is there now.
func TestSweepForgetsOldSights(t *testing.T) {
	swept(t, func(b *sweepBench) {
		b.roll.add("r", "a", 77)
		b.sky.put("r", "a", 10)
		b.after(5*time.Minute + 10*time.Second)
		b.roll.set("r", "a", b.sky.put("r", "a", 10))
		b.after(heldFor + time.Minute)
		if _, ok := b.sweep.Take("r", "a"); ok {
			b.Error("an old sight is still taken for true")
		}
	})
}

// An object that was acted upon while the page was under way is left alone.
func TestSweepOvertaken(t *testing.T) {
	swept(t, func(b *sweepBench) {
		b.roll.add("r", "a", 77)
		now := b.sky.put("r", "a", 10)
		b.sky.slow("r", 20*time.Second)
		if w := b.after(5*time.Minute + 10*time.Second); len(w) > 0 {
			b.Fatalf("woke %v before the answer", w)
		}
		b.roll.set("r", "a", now)
		if w := b.after(time.Minute); len(w) > 0 {
			b.Errorf("woke %v by an answer that was overtaken", w)
		}
	})
}

// A region that hangs delays no other; one that fails is probed at most once a
// minute, and goes on where it was.
func TestSweepRegionsAndFailures(t *testing.T) {
	swept(t, func(b *sweepBench) {
		b.roll.add("stuck", "a", 77)
		b.sky.slow("stuck", time.Hour)
		b.roll.add("r", "b", 77)
		b.sky.put("r", "b", 10)
		if w := b.after(5*time.Minute + 10*time.Second); !slices.Equal(w, []string{"key-b"}) {
			b.Errorf("woke %v", w)
		}
		b.sky.fail(func(string, []string) error { return &Error{Class: Ambiguous, Err: errors.New("cut")} })
		before := b.calls("r")
		b.after(time.Hour)
		if n := b.calls("r") - before; n > 13 {
			b.Errorf("%d calls in an hour of failures with a period of 5 minutes", n)
		}
		b.sky.fail(nil)
		if w := b.after(6 * time.Minute); !slices.Equal(w, []string{"key-b"}) {
			b.Errorf("healed, but woke %v", w)
		}
	})
}

// One id that the cloud refuses does not hide the others.
func TestSweepRefusedID(t *testing.T) {
	swept(t, func(b *sweepBench) {
		for i := range 40 {
			id := fmt.Sprint("i", i)
			b.roll.add("r", id, b.sky.put("r", id, 10))
		}
		b.roll.add("r", "bad", 77)
		b.sky.put("r", "i7", 20)
		b.sky.fail(func(_ string, ids []string) error {
			if slices.Contains(ids, "bad") {
				return &Error{Class: Refused}
			}
			return nil
		})
		if w := b.after(5*time.Minute + 10*time.Second); !slices.Equal(w, []string{"key-bad", "key-i7"}) {
			b.Errorf("woke %v", w)
		}
	})
}
