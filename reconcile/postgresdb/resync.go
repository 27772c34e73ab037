package postgresdb

import (
	"context"
	"time"

	"example.com/mote/reconcile"
)

// The sweep sees of an instance what lists show. What they do not show, its security
// groups and the connection Secret, is looked at when the object has a turn; so every
// object at rest has one now and then, spread evenly over the resync interval.

const (
	// resyncStep is the least time between two wakings, unless the interval itself is
	// shorter, so that a Mote at rest asks next to nothing however many objects there
	// are; a round takes longer than the interval then.
	resyncStep = time.Minute
	// resyncLook is how often the objects are counted.
	resyncLook = time.Minute
)

// resync wakes the objects at rest one after the other, each about once in an
// interval, until ctx ends. A restart begins anew, so that one may wait for two.
func (p *paces) resync(ctx context.Context, every time.Duration, wake func(reconcile.Key)) {
	place, last := 0, time.Now()
	n, counted := p.atRest(), last
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if time.Since(counted) >= resyncLook {
			n, counted = p.atRest(), time.Now()
		}
		gap := resyncPace(every, n)
		wait := min(time.Until(last.Add(gap)), resyncLook)
		timer.Reset(max(wait, 0))
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if time.Since(last) < gap {
			continue
		}
		last = time.Now()
		var keys []reconcile.Key
		keys, _, place = p.index.Memos(place, 1, func(reconcile.Memo) bool { return true })
		for _, k := range keys {
			wake(k)
		}
	}
}

// resyncPace is the time between two wakings of n objects.
func resyncPace(every time.Duration, n int) time.Duration {
	return max(every/time.Duration(max(n, 1)), min(resyncStep, every))
}

// atRest is how many objects have a memo.
func (p *paces) atRest() (n int) {
	p.index.EachMemo(func(reconcile.Memo) { n++ })
	return n
}
