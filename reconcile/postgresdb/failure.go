package postgresdb

import (
	"fmt"
	"strings"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// Failure is what a failed call to the cloud means for an object.
type Failure struct {
	Show  *Show
	Event *Event
	After time.Duration // not before this
	Retry bool          // by backoff
}

// definite tells whether a failed purchase certainly bought nothing.
func definite(c cloud.Class) bool { return c != cloud.Ambiguous && c != "" }

// onFailure is pure: what to show of a failed call, and when to try again. A
// lasting failure writes the status once: what it says holds nothing that changes
// from one try to the next (no request id, no local port), and a message of the
// cloud's that differs in its numbers alone is the one that is shown already.
func onFailure(v View, e *cloud.Error) Failure {
	phase := v.Object.Status.Phase
	if phase == "" {
		phase = databasev1.PhasePending
	}
	phase = v.phaseOr(phase)
	what, answer := e.Action+" in "+e.Region, e.Code+": "+strings.TrimRight(e.Message, ". ")
	show := func(phase, reason, format string, a ...any) Failure {
		note := alreadySaid(v, reason, fmt.Sprintf(format, a...))
		return Failure{Show: &Show{Phase: phase, Reason: reason, Message: note},
			Event: &Event{Warning: true, Reason: reason, Action: "Reconcile", Note: note}}
	}
	var f Failure
	switch e.Class {
	case cloud.Denied:
		if phase == databasev1.PhaseFailed || phase == databasev1.PhaseRunning {
			phase = unsettled(v)
		}
		f = show(phase, "CredentialsRefused", "%s was denied: %s. Mote tries again every %s, also with new credentials", what, answer, v.Settings.SlowRetry)
		f.After = v.Settings.SlowRetry
	case cloud.Refused, cloud.SoldOut, cloud.Gone:
		reason := "CloudRefused"
		if e.Class == cloud.SoldOut {
			reason = "SoldOut"
		}
		f = show(v.phaseOr(databasev1.PhaseFailed), reason, "%s was refused: %s. Mote tries again when the spec changes, and every %s", what, answer, v.Settings.RefusedRetry)
		f.After = v.Settings.RefusedRetry
	case cloud.Busy:
		f.Show = &Show{Phase: v.phaseOr(unsettled(v)), Reason: "InstanceBusy", Message: what + " has to wait until the cloud is done with the instance"}
		f.After = busyRetry
	case cloud.Throttled:
		f.Retry, f.After = true, e.RetryAfter
	default: // NotSent, Ambiguous
		f.Retry = true
		if e.Outage != nil {
			f.Retry, f.After = false, v.Settings.RefusedRetry // the end of the outage wakes the object
		}
		if phase == databasev1.PhaseRunning {
			if v.Object.Status.ObservedGeneration == v.Object.Generation {
				break // it ran when last seen, and nothing new is asked of it
			}
			phase = databasev1.PhaseUpdating // Running would say that this generation is done
		}
		if o := e.Outage; o != nil {
			note := alreadySaid(v, "CloudUnreachable", fmt.Sprintf("the cloud does not answer in %s since %s (%s). Mote asks it once a minute, and goes on by itself",
				e.Region, o.Since.UTC().Format(time.RFC3339), o.Cause))
			f.Show = &Show{Phase: phase, Reason: "CloudUnreachable", Message: note, Unreachable: note}
			break
		}
		f.Show = &Show{Phase: phase, Reason: "CloudUnreachable", Message: what + " got no usable answer (" + e.Code + "); Mote tries again, ever more slowly"}
	}
	return f
}

// unsettled is the phase of an object that is not done: Pending before there is
// an instance, Updating after.
func unsettled(v View) string {
	if v.Object.Status.InstanceID == "" {
		return databasev1.PhasePending
	}
	return databasev1.PhaseUpdating
}

// alreadySaid is the message that the status shows, if it says the same of the
// same spec and for the same reason, or else message.
func alreadySaid(v View, reason, message string) string {
	c := reconcile.GetCondition(v.Object.Status.Conditions, reconcile.ConditionReady)
	if c != nil && c.Reason == reason && c.ObservedGeneration == v.Object.Generation && sameButForNumbers(c.Message, message) {
		return c.Message
	}
	return message
}
