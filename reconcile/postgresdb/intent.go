package postgresdb

import (
	"fmt"
	"strings"
	"time"

	"example.com/mote/crd/databasev1"
)

// decideIntent clears up a purchase whose outcome the status does not know. It
// never buys.
func decideIntent(v View) Decision {
	intent := v.Object.Status.Create
	if out := v.Outcome; out != nil {
		switch {
		case out.Nothing:
			return Decision{Do: ClearIntent}
		case out.ID != "":
			return record(v, out.ID)
		case len(intent.Orders) == 0:
			return Decision{Do: RecordOrders, Orders: out.Orders}
		}
	}
	if v.Found == nil {
		return Decision{Do: LookUp}
	}
	if d, ok := resolve(v); ok {
		return d
	}
	if len(intent.Orders) > 0 {
		return decideOrders(v)
	}
	every := v.Settings.Grace / time.Duration(max(v.Settings.CleanLookups, 1))
	since := intent.AmbiguousSince
	if since == nil || v.Now.Before(since.Time) { // the latter: the clock was put back
		return markAmbiguous(v)
	}
	show := outcomeUnknown(v)
	switch {
	case v.within(v.lastChange(), every):
		// Look-ups count when they are a pace apart by the last write, not by the
		// clock alone: a clock put forward does not shorten the grace to nothing.
		return Decision{Do: Rest, After: v.lastChange().Add(every).Sub(v.Now), Show: show}
	case intent.CleanLookups+1 >= v.Settings.CleanLookups && !v.Now.Before(since.Add(v.Settings.Grace)):
		return Decision{Do: ClearIntent,
			Event: &Event{Reason: "CreateHadNoEffect", Action: "Create", Note: "no instance turned up, so the purchase had no effect"}}
	}
	return Decision{Do: CountLookup, Show: show, After: every}
}

// decideOrders waits for the instance of a purchase that is paid for: it will
// come, so it is never given up.
func decideOrders(v View) Decision {
	orders := strings.Join(v.Object.Status.Create.Orders, ", ")
	switch {
	case v.Orders == nil:
		return Decision{Do: ReadOrders}
	case len(*v.Orders) == 1:
		return record(v, (*v.Orders)[0])
	case len(*v.Orders) > 1:
		return several(v, *v.Orders)
	case v.Deleting():
		return waiting(databasev1.PhaseDeleting, orderRetry, "Creating",
			"order %s was placed; the deletion waits until the cloud names its instance. deletionPolicy: Retain lets go of it", orders)
	}
	return waiting(databasev1.PhaseProvisioning, orderRetry, "Creating", "order %s was placed; waiting for the cloud to name the instance", orders)
}

// markAmbiguous begins the grace period of an intent.
func markAmbiguous(v View) Decision {
	show := outcomeUnknown(v)
	return Decision{Do: MarkAmbiguous, Show: show, After: v.Settings.Grace / time.Duration(max(v.Settings.CleanLookups, 1)),
		Event: &Event{Warning: true, Reason: "CreateOutcomeUnknown", Action: "Create", Note: show.Message}}
}

func outcomeUnknown(v View) *Show {
	then := "orders again"
	if v.Deleting() {
		then = "lets the object go"
	}
	return &Show{Phase: v.phaseOr(databasev1.PhaseProvisioning), Reason: "CreateOutcomeUnknown",
		Message: fmt.Sprintf("the answer to the purchase was lost, so Mote looks for instance %s for %s before it %s", v.Object.Status.Create.Name, v.Settings.Grace, then)}
}
