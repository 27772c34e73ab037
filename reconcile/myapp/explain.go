package myapp

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/crd/examplev1"
	"example.com/mote/forecast"
	"example.com/mote/reconcile"
)

// Explain takes the app's next turn without doing anything, and tells what was seen,
// what was decided, and why.
func Explain(ctx context.Context, app *examplev1.MyApp, o Options, see Sight) forecast.Explanation {
	x := forecast.Explanation{Now: see.Now}
	r, err := rehearse(ctx, app, o, see)
	if err != nil {
		x.Errors = append(x.Errors, err.Error())
		return x
	}
	add := func(what, by string, at time.Time, format string, a ...any) {
		x.Seen = append(x.Seen, forecast.Seen{What: what, State: fmt.Sprintf(format, a...), At: at, By: by})
	}
	state := fmt.Sprintf("generation %d, phase %s", app.Generation, orNone(app.Status.Phase))
	if app.DeletionTimestamp != nil {
		state += ", being deleted"
	}
	add("object", "read live", see.Now, "%s", state)
	if t := app.Status.LastReconciled; t != nil {
		add("status", "written by Mote", t.Time, "of generation %d, corrections so far: %d", app.Status.ObservedGeneration, app.Status.Corrections)
	}
	for role, c := range r.view.kids {
		add(kinds[role], "read live", see.Now, "%s", r.stateOf(c.live, r.want[role] != nil))
	}
	for _, m := range r.view.missing {
		add("reference", "read live", see.Now, "%s is not there", m)
	}
	if app.DeletionTimestamp != nil {
		x.Decision, x.Rule, x.WaitsFor = "nothing to write", "Reconcile, deleting", holds(app, r.view.kids)
		return x
	}
	kids := r.view.kids
	r.turn(ctx)
	if r.view.cause != nil && r.view.cause.reason != "" {
		add("pods", "read live", see.Now, "%s", r.view.cause.message)
	}
	then := r.then()
	x.Rule = "decide, " + then.Reason
	if n := slices.IndexFunc(r.steps, func(s forecast.Step) bool { return s.Sign != forecast.Wait }); n >= 0 {
		first := r.steps[n]
		x.Decision, x.Because = first.Do+": "+first.What, first.Why
		x.Rule = "decide, " + first.Do
		return x
	}
	if r.refused != nil {
		x.Decision, x.Because, x.WaitsFor = "nothing to write before the next try", then.Message, r.refused.tried()
		return x
	}
	x.Decision, x.Because = "nothing to write", then.Message
	if live := kids[deployment].live; !then.Ready && live != nil && !slices.Contains(obstacleReasons, then.Reason) {
		x.WaitsFor = readRollout(live).tally(wantedReplicas(app, live))
	} else if !then.Ready {
		x.WaitsFor = then.Message
	}
	if r.last.again > 0 {
		until := see.Now.Add(r.last.again)
		x.Until = &until
	}
	return x
}

// stateOf is a child in a line.
func (r *rehearsal) stateOf(live *unstructured.Unstructured, wanted bool) string {
	if live == nil && !wanted {
		return "not wanted, not there"
	}
	if live == nil {
		return "not there"
	}
	whose := map[belonging]string{ours: "this app's", leaving: "this app's, being deleted", predecessor: "of an earlier app", foreign: ownerNote(live)}[belongs(&r.app, live)]
	s := fmt.Sprintf("%s, %s", live.GetName(), whose)
	if live.GetKind() == kinds[deployment] {
		s += ", " + readRollout(live).tally(wantedReplicas(&r.app, live))
	}
	for _, e := range live.GetManagedFields() {
		if e.Manager == reconcile.FieldManager && e.Time != nil {
			s += ", last written by Mote at " + e.Time.UTC().Format(time.RFC3339)
			break
		}
	}
	return s
}
