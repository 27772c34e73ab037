package cloud

import (
	"sync"
	"time"
)

// Lanes keep those who wait for one slow part of a cloud from holding all the
// turns that there are. Each part (a region's purchases, say) has a lane, and a
// lane may hold no more turns than it leaves free: one that hangs takes half of
// them, the next half of the rest, and so on; eight have to hang before 128 are
// gone. It never waits: who is too many is told so, and called when it is his turn,
// in the order of asking. It is safe for use by many goroutines.
type Lanes[K comparable] struct {
	now  func() time.Time
	room int

	mu    sync.Mutex
	call  func(K)
	held  int
	due   int // of those who were called, in all lanes
	lanes map[string]*lane[K]
}

// lane is one part of the cloud, kept while a turn is in it, waits for it or was
// called.
type lane[K comparable] struct {
	held    int
	waiting map[K]struct{}
	order   []K             // of those who wait; some may have left
	called  map[K]time.Time // when; each is expected to take the place that is kept for it
}

const (
	// expected is how long a place is kept for one who was called; who takes longer
	// may find that another was called in his place.
	expected = 5 * time.Second
	// notCalled is when who is too many asks again, if he is not called before: when
	// nobody calls, or when a call was lost.
	notCalled = 5 * time.Minute
)

// NewLanes shares out room turns, at least two; now is the clock (nil: time.Now).
func NewLanes[K comparable](room int, now func() time.Time) *Lanes[K] {
	if now == nil {
		now = time.Now
	}
	return &Lanes[K]{now: now, room: max(room, 2), lanes: map[string]*lane[K]{}}
}

// Call says how those who wait are called from now on; it must not block. nil: not
// at all.
func (l *Lanes[K]) Call(call func(K)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.call = call
}

// Enter takes a place in a lane until leave is called, once. A wait above zero says
// that there is none: the key is called when there is, or asks again after the wait.
func (l *Lanes[K]) Enter(name string, k K) (leave func(), wait time.Duration) {
	l.mu.Lock()
	in := l.lanes[name]
	if in == nil {
		in = &lane[K]{waiting: map[K]struct{}{}, called: map[K]time.Time{}}
		l.lanes[name] = in
	}
	_, called := in.called[k]
	for _, other := range l.lanes {
		l.forget(other, k)
		if other != in {
			delete(other.waiting, k) // it has other wishes by now
		}
	}
	if full := in.held >= l.room-l.held; full || !called && !l.spare(in) {
		switch _, waits := in.waiting[k]; {
		case waits:
		case called: // the place went to another lane
			in.order = append([]K{k}, in.order...)
		default:
			in.order = append(in.order, k)
		}
		in.waiting[k] = struct{}{}
		l.callNext()
		return nil, notCalled
	}
	delete(in.waiting, k)
	in.held++
	l.held++
	l.mu.Unlock()
	return func() { l.leave(in) }, 0
}

// Pass says that a key needs no place in this turn, be it that it was called.
func (l *Lanes[K]) Pass(k K) {
	l.mu.Lock()
	due := l.due
	for _, in := range l.lanes {
		l.forget(in, k)
	}
	if l.due == due {
		l.mu.Unlock()
		return
	}
	l.callNext()
}

// Drop lets go of a key that will not ask again.
func (l *Lanes[K]) Drop(k K) {
	l.mu.Lock()
	for _, in := range l.lanes {
		delete(in.waiting, k)
		l.forget(in, k)
	}
	l.callNext()
}

func (l *Lanes[K]) leave(in *lane[K]) {
	l.mu.Lock()
	in.held--
	l.held--
	l.callNext()
}

// forget ends the expectation of one who was called.
func (l *Lanes[K]) forget(in *lane[K], k K) {
	if _, ok := in.called[k]; ok {
		delete(in.called, k)
		l.due--
	}
}

// spare tells whether a lane has a place that is kept for nobody and that nobody
// waits for.
func (l *Lanes[K]) spare(in *lane[K]) bool {
	return len(in.waiting) == 0 && in.held+len(in.called) < l.room-l.held-l.due
}

// callNext calls those for whom there are places now, and unlocks.
func (l *Lanes[K]) callNext() {
	call := l.call
	var next []K
	now := l.now()
	for name, in := range l.lanes {
		for k, at := range in.called {
			if age := now.Sub(at); age < 0 || age >= expected {
				l.forget(in, k)
			}
		}
		if in.held == 0 && len(in.waiting) == 0 && len(in.called) == 0 {
			delete(l.lanes, name) // regions come from what users write
		}
	}
	for _, in := range l.lanes {
		for call != nil && len(in.waiting) > 0 && in.held+len(in.called) < l.room-l.held-l.due {
			k, ok := in.pop()
			if !ok {
				break
			}
			in.called[k] = now
			l.due++
			next = append(next, k)
		}
	}
	l.mu.Unlock()
	for _, k := range next {
		call(k)
	}
}

// pop takes the first of those who wait.
func (in *lane[K]) pop() (K, bool) {
	for len(in.order) > 0 {
		k := in.order[0]
		in.order = in.order[1:]
		if _, ok := in.waiting[k]; ok {
			delete(in.waiting, k)
			return k, true
		}
	}
	in.order = nil
	var none K
	return none, false
}
