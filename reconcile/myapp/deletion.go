package myapp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// leave is the turn of an app that is being deleted. The garbage collector does what
// the user's way of deleting asks for: takes the children first, later, or never.
// Nothing of them is touched; the status tells what a deletion waits for that is not
// over in a few seconds, as most are.
func leave(ctx context.Context, t *reconcile.Turn, app *examplev1.MyApp) (reconcile.Result, error) {
	since := t.Now().Sub(app.DeletionTimestamp.Time)
	if since < podsWait {
		return reconcile.Result{After: min(podsWait-since, outsideWait)}, nil
	}
	kids, err := look(ctx, t, app)
	if err != nil {
		return reconcile.Result{}, err
	}
	if _, err := t.PatchStatus(ctx, deleting(app, kids, t.Now())); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{After: min(since, outsideWait)}, nil
}

// deleting is the status of an app whose deletion hangs.
func deleting(app *examplev1.MyApp, kids children, now time.Time) examplev1.MyAppStatus {
	status := app.Status
	status.Phase, status.ObservedGeneration, status.ChildrenHash = examplev1.PhaseDeleting, app.Generation, ""
	status.Replicas, status.ReadyReplicas, status.AvailableReplicas = 0, 0, 0
	if live := kids[deployment].live; owns(app, kids[deployment]) {
		r := readRollout(live)
		status.Replicas, status.ReadyReplicas, status.AvailableReplicas = r.replicas, r.ready, r.available
	}
	status.Conditions = reconcile.SetCondition(status.Conditions, metav1.Condition{
		Type: reconcile.ConditionReady, Status: metav1.ConditionFalse, ObservedGeneration: app.Generation,
		Reason: reasonDeleting, Message: shortened("being deleted; waits for " + holds(app, kids)),
	}, now)
	return status
}

// holds says in words what keeps an app that is being deleted.
func holds(app *examplev1.MyApp, kids children) string {
	var all []string
	if slices.Contains(app.Finalizers, metav1.FinalizerDeleteDependents) {
		for r := range roles {
			if owns(app, kids[r]) {
				all = append(all, fmt.Sprintf("%s %q (%s)", kinds[r], childName(app, r), staysBy(kids[r])))
			}
		}
	}
	for _, f := range app.Finalizers {
		if f != metav1.FinalizerDeleteDependents && f != metav1.FinalizerOrphanDependents {
			all = append(all, fmt.Sprintf("the finalizer %q of this MyApp, which is for whoever put it there to take off", f))
		}
	}
	if all == nil {
		return "Kubernetes' garbage collector"
	}
	return strings.Join(all, ", ")
}

// staysBy says why a child of an app that is being deleted is still there.
func staysBy(c child) string {
	var others, why []string
	for _, f := range c.live.GetFinalizers() {
		if f != metav1.FinalizerDeleteDependents {
			others = append(others, f)
		}
	}
	if c.live.GetDeletionTimestamp() == nil {
		why = append(why, "the garbage collector has not come to it yet")
	} else if len(others) < len(c.live.GetFinalizers()) {
		why = append(why, "until what belongs to it is gone, its pods too")
	}
	switch len(others) {
	case 0:
	case 1:
		why = append(why, "its finalizer "+others[0])
	default:
		why = append(why, "its finalizers "+strings.Join(others, " and "))
	}
	if why == nil {
		return "being deleted"
	}
	return strings.Join(why, "; ")
}

func owns(app *examplev1.MyApp, c child) bool {
	whose := belongs(app, c.live)
	return whose == ours || whose == leaving && metav1.GetControllerOf(c.live) != nil
}
