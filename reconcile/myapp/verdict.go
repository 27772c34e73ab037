package myapp

import (
	"slices"
	"strings"
	"time"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// settleLimit is how long a Deployment that says of itself that it is rolled out
// may lack replicas after a scaling before that counts as degraded. A rollout has
// the Deployment's own deadline, which is as long.
const settleLimit = 10 * time.Minute

// finding sums an app up.
type finding struct {
	phase, reason, message string
	// note is what an Event says of it; "": the message. It has no counts, so that
	// the same again is the same Event.
	note  string
	again time.Duration
	// ready means that the app is as its spec says, and its pods are available.
	ready bool
}

// verdict is the status of an app for which nothing is left to write in a turn.
func verdict(app *examplev1.MyApp, v view, obstacles []obstacle, now time.Time) decision {
	prior := reconcile.GetCondition(app.Status.Conditions, reconcile.ConditionReady)
	status := app.Status
	r := rollout{fresh: true} // somebody else's Deployment tells nothing about this app
	live := v.kids[deployment].live
	whose := belongs(app, live)
	mine := whose == ours || whose == leaving || adoptable(app, live, now)
	status.Selector = ""
	if mine {
		r = readRollout(live)
		status.Selector = selectorOf(app)
	}
	if r.believed || r.fresh {
		status.Replicas, status.ReadyReplicas, status.AvailableReplicas = r.replicas, r.ready, r.available
	}
	var f finding
	if len(obstacles) > 0 {
		if obstacles[len(obstacles)-1].passing && readyFor(app, prior) {
			return decision{status: app.Status} // the server's trouble says nothing about a running app
		}
		f = hindered(app, obstacles, mine)
		if f.reason == reasonContested || f.reason == reasonMissing && whose == ours {
			f.phase, f.note, f.message = asItIs(app, r, live, prior, now), f.message, f.message+" ("+r.tally(wantedReplicas(app, live))+")"
		}
	} else {
		f = judge(app, r, wantedReplicas(app, live), prior, now)
		if f.phase != examplev1.PhaseRunning && f.phase != examplev1.PhaseStopped {
			idle := notReadySince(prior, now)
			if r.believed {
				idle = now.Sub(r.progressed)
			}
			if v.cause == nil && r.believed && (idle >= podsWait || explained(app, prior)) {
				return decision{inspect: true}
			}
			f = f.because(v.cause)
			f.again = min(max(idle, podsWait), unsteady)
		}
		// Only now are all children as this generation wants them.
		status.AppliedGeneration = app.Generation
	}
	if f.again == 0 && len(referencesOf(app)) > 0 {
		f.again = watchedNot
	}
	if len(v.missing) > 0 && len(obstacles) == 0 {
		f.message += "; " + notThere(v.missing) + " any more: pods that start again will not come up"
	}
	status.ObservedGeneration = app.Generation
	status.ChildrenHash = ""
	if f.ready && f.again == 0 { // one that is looked at from time to time is so at the start too
		status.ChildrenHash = childrenHash(app, v)
	}
	status.Corrections += int64(len(v.corrected))
	ready := metav1.Condition{
		Type: reconcile.ConditionReady, Status: metav1.ConditionFalse,
		Reason: f.reason, Message: f.message, ObservedGeneration: app.Generation,
	}
	if f.ready {
		ready.Status = metav1.ConditionTrue
	}
	status.Phase = f.phase
	status.Conditions = reconcile.SetCondition(status.Conditions, ready, now)
	events := eventsOf(prior, ready, f.note, v.troubled, now)
	for _, what := range v.corrected {
		events = append(events, event{reconcile.Normal, reasonCorrected, what + "; put right"})
	}
	return decision{status: status, events: events, again: f.again}
}

// childrenHash sums up an app's children as a start sees them.
func childrenHash(app *examplev1.MyApp, v view) string {
	var all reconcile.Children
	for r := range roles {
		if live := v.kids[r].live; belongs(app, live) == ours {
			all = all.With(resources[r], childName(app, r), ownedKinds[r].Fingerprint(live))
		}
	}
	return all.Hash(v.seed)
}

// explained tells whether a cause was found for the present generation: then it is
// looked for again at every turn, so that what comes and goes does not flicker.
func explained(app *examplev1.MyApp, prior *metav1.Condition) bool {
	return prior != nil && prior.Status == metav1.ConditionFalse && prior.ObservedGeneration == app.Generation &&
		!slices.Contains(ownReasons, prior.Reason)
}

// ownReasons are those of the Ready condition that no pod gives, and obstacleReasons
// those of obstacles among them.
var (
	ownReasons      = append([]string{reasonProgressing, reasonDegraded, reasonStalled, reasonReplicaFailure}, obstacleReasons...)
	obstacleReasons = []string{reasonNameConflict, reasonNotAllowed, reasonContested, reasonMissing, reasonWaiting,
		reasonRefused, reasonForbidden, reasonApplyFailed}
)

// because is a finding with the cause that was found, if any. A pod that cannot
// even be made has a cause already.
func (f finding) because(c *cause) finding {
	if c == nil || c.reason == "" || f.reason == reasonReplicaFailure {
		return f
	}
	f.reason, f.note = c.reason, shortened(c.message)
	f.message = f.note + " (" + f.message + ")"
	return f
}

// readyFor tells whether an app was ready for its present generation.
func readyFor(app *examplev1.MyApp, prior *metav1.Condition) bool {
	return prior != nil && prior.Status == metav1.ConditionTrue && prior.ObservedGeneration == app.Generation
}

// hindered sums up an app of which some children cannot be as they should be.
func hindered(app *examplev1.MyApp, obstacles []obstacle, mine bool) finding {
	chief := obstacles[0] // the first that does not go away by itself
	for _, o := range obstacles {
		if (chief.waiting || chief.passing) && !o.waiting && !o.passing {
			chief = o
		}
	}
	f := finding{reason: chief.reason}
	var messages []string
	for _, o := range obstacles {
		messages = append(messages, o.message)
		if f.again == 0 || (o.again > 0 && o.again < f.again) {
			f.again = o.again
		}
	}
	f.message = strings.Join(messages, "; ")
	switch {
	case !chief.waiting && !chief.passing:
		f.phase = examplev1.PhaseFailed
	case chief.passing && app.Status.Phase != "":
		f.phase = app.Status.Phase
		if f.phase == examplev1.PhaseRunning || f.phase == examplev1.PhaseStopped { // of another generation
			f.phase = examplev1.PhaseProgressing
		}
	case mine:
		f.phase = examplev1.PhaseProgressing
	default:
		f.phase = examplev1.PhasePending
	}
	return f
}

// asItIs is the phase of an app whose Deployment is left as it is: another controller
// fights over it, or a change of it waits for what its pods take values from. It tells
// of the pods alone, of as many as the Deployment has now: Ready tells of the rest.
func asItIs(app *examplev1.MyApp, r rollout, live *unstructured.Unstructured, prior *metav1.Condition, now time.Time) string {
	want, there := liveReplicas(live)
	if !there {
		return examplev1.PhaseDegraded
	}
	return judge(app, r, int32(want), prior, now).phase
}

// judge sums up an app whose children are as they should be by how far its
// Deployment is.
func judge(app *examplev1.MyApp, r rollout, want int32, prior *metav1.Condition, now time.Time) finding {
	switch {
	case !r.believed:
		// It may stand for a few seconds after the rollout has begun: to write that it has
		// would cost each app one write more.
		f := finding{phase: examplev1.PhaseProgressing, reason: reasonProgressing, message: "the Deployment is applied; nothing is known of its pods yet", again: unsteady}
		if r.paused {
			f.message = "the Deployment is applied, and paused: it does not roll out before somebody resumes it"
		}
		return f
	case r.complete(want) && want == 0:
		return finding{phase: examplev1.PhaseStopped, reason: reasonStopped, message: "no replicas are wanted, and none is left", ready: true}
	case r.complete(want):
		return finding{phase: examplev1.PhaseRunning, reason: reasonAvailable, message: r.tally(want), ready: true}
	case r.failure != "":
		return finding{phase: examplev1.PhaseFailed, reason: r.failure, message: r.message + " (" + r.tally(want) + ")", again: unsteady}
	case r.settled && r.available < want && (wasComplete(app, want) || notReadySince(prior, now) >= settleLimit):
		return finding{phase: examplev1.PhaseDegraded, reason: reasonDegraded, message: r.tally(want), again: unsteady}
	}
	return finding{phase: examplev1.PhaseProgressing, reason: reasonProgressing, message: r.tally(want), again: unsteady}
}

// wasComplete tells whether all replicas of the present generation were there
// once. A Deployment tells by itself only whether its template was rolled out,
// which a scaling does not change. A number that is nobody's may change without a
// new generation.
func wasComplete(app *examplev1.MyApp, want int32) bool {
	s := app.Status
	if app.Spec.Replicas == nil && s.Replicas != want {
		return false
	}
	return s.AppliedGeneration == app.Generation && (s.Phase == examplev1.PhaseRunning || s.Phase == examplev1.PhaseDegraded)
}

func notReadySince(prior *metav1.Condition, now time.Time) time.Duration {
	if prior == nil || prior.Status == metav1.ConditionTrue {
		return 0
	}
	return now.Sub(prior.LastTransitionTime.Time)
}

// uneventful are the reasons of the Ready condition of which no Event tells, or none
// that asks for another.
var uneventful = []string{reasonProgressing, reasonWaiting, reasonApplyFailed, reasonStopped}

// worthTelling is how long an app was not ready for an Event to tell that it is.
const worthTelling = time.Minute

// eventsOf is what to record when the Ready condition goes from prior to next.
// Each Event is a write to an edge node's disk: only what a person wants to know
// of is recorded, once when it begins. The making of children is not: their own
// Events tell of it. Nor is it that an app runs, unless there was something in its way
// or it took its time: else every app that is made or changed would be one write more.
// Trouble that is over mostly becomes progress first; troubled remembers it, until a
// restart.
func eventsOf(prior *metav1.Condition, next metav1.Condition, note string, troubled bool, now time.Time) []event {
	if note == "" {
		note = next.Message
	}
	sameReason := prior != nil && prior.Reason == next.Reason
	switch next.Reason {
	case reasonAvailable:
		troubled = troubled || prior != nil && !sameReason && !slices.Contains(uneventful, prior.Reason)
		if troubled || notReadySince(prior, now) >= worthTelling { // the note has no numbers, so that repeats are one Event, counted
			return []event{{reconcile.Normal, next.Reason, "All wanted replicas are available"}}
		}
	case reasonStopped:
		if !sameReason {
			return []event{{reconcile.Normal, next.Reason, "No replicas are wanted, and none is left"}}
		}
	case reasonProgressing, reasonWaiting, reasonApplyFailed:
	default:
		if !sameReason || prior.ObservedGeneration != next.ObservedGeneration {
			return []event{{reconcile.Warning, next.Reason, note}}
		}
	}
	return nil
}
