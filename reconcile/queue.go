package reconcile

import (
	"container/heap"
	"math"
	"sync"
	"time"
)

// Priority orders keys that are ready.
type Priority uint8

// Live is for what has just happened; Flood for the mass of a first list, of a
// resync, or of new objects made all at once.
const (
	Flood Priority = iota
	Live
)

// floodShare bounds starvation: while both kinds wait, of any floodShare keys
// handed out in a row at least one is from the flood. So the n-th key of the
// flood is handed out after at most n*floodShare others.
const floodShare = 8

// Queue hands out keys for work. Its promises:
//
//   - a key is never handed out again before Done was called for it;
//   - a key added while it is in work runs once more after Done, however often
//     it was added;
//   - a key waits in one place at most: a delayed add replaces an earlier delayed
//     one, and an immediate add replaces a delayed one; a key that is ready
//     already stays where it is (only a Live add lifts it out of the flood);
//   - Live keys come before Flood keys, yet one in floodShare is from the flood;
//     within each they come in the order of their adds; a key that was delayed
//     comes back with the priority that it had;
//   - an add costs O(1), a delayed one O(log n).
//
// Memory: one entry (64 bytes) and its share of the table (10 to 20 bytes) for
// each key that is ready, delayed or in work, 8 to 12 more for a delayed one, and
// nothing for any other: room that a flood took is given back.
type Queue struct {
	mu      sync.Mutex
	wait    *sync.Cond
	start   time.Time // the zero of the queue's clock
	entries *table[entry]
	ready   [2]readyList // by Priority
	delayed delayHeap
	timer   *time.Timer
	streak  int // Live keys handed out in a row while the flood waited
	working int
	closed  bool
	backoff Backoff
	random  func() float64
	handed  time.Duration // when a key was last handed out
	meter   queueMeter
}

// place says where an entry is; it is in exactly one of them.
type place uint8

const (
	inWork place = iota
	inReady
	inDelay
)

type entry struct {
	key        Key
	prev, next *entry        // while inReady
	due        time.Duration // on the queue's clock while inDelay; while inReady, since when it is; while inWork, a delay asked for meanwhile (0: none)
	index      int32         // in the heap, while inDelay
	failures   uint8         // in a row; it stays at 255
	place      place
	priority   Priority // of its turn, or of the next one while again is set
	again      bool     // while inWork: run once more after Done
}

// NewQueue makes an empty queue; random is a source in [0, 1) for jitter.
func NewQueue(b Backoff, random func() float64) *Queue {
	q := &Queue{backoff: b, random: random, entries: newTable(func(e *entry) Key { return e.key })}
	q.start = time.Now().Add(-1) // so that no time on its clock is 0
	q.wait = sync.NewCond(&q.mu)
	return q
}

// Add makes a key ready now. It does nothing on a closed queue.
func (q *Queue) Add(k Key, p Priority) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	e := q.entries.get(k)
	switch {
	case e == nil:
		e = &entry{key: k}
		q.entries.put(e)
		q.push(e, p)
	case e.place == inWork:
		if !e.again || p > e.priority {
			e.priority = p
		}
		e.again = true
	case e.place == inDelay:
		heap.Remove(&q.delayed, int(e.index))
		q.push(e, p)
	case p > e.priority:
		q.ready[e.priority].remove(e)
		q.push(e, p)
	}
}

// Has tells whether a key is ready, delayed or in work.
func (q *Queue) Has(k Key) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.entries.get(k) != nil
}

// AddAfter makes a key ready after d. It replaces an earlier delay; it changes
// nothing for a key that is ready; for one in work it takes effect at Done,
// unless Done brings an earlier time. It does nothing on a closed queue.
func (q *Queue) AddAfter(k Key, d time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	due := q.in(d)
	e := q.entries.get(k)
	switch {
	case e == nil:
		e = &entry{key: k, priority: Live}
		q.entries.put(e)
		q.postpone(e, due)
	case e.place == inWork:
		e.due = due
	case e.place == inDelay:
		e.due = due
		heap.Fix(&q.delayed, int(e.index))
		q.arm()
	}
}

// Get waits for the next key and hands it out; false when the queue is closed.
func (q *Queue) Get() (Key, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if q.closed {
			return Key{}, false
		}
		if e := q.pop(); e != nil {
			q.handed = time.Since(q.start)
			q.meter.waited.Observe(q.handed - e.due)
			e.place, e.due, e.again = inWork, 0, false
			q.working++
			return e.key, true
		}
		q.wait.Wait()
	}
}

// Done ends the turn of a key. After a failure it comes back by backoff, not
// before after; otherwise its failures are forgotten, and it comes back after
// the given time (zero: not by itself). For a key that is not in work it does
// nothing.
func (q *Queue) Done(k Key, after time.Duration, failed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.entries.get(k)
	if e == nil || e.place != inWork {
		return
	}
	q.working--
	if q.closed {
		q.entries.drop(k)
		q.wait.Broadcast()
		return
	}
	if failed {
		q.meter.retries.Inc()
		e.failures = min(e.failures, math.MaxUint8-1) + 1
		after = max(after, q.backoff.Delay(int(e.failures), q.random()))
	} else {
		e.failures = 0
	}
	due := e.due // asked for during the turn
	if after > 0 || failed {
		if t := q.in(after); due == 0 || t < due {
			due = t
		}
	}
	switch {
	case e.again:
		q.push(e, e.priority)
	case due != 0:
		q.postpone(e, due)
	default:
		q.entries.drop(k)
	}
}

// Close stops handing out keys and waits for those in work, at most for the
// given time; it returns how many were still in work then. It may be called
// again, to wait once more.
func (q *Queue) Close(grace time.Duration) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if q.timer != nil {
		q.timer.Stop()
	}
	q.wait.Broadcast()
	late := false
	t := time.AfterFunc(grace, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		late = true
		q.wait.Broadcast()
	})
	defer t.Stop()
	for q.working > 0 && !late {
		q.wait.Wait()
	}
	return q.working
}

// Depth is how many keys are ready, delayed and in work.
func (q *Queue) Depth() (ready, delayed, working int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ready[Live].n + q.ready[Flood].n, len(q.delayed), q.working
}

func (q *Queue) push(e *entry, p Priority) {
	if e.place != inReady {
		e.due = time.Since(q.start)
		q.meter.adds.Inc()
	}
	e.place, e.priority = inReady, p
	q.ready[p].append(e)
	q.wait.Signal()
}

func (q *Queue) pop() *entry {
	p := Live
	switch {
	case q.ready[Flood].n == 0:
		q.streak = 0
	case q.ready[Live].n == 0 || q.streak >= floodShare-1:
		p, q.streak = Flood, 0
	default:
		q.streak++
	}
	e := q.ready[p].head
	if e != nil {
		q.ready[p].remove(e)
	}
	return e
}

// in is the time on the queue's clock after d; never zero, which means none.
func (q *Queue) in(d time.Duration) time.Duration {
	const farthest = 100 * 365 * 24 * time.Hour // no sum of it and an uptime overflows
	return time.Since(q.start) + min(max(d, 0), farthest)
}

func (q *Queue) postpone(e *entry, due time.Duration) {
	e.place, e.due = inDelay, due
	heap.Push(&q.delayed, e)
	q.arm()
}

// arm sets the one timer to the earliest delay. A timer left over from a delay
// that was taken back does no harm: ripen finds nothing due and arms it anew.
func (q *Queue) arm() {
	if len(q.delayed) == 0 {
		return
	}
	d := q.delayed[0].due - time.Since(q.start)
	if q.timer == nil {
		q.timer = time.AfterFunc(d, q.ripen)
	} else {
		q.timer.Reset(d)
	}
}

// ripen makes ready what is due.
func (q *Queue) ripen() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	for now := time.Since(q.start); len(q.delayed) > 0 && q.delayed[0].due <= now; {
		e := heap.Pop(&q.delayed).(*entry)
		q.push(e, e.priority)
	}
	q.arm()
}
