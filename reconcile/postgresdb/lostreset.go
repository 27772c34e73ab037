package postgresdb

import (
	"hash/maphash"
	"sync"
	"time"

	"example.com/mote/reconcile"
)

// lostResets remember the passwords of calls whose answers were lost: such a call may
// still be on its way, and take effect after a later one with another password. That one
// is made again, then, when nothing can come any more, and noted in the Secret only after
// that. A restart forgets them.
//
// Memory: an entry for each object with a lost answer; of passwords their hashes alone.
type lostResets struct {
	mu   sync.Mutex
	seed maphash.Seed
	lost map[reconcile.Key]lostReset
}

// resetLate is how long after its answer was given up a call may take effect.
const resetLate = 3 * time.Minute

type lostReset struct {
	password uint64
	mixed    bool // calls with several passwords were lost
	until    time.Time
}

// lose takes down a call whose answer was lost, and which may take effect until then.
func (l *lostResets) lose(k reconcile.Key, password string, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost == nil {
		l.seed, l.lost = maphash.MakeSeed(), map[reconcile.Key]lostReset{}
	}
	old, there := l.lost[k]
	sum := maphash.String(l.seed, password)
	l.lost[k] = lostReset{sum, there && (old.mixed || old.password != sum), until}
}

// wait is how long a call with another password than this may still take effect; 0: none
// may.
func (l *lostResets) wait(k reconcile.Key, password string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	o, there := l.lost[k]
	switch {
	case !there:
		return 0
	case !now.Before(o.until):
		delete(l.lost, k)
		return 0
	case !o.mixed && o.password == maphash.String(l.seed, password):
		return 0
	}
	return o.until.Sub(now)
}

// forget lets go of an object.
func (l *lostResets) forget(k reconcile.Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.lost, k)
}
