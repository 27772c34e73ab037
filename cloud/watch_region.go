package cloud

import "time"

// maxSnapshots bounds the instances held whole in a region, at about 1 kB each:
// a change of all instances at once, or a start that knows no fingerprint, must
// not turn the watch into a cache of everything.
const maxSnapshots = 2048

// longestProbe is how long a failing region is left alone at most.
const longestProbe = time.Minute

// badAfter is how many failures in a row make a region bad.
const badAfter = 2

// snapshot is an observation that waits to be acted upon.
type snapshot struct {
	instance Instance
	found    bool
	at       time.Time // when the list was asked for
}

// place is where an instance is: its ring and its slot there.
type place struct {
	urgent bool
	slot   int32
}

// watchRegion is what a Watch knows of one region, guarded by the Watch's
// mutex. Every tracked instance is in exactly one ring, and in index.
type watchRegion[K comparable] struct {
	name           string
	interval       time.Duration
	index          map[string]place
	urgent, steady ring[K]
	snapshots      map[string]snapshot
	stirred        chan struct{} // something may be due earlier, or nothing is left

	failures int       // in a row
	failing  time.Time // when the first of them was asked for
	err      error     // the latest
	notUntil time.Time // no call before
}

func newWatchRegion[K comparable](name string, o WatchOptions) *watchRegion[K] {
	return &watchRegion[K]{
		name: name, interval: o.Interval,
		index:     map[string]place{},
		urgent:    ring[K]{period: o.Interval, page: MaxPage, retell: o.Sweep},
		steady:    ring[K]{period: o.Sweep, page: MaxPage, retell: o.Sweep},
		snapshots: map[string]snapshot{},
		stirred:   make(chan struct{}, 1),
	}
}

func (r *watchRegion[K]) stir() {
	select {
	case r.stirred <- struct{}{}:
	default: // it has not looked since the last one
	}
}

func (r *watchRegion[K]) ring(urgent bool) *ring[K] {
	if urgent {
		return &r.urgent
	}
	return &r.steady
}

// track is Watch.Track; sooner says that a page may be due earlier than before.
func (r *watchRegion[K]) track(t tracked[K], urgent bool, now time.Time) (sooner bool) {
	if s, held := r.snapshots[t.id]; held && !(urgent && s.found && s.instance.Fingerprint() == t.seen) {
		delete(r.snapshots, t.id)
	}
	p, known := r.index[t.id]
	if known {
		t.absent = r.ring(p.urgent).slots[p.slot].absent
		if p.urgent == urgent {
			r.ring(urgent).slots[p.slot] = t
			return false
		}
		r.drop(p)
	}
	to := r.ring(urgent)
	r.index[t.id] = place{urgent, int32(len(to.slots))}
	return to.add(t, now)
}

func (r *watchRegion[K]) forget(id string) {
	if p, known := r.index[id]; known {
		r.drop(p)
		delete(r.index, id)
		delete(r.snapshots, id)
	}
}

func (r *watchRegion[K]) drop(p place) {
	r.ring(p.urgent).remove(int(p.slot), func(id string, to int) {
		r.index[id] = place{p.urgent, int32(to)}
	})
}

// next is the ring whose page is due first, and when. Of two that are both
// late, the one that has been late for longer goes first, so neither starves.
// nil: nothing is tracked.
func (r *watchRegion[K]) next() (*ring[K], time.Time) {
	var first *ring[K]
	var when time.Time
	for _, c := range []*ring[K]{&r.urgent, &r.steady} {
		if len(c.slots) == 0 {
			continue
		}
		if due := c.due(); first == nil || due.Before(when) {
			first, when = c, due
		}
	}
	if r.notUntil.After(when) {
		when = r.notUntil
	}
	return first, when
}

// observe compares a list with what is tracked and returns the keys to wake.
// Instances forgotten or tracked anew since the list was asked for are left to
// the next one.
func (r *watchRegion[K]) observe(asked []string, got []Instance, at time.Time) (wakes []K) {
	found := make(map[string]*Instance, len(got))
	for i := range got {
		found[got[i].ID] = &got[i]
	}
	for _, id := range asked {
		p, known := r.index[id]
		if !known {
			continue
		}
		in := r.ring(p.urgent)
		t := &in.slots[p.slot]
		if !t.asked {
			continue
		}
		t.asked = false
		var wake bool
		if i := found[id]; i != nil {
			wake = r.present(t, *i, p.urgent, at)
		} else {
			wake = r.missing(t, in.retelling, at)
		}
		if wake {
			wakes = append(wakes, t.key)
		}
	}
	return wakes
}

func (r *watchRegion[K]) present(t *tracked[K], i Instance, urgent bool, at time.Time) (wake bool) {
	t.absent = false
	now := i.Fingerprint()
	if now != t.seen {
		t.seen = now
		r.hold(t.id, snapshot{i, true, at})
		return true
	}
	// What is held waits to be acted upon only when it is the same.
	s, held := r.snapshots[t.id]
	if urgent || held && s.found && s.instance.Fingerprint() == now {
		r.hold(t.id, snapshot{i, true, at})
	} else if held {
		delete(r.snapshots, t.id)
	}
	return false
}

func (r *watchRegion[K]) missing(t *tracked[K], retelling bool, at time.Time) (wake bool) {
	if t.seen == Absent || t.absent && !retelling {
		return false
	}
	t.absent = true
	r.hold(t.id, snapshot{at: at})
	return true
}

func (r *watchRegion[K]) hold(id string, s snapshot) {
	if _, held := r.snapshots[id]; held || len(r.snapshots) < maxSnapshots {
		r.snapshots[id] = s
	}
}

func (r *watchRegion[K]) bad() bool { return r.failures >= badAfter }

// failed notes a call that brought no answer and says whether the region
// turned bad with it.
func (r *watchRegion[K]) failed(err error, asked, now time.Time) (turned bool) {
	was := r.bad()
	if r.failures == 0 {
		r.failing = asked
	}
	r.failures++
	r.err = err
	pause := max(r.interval, longestProbe)
	if shift := r.failures - 1; shift < 16 && r.interval<<shift < pause {
		pause = r.interval << shift
	}
	r.notUntil = now.Add(pause)
	return !was && r.bad()
}

// answered notes an answer and says since when the region was bad, if it was.
func (r *watchRegion[K]) answered() (since time.Time, healed bool) {
	since, healed = r.failing, r.bad()
	r.failures, r.failing, r.err = 0, time.Time{}, nil
	return since, healed
}
