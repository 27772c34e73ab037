package reconcile

import (
	"container/heap"
	"sync"
	"time"
)

// Priority orders keys that are ready.
type Priority uint8

// Live is for what has just happened or is due; Flood for the mass of a first
// list or a resync.
const (
	Flood Priority = iota
	Live
)

// floodShare bounds starvation: while both kinds wait, at least one key in
// floodShare handed out is from the flood.
const floodShare = 8

// Queue hands out keys for work. Its promises:
//
//   - a key is never handed out again before Done was called for it;
//   - a key added while it is in work runs once more after Done, however often
//     it was added;
//   - a key waits in one place at most: a delayed add replaces an earlier delayed
//     one, and an immediate add replaces a delayed one; a key that is ready
//     already stays where it is (only a Live add lifts it out of the flood);
//   - Live keys come before Flood keys, yet one in floodShare is from the flood.
//
// Memory: one entry (112 bytes and the map's share) for each key that is ready,
// delayed, or in work, and nothing for any other.
type Queue struct {
	mu      sync.Mutex
	wait    *sync.Cond
	entries map[Key]*entry
	ready   [2]list // by Priority
	delayed delayHeap
	timer   *time.Timer
	streak  int // Live keys handed out in a row while the flood waited
	working int
	closed  bool
	backoff Backoff
	random  func() float64
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
	prev, next *entry    // while inReady
	due        time.Time // while inDelay; while inWork, a delay asked for meanwhile (zero: none)
	index      int       // in the heap, while inDelay
	failures   int
	place      place
	priority   Priority // while inReady, and of the next turn while again is set
	again      bool     // while inWork: run once more after Done
}

// NewQueue makes an empty queue; random is a source in [0, 1) for jitter.
func NewQueue(b Backoff, random func() float64) *Queue {
	q := &Queue{entries: map[Key]*entry{}, backoff: b, random: random}
	q.wait = sync.NewCond(&q.mu)
	return q
}

// Add makes a key ready now.
func (q *Queue) Add(k Key, p Priority) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	e := q.entries[k]
	switch {
	case e == nil:
		e = &entry{key: k}
		q.entries[k] = e
		q.push(e, p)
	case e.place == inWork:
		if !e.again || p > e.priority {
			e.priority = p
		}
		e.again = true
	case e.place == inDelay:
		heap.Remove(&q.delayed, e.index)
		q.push(e, p)
	case p > e.priority:
		q.ready[e.priority].remove(e)
		q.push(e, p)
	}
}

// AddAfter makes a key ready after d. It replaces an earlier delay; it changes
// nothing for a key that is ready; for one in work it takes effect at Done,
// unless Done brings an earlier time.
func (q *Queue) AddAfter(k Key, d time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	due := time.Now().Add(d)
	e := q.entries[k]
	switch {
	case e == nil:
		e = &entry{key: k}
		q.entries[k] = e
		q.postpone(e, due)
	case e.place == inWork:
		e.due = due
	case e.place == inDelay:
		e.due = due
		heap.Fix(&q.delayed, e.index)
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
			e.place, e.due, e.again = inWork, time.Time{}, false
			q.working++
			return e.key, true
		}
		q.wait.Wait()
	}
}

// Done ends the turn of a key. After a failure it comes back by backoff;
// otherwise its failures are forgotten, and it comes back after the given time
// (zero: not by itself).
func (q *Queue) Done(k Key, after time.Duration, failed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.entries[k]
	if e == nil || e.place != inWork {
		return
	}
	q.working--
	if failed {
		e.failures++
		after = max(after, q.backoff.Delay(e.failures, q.random()))
	} else {
		e.failures = 0
	}
	if q.closed {
		delete(q.entries, k)
		q.wait.Broadcast()
		return
	}
	due := e.due // asked for during the turn
	if after > 0 {
		if t := time.Now().Add(after); due.IsZero() || t.Before(due) {
			due = t
		}
	}
	switch {
	case e.again:
		q.push(e, e.priority)
	case !due.IsZero():
		q.postpone(e, due)
	default:
		delete(q.entries, k)
	}
}

// Close stops handing out keys and waits for those in work, at most for the
// given time; it returns how many were still in work then.
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

func (q *Queue) postpone(e *entry, due time.Time) {
	e.place, e.due = inDelay, due
	heap.Push(&q.delayed, e)
	q.arm()
}

// arm sets the one timer to the earliest delay.
func (q *Queue) arm() {
	if len(q.delayed) == 0 {
		return
	}
	d := time.Until(q.delayed[0].due)
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
	for now := time.Now(); len(q.delayed) > 0 && !q.delayed[0].due.After(now); {
		q.push(heap.Pop(&q.delayed).(*entry), Live)
	}
	q.arm()
}

// list is a FIFO that an entry can leave from the middle.
type list struct {
	head, tail *entry
	n          int
}

func (l *list) append(e *entry) {
	e.prev, e.next = l.tail, nil
	if l.tail == nil {
		l.head = e
	} else {
		l.tail.next = e
	}
	l.tail = e
	l.n++
}

func (l *list) remove(e *entry) {
	if e.prev == nil {
		l.head = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		l.tail = e.prev
	} else {
		e.next.prev = e.prev
	}
	e.prev, e.next = nil, nil
	l.n--
}

// delayHeap orders entries by due time, for container/heap.
type delayHeap []*entry

func (h delayHeap) Len() int           { return len(h) }
func (h delayHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h delayHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *delayHeap) Push(x any) {
	e := x.(*entry)
	e.index = len(*h)
	*h = append(*h, e)
}
func (h *delayHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return e
}
