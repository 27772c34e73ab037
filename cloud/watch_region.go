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

// watchRegion is what a Watch knows of one region, guarded by the Watch's
// mutex. Every tracked instance is in the ring, and in index.
type watchRegion[K comparable] struct {
	name      string
	interval  time.Duration
	index     map[string]int32 // slots in the ring
	ring      ring[K]
	snapshots map[string]snapshot
	stirred   chan struct{} // something may be due earlier, or nothing is left

	failures int       // in a row
	failing  time.Time // when the first of them was asked for
	err      error     // the latest
	notUntil time.Time // no call before
}

func newWatchRegion[K comparable](name string, o WatchOptions) *watchRegion[K] {
	return &watchRegion[K]{
		name: name, interval: o.Interval,
		index:     map[string]int32{},
		ring:      ring[K]{period: o.Interval, page: MaxPage, retell: o.Sweep},
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

// track is Watch.Track; sooner says that a page may be due earlier than before.
func (r *watchRegion[K]) track(t tracked[K], now time.Time) (sooner bool) {
	if s, held := r.snapshots[t.id]; held && !(s.found && s.instance.Fingerprint() == t.seen) {
		delete(r.snapshots, t.id)
	}
	if slot, known := r.index[t.id]; known {
		t.absent = r.ring.slots[slot].absent
		r.ring.slots[slot] = t
		return false
	}
	r.index[t.id] = int32(len(r.ring.slots))
	return r.ring.add(t, now)
}

func (r *watchRegion[K]) forget(id string) {
	if slot, known := r.index[id]; known {
		r.ring.remove(int(slot), func(id string, to int) { r.index[id] = int32(to) })
		delete(r.index, id)
		delete(r.snapshots, id)
	}
}

// due is when the next page is; ok false: nothing is tracked.
func (r *watchRegion[K]) due() (when time.Time, ok bool) {
	if len(r.ring.slots) == 0 {
		return time.Time{}, false
	}
	when = r.ring.due()
	if r.notUntil.After(when) {
		when = r.notUntil
	}
	return when, true
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
		slot, known := r.index[id]
		if !known {
			continue
		}
		t := &r.ring.slots[slot]
		if !t.asked {
			continue
		}
		t.asked = false
		var wake bool
		if i := found[id]; i != nil {
			wake = r.present(t, *i, at)
		} else {
			wake = r.missing(t, r.ring.retelling, at)
		}
		if wake {
			wakes = append(wakes, t.key)
		}
	}
	return wakes
}

func (r *watchRegion[K]) present(t *tracked[K], i Instance, at time.Time) (wake bool) {
	t.absent = false
	now := i.Fingerprint()
	wake, t.seen = now != t.seen, now
	r.hold(t.id, snapshot{i, true, at})
	return wake
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
