package cloud

import (
	"sync"
	"time"
)

// Lanes keep those who wait for one slow part of a cloud from holding all the
// turns that there are. Each part (a region's purchases, say) has a lane, and a
// lane may hold no more turns than it leaves free: one that hangs takes half of
// them, the next half of the rest, and so on; eight have to hang before 128 are
// gone. Like Limits it never waits: who is too many is told when to come back.
// It is safe for use by many goroutines.
type Lanes struct {
	now  func() time.Time
	room int

	mu    sync.Mutex
	held  int
	lanes map[string]*lane
}

// lane is one part of the cloud, kept while a turn is in it or was told to come back.
type lane struct {
	held int
	took time.Duration // a moving average of how long a turn stays
	last time.Time     // the latest time that was handed out
}

const (
	// firstGuess is how long a turn stays in a lane of which nothing is known.
	firstGuess = time.Second
	// latestReturn bounds the wait that is handed out. With 10,000 turned away each
	// asks a handful of times, not thousands of times; and a lane that was slow and
	// is not any more is full again within this time.
	latestReturn = 5 * time.Minute
)

// NewLanes shares out room turns, at least two; now is the clock (nil: time.Now).
func NewLanes(room int, now func() time.Time) *Lanes {
	if now == nil {
		now = time.Now
	}
	return &Lanes{now: now, room: max(room, 2), lanes: map[string]*lane{}}
}

// Enter takes a place in a lane until leave is called, once. A wait above zero
// says that there is none, and when to ask again: those who are turned away one
// after the other get times one after the other, at the lane's own pace.
func (l *Lanes) Enter(name string) (leave func(), wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	in := l.lanes[name]
	if in == nil {
		l.sweep(now)
		in = &lane{took: firstGuess}
		l.lanes[name] = in
	}
	if in.held >= l.room-l.held {
		return nil, in.next(now)
	}
	in.held++
	l.held++
	return func() { l.leave(in, now) }, 0
}

func (l *Lanes) leave(in *lane, entered time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	in.held--
	l.held--
	in.took += (max(0, l.now().Sub(entered)) - in.took) / 8
}

// next is a time that nobody else of the lane was given.
func (in *lane) next(now time.Time) time.Duration {
	apart := max(in.took/time.Duration(max(in.held, 1)), time.Millisecond)
	at := now.Add(apart)
	if after := in.last.Add(apart); after.After(at) {
		at = after
	}
	if limit := now.Add(latestReturn); at.After(limit) {
		at = limit
	}
	in.last = at
	return at.Sub(now)
}

// sweep forgets lanes that nobody is in or will come back to; regions come from
// what users write.
func (l *Lanes) sweep(now time.Time) {
	for name, in := range l.lanes {
		if in.held == 0 && !in.last.After(now) {
			delete(l.lanes, name)
		}
	}
}
