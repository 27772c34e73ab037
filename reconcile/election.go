package reconcile

import "time"

// lease is what an election needs to know of a Lease.
type lease struct {
	version     string        // changes with every write; "" when there is no Lease
	holder      string        // "" when nobody holds it
	duration    time.Duration // how long others are to wait for its holder; 0 when it does not say
	acquired    time.Time     // both by the clock of the holder: they are for people to read,
	renewed     time.Time     // and nothing is ever decided by them
	transitions int64
}

// choice is what a candidate is to do now.
type choice uint8

const (
	wait    choice = iota // somebody else may be at work
	acquire               // take the lease
	renew                 // go on holding it
	lost                  // stop working
)

// election is all that one candidate knows, and decides by. Its times are on the
// candidate's own clock, which only runs forward: how far the clocks of two
// machines are apart makes no difference.
//
// Two are never at work at once, because the holder counts from before its write
// and the others from after their read of it:
//
//   - every write names the version that it replaces, so writes are in one order,
//     and one that was long under way cannot undo a later one;
//   - who holds the lease works until two thirds of its duration after it began
//     its last write that succeeded, and no longer;
//   - anybody else takes it only after it stood unchanged for its whole duration
//     since it was first read so. That read came after the write took effect, and
//     so after it began; a third of the duration is left for work to come to rest.
//
// Clocks have to run at the same rate, and a machine that is put to sleep and
// woken may not know how long it slept: no lease can help against that.
type election struct {
	identity string
	duration time.Duration // of our own holding

	lease   lease         // as last read or written
	known   bool          // it was read or written at least once
	since   time.Duration // when it was first read as it is, taken after that read
	patient time.Duration // how long it has to stand so before it may be taken

	leading bool
	renewed time.Duration // the beginning of our last write that succeeded, while leading
}

// observed is the election after a read that was answered now.
func (e election) observed(l lease, now time.Duration) election {
	if e.known && l.version == e.lease.version {
		return e
	}
	switch {
	case l.version == "" && !e.known:
		e.patient = 0 // nobody ever led, as far as we can tell
	case l.version == "":
		// Somebody deleted the Lease. Whoever held it may not have noticed yet.
		e.patient = max(e.patient, e.duration)
	case l.holder == e.identity && e.known:
		e.patient = 0 // our own write, whose answer was lost
	case l.holder == "":
		e.patient = 0 // released
	case l.duration > 0 && l.holder != e.identity:
		e.patient = l.duration
	default: // the holder does not say; a namesake of ours from before is a stranger too
		e.patient = e.duration
	}
	e.lease, e.known, e.since = l, true, now
	return e
}

// written is the election after our own write succeeded; began is when it was
// sent off.
func (e election) written(l lease, began time.Duration) election {
	e.lease, e.known, e.since, e.patient = l, true, began, 0
	e.leading, e.renewed = true, began
	return e
}

// ended is the election after work has come to rest.
func (e election) ended() election {
	e.leading = false
	return e
}

// deadline is when work has to stop unless the lease is renewed before.
func (e election) deadline() time.Duration { return e.renewed + e.duration/3*2 }

// choose is the one decision.
func (e election) choose(now time.Duration) choice {
	switch {
	case e.leading && (now >= e.deadline() || e.lease.version != "" && e.lease.holder != e.identity):
		return lost
	case e.leading:
		return renew
	case e.known && now-e.since >= e.patient:
		return acquire
	}
	return wait
}

// bid is the lease as we would hold it; wall is our wall clock. It always
// differs from what it replaces, even if that clock stands still or is set back:
// a renewal that changes nothing would not be seen by the others.
func (e election) bid(wall time.Time) lease {
	b := lease{holder: e.identity, duration: e.duration, acquired: wall, renewed: wall}
	if e.lease.version == "" {
		return b
	}
	b.transitions = e.lease.transitions + 1
	if e.lease.holder == e.identity {
		b.acquired, b.transitions = e.lease.acquired, e.lease.transitions
		if next := e.lease.renewed.Add(time.Microsecond); b.renewed.Before(next) {
			b.renewed = next
		}
	}
	return b
}

// released is the lease as we leave it to whoever comes next.
func (e election) released(wall time.Time) lease {
	r := e.bid(wall)
	r.holder = ""
	return r
}
