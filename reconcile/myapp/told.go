package myapp

import (
	"fmt"
	"strings"
	"time"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
)

// What messages of the Ready condition say and a forecast reads again: it cannot see
// what the running Mote remembers.
const (
	onceMore   = "puts it right once more at " // and a time of day, UTC
	notApplied = " could not be applied: "     // after the child, before the API server's words
)

// heldAsTold are the times until which children are left as others made them, as the
// status tells.
func heldAsTold(app *examplev1.MyApp, now time.Time) (held [roles]time.Time) {
	ready := reconcile.GetCondition(app.Status.Conditions, reconcile.ConditionReady)
	if ready == nil || ready.Reason != reasonContested || ready.ObservedGeneration != app.Generation {
		return held
	}
	for r := range roles {
		_, text, _ := strings.Cut(ready.Message, fmt.Sprintf("%s %q", kinds[r], childName(app, r)))
		_, text, _ = strings.Cut(text, onceMore)
		clock, err := time.Parse(time.TimeOnly, text[:min(len(text), len(time.TimeOnly))])
		if err != nil {
			continue
		}
		y, m, d := now.UTC().Date()
		at := time.Date(y, m, d, clock.Hour(), clock.Minute(), clock.Second(), 0, time.UTC)
		switch { // it is hours away at most, so the day is the one that is nearest
		case now.Sub(at) > 12*time.Hour:
			at = at.AddDate(0, 0, 1)
		case at.Sub(now) > 12*time.Hour:
			at = at.AddDate(0, 0, -1)
		}
		held[r] = at
	}
	return held
}

// refusedAsTold is why the API server did not do the write of a child that this very
// generation asks for, as the status tells; nil: it tells of none.
func refusedAsTold(app *examplev1.MyApp, r role) *refusal {
	ready := reconcile.GetCondition(app.Status.Conditions, reconcile.ConditionReady)
	if ready == nil || ready.ObservedGeneration != app.Generation {
		return nil
	}
	f := refusal{reason: ready.Reason}
	switch ready.Reason {
	case reasonRefused:
		f.again = refusedWait
	case reasonForbidden:
		f.again = outsideWait
	default:
		return nil
	}
	named := func(r role) string { return fmt.Sprintf("%s %q", kinds[r], childName(app, r)) }
	var there bool
	if _, f.message, there = strings.Cut(ready.Message, named(r)+notApplied); !there {
		return nil
	}
	for other := range roles { // what is told of it comes after this
		f.message, _, _ = strings.Cut(f.message, "; "+named(other))
	}
	return &f
}

// tried says when what was refused is tried once more.
func (f *refusal) tried() string {
	return fmt.Sprintf("the API server refused just this before; it is tried again every %s, and when the spec changes", f.again)
}
