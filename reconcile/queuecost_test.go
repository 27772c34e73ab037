package reconcile

import (
	"container/heap"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// heapGrowth is how many bytes of live heap a function leaves behind in what it
// returns, which is kept alive over the measurement.
func heapGrowth(build func() any) int64 {
	settled := func() int64 {
		runtime.GC()
		runtime.GC() // what finalizers and pools held on to
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := settled()
	kept := build()
	after := settled()
	runtime.KeepAlive(kept)
	return after - before
}

// Numbers of entries: just before and just after a table doubles, and some more.
var tableFull, many = func() (int, int) {
	if underRace {
		return tableMin * 256 / 4 * 3, 13_000
	}
	return tableMin * 2048 / 4 * 3, 100_000
}()

// manyKeys are keys whose own bytes are not part of what is measured.
func manyKeys(n int) []Key {
	keys := make([]Key, n)
	for i := range keys {
		keys[i] = key(i)
	}
	return keys
}

// countingHeap counts the comparisons of a delayHeap.
type countingHeap struct {
	delayHeap
	compared int
}

func (h *countingHeap) Less(i, j int) bool {
	h.compared++
	return h.delayHeap.Less(i, j)
}

// A ready key is appended to a list, with no comparison. A delayed one is one
// push, fix or removal of the heap, so those are what has to be counted.
func TestQueueDelaysCostLogN(t *testing.T) {
	const log2 = 17 // of many, rounded up
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name string
		due  func(i int) time.Duration
	}{
		{"in order", func(i int) time.Duration { return time.Duration(i) }},
		{"in reverse", func(i int) time.Duration { return time.Duration(many - i) }},
		{"at random", func(int) time.Duration { return time.Duration(r.Int64N(1 << 40)) }},
		{"all at once", func(int) time.Duration { return 7 }},
	} {
		h, entries := &countingHeap{}, make([]entry, many)
		step := func(what string, limit int, f func()) {
			before := h.compared
			f()
			if n := h.compared - before; n > limit {
				t.Errorf("%s: %s took %d comparisons, want at most %d", c.name, what, n, limit)
			}
		}
		step("100,000 pushes", many*log2, func() {
			for i := range entries {
				entries[i].due = c.due(i)
				heap.Push(h, &entries[i])
			}
		})
		step("100,000 changes", many*3*log2, func() {
			for i := range entries {
				entries[i].due += time.Duration(i % 1000)
				heap.Fix(h, int(entries[i].index))
			}
		})
		step("100,000 removals", many*3*log2, func() {
			for i := range entries {
				heap.Remove(h, int(entries[i].index))
			}
		})
	}
}

func TestQueueMemory(t *testing.T) {
	if size := unsafe.Sizeof(entry{}); size != 64 {
		t.Errorf("an entry is %d bytes, the doc comment says 64", size)
	}
	for _, c := range []struct {
		name  string
		keys  int
		limit float64 // bytes for each key, as Queue's doc comment has it
		add   func(q *Queue, k Key)
	}{
		{"ready, just after the table has grown", tableFull + 1, 64 + 21.5, func(q *Queue, k Key) { q.Add(k, Flood) }},
		{"ready, just before", tableFull, 64 + 11, func(q *Queue, k Key) { q.Add(k, Flood) }},
		{"delayed", many, 64 + 21.5 + 12, func(q *Queue, k Key) { q.AddAfter(k, time.Hour) }},
	} {
		keys := manyKeys(c.keys)
		var q *Queue
		used := heapGrowth(func() any {
			q = NewQueue(DefaultBackoff, noJitter)
			for _, k := range keys {
				c.add(q, k)
			}
			return q
		})
		perKey := float64(used) / float64(c.keys)
		t.Logf("%s: %.1f bytes for each of %d keys", c.name, perKey, c.keys)
		if perKey > c.limit {
			t.Errorf("%s: %.1f bytes for each key, want at most %.1f", c.name, perKey, c.limit)
		}
		for _, k := range keys {
			q.Add(k, Live)
		}
		for range keys {
			k, _ := q.Get()
			q.Done(k, 0, false)
		}
		if slots, delays := len(q.entries.slots), cap(q.delayed); slots > tableMin || delays > tableMin {
			t.Errorf("%s: when all is done there is room for %d keys and %d delays", c.name, slots, delays)
		}
		q.Close(0)
		runtime.KeepAlive(keys)
	}
}

func TestQueueAddOfKnownKeyAllocatesNothing(t *testing.T) {
	q := NewQueue(DefaultBackoff, noJitter)
	ready, delayed, working := key(1), key(2), key(3)
	q.Add(working, Live)
	q.Get()
	q.Add(ready, Live)
	q.AddAfter(delayed, time.Hour)
	for what, f := range map[string]func(){
		"Add of a ready key":        func() { q.Add(ready, Live) },
		"Add of a key in work":      func() { q.Add(working, Live) },
		"AddAfter of a delayed key": func() { q.AddAfter(delayed, time.Hour) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", what, n)
		}
	}
	q.Close(0)
}

// Under load, with adds from all sides, no key is ever worked twice at once, and
// none is lost: after its last add each has a turn that began later.
func TestQueueUnderLoad(t *testing.T) {
	q := NewQueue(Backoff{}, noJitter)
	const keys, adders, workers, adds = 20, 4, 8, 5000
	var inWork [keys]atomic.Int32
	var added, turned [keys]atomic.Int64 // a clock of adds: at the last add, at the start of the last turn
	var clock, turns atomic.Int64
	index := map[Key]int{}
	for i := range keys {
		index[key(i)] = i
	}
	var workersDone, addersDone sync.WaitGroup
	for range workers {
		workersDone.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(turns.Add(1))))
			for {
				k, ok := q.Get()
				if !ok {
					return
				}
				i := index[k]
				turned[i].Store(clock.Add(1))
				if inWork[i].Add(1) != 1 {
					t.Errorf("%s is worked twice at once", k)
				}
				runtime.Gosched()
				inWork[i].Add(-1)
				q.Done(k, time.Duration(r.IntN(2))*time.Microsecond, r.IntN(4) == 0)
			}
		})
	}
	for a := range adders {
		addersDone.Go(func() {
			r := rand.New(rand.NewPCG(2, uint64(a)))
			for range adds {
				i := r.IntN(keys)
				added[i].Store(clock.Add(1))
				if r.IntN(5) == 0 {
					q.AddAfter(key(i), time.Microsecond)
				} else {
					q.Add(key(i), Priority(r.IntN(2)))
				}
			}
		})
	}
	addersDone.Wait()
	for i := range keys { // whatever the delays were, this one comes
		added[i].Store(clock.Add(1))
		q.Add(key(i), Live)
	}
	for deadline := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
		missing := 0
		for i := range keys {
			if turned[i].Load() < added[i].Load() {
				missing++
			}
		}
		if missing == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d keys had no turn after their last add", missing)
		}
	}
	if n := q.Close(10 * time.Second); n != 0 {
		t.Errorf("%d turns are still in work", n)
	}
	workersDone.Wait()
}
