package myapp

import (
	"sync"
	"time"

	"example.com/mote/reconcile"
)

// fights counts how often a child was put right of late. One who edits a child
// finds the edit undone at once; with one who goes on (another controller, say) it
// is not fought over: each time it is put right later, up to half an hour.
//
// Memory: an entry for each app of which something was put right in the last
// minutes.
type fights struct {
	mu   sync.Mutex
	apps map[reconcile.Key]*[roles]corrections
}

// corrections are those of one child.
type corrections struct {
	count int
	last  time.Time
}

const (
	freely        = 5                // corrections that are made at once
	contestedWait = time.Minute      // before the next; each wait is twice the one before
	contestedMost = 30 * time.Minute // the longest
	fightSpell    = 10 * time.Minute // after so long without one, it is forgotten; or twice the wait, if that is longer
	fightSweep    = 256              // entries from which on forgotten ones are looked for
)

// wait is how long to leave a child as it is after the last correction.
func (c corrections) wait() time.Duration {
	if c.count < freely {
		return 0
	}
	return min(contestedWait<<min(c.count-freely, 16), contestedMost)
}

func (c corrections) over(now time.Time) bool {
	return now.Sub(c.last) > max(fightSpell, 2*c.wait())
}

// held are the times until which an app's children are left as they are; zero: not.
func (f *fights) held(k reconcile.Key, now time.Time) (until [roles]time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for r, c := range f.of(k) {
		if wait := c.wait(); wait > 0 && !c.over(now) {
			until[r] = c.last.Add(wait)
		}
	}
	return until
}

// of is what is remembered of an app; f.mu is held.
func (f *fights) of(k reconcile.Key) [roles]corrections {
	if all := f.apps[k]; all != nil {
		return *all
	}
	return [roles]corrections{}
}

// corrected remembers that a child was put right.
func (f *fights) corrected(k reconcile.Key, r role, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.apps == nil {
		f.apps = map[reconcile.Key]*[roles]corrections{}
	}
	if len(f.apps) >= fightSweep {
		for k, all := range f.apps {
			if all[config].over(now) && all[service].over(now) && all[deployment].over(now) {
				delete(f.apps, k)
			}
		}
	}
	all := f.of(k)
	if all[r].over(now) {
		all[r] = corrections{}
	}
	all[r] = corrections{all[r].count + 1, now}
	f.apps[k] = &all
}

// forget lets go of an app.
func (f *fights) forget(k reconcile.Key) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.apps, k)
}
