package postgresdb

import (
	"time"

	"example.com/mote/reconcile"
)

// goesOut tells whether a decision asks the cloud, and so may have to wait for it.
func goesOut(do Action) bool {
	switch do {
	case ReadSecret, AddFinalizer, DropFinalizer, CreateSecret, WriteSecret,
		RecordID, RecordOrders, MarkAmbiguous, CountLookup, ClearIntent, Rest:
		return false
	}
	return true
}

// laneOf names the lane in which an object's turn waits for the cloud: its region's
// purchases, what was bought and is of use to nobody yet, or all else there. So ten
// thousand new databases hold up none that is in use, and a region that hangs holds up
// no other.
func laneOf(v View) string {
	switch {
	case v.Object.Status.InstanceID == "" && v.Object.Spec.InstanceID == "":
		return v.Region() + " purchases"
	case !inUse(v.Object.Status.Phase):
		return v.Region() + " coming up"
	}
	return v.Region()
}

// passage is a turn's place in a lane.
type passage struct {
	leave func() // nil: it is in none
	asked bool   // it was in one, or there was no place
}

// enter takes a place before the first decision of the turn that goes out; a wait
// above zero says that there is none. A turn that has to come back for that has
// done nothing that is not found again.
func (p *passage) enter(r *Reconciler, k reconcile.Key, v *View, do Action) (wait time.Duration) {
	if r.lanes == nil || p.leave != nil || !goesOut(do) {
		return 0
	}
	p.leave, wait = r.lanes.Enter(laneOf(*v), k)
	p.asked = true
	return wait
}

// end gives the place back, if there is one; it may be called again.
func (p *passage) end(r *Reconciler, k reconcile.Key) {
	switch {
	case p == nil:
	case p.leave != nil:
		p.leave()
		p.leave = nil
	case r.lanes != nil && !p.asked:
		r.lanes.Pass(k)
	}
}
