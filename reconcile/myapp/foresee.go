package myapp

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/mote/crd/examplev1"
	"example.com/mote/forecast"
	"example.com/mote/reconcile"
)

// Sight is what a forecast sees of the world. Nothing of it is changed.
type Sight struct {
	// Look reads in the cluster; nil: there is none to read in.
	Look *reconcile.Turn
	// Now is the present.
	Now time.Time
	// New: the app is not in the cluster yet.
	New bool
}

// mostTurns bounds a forecast: a rollout with all that comes after it has five.
const mostTurns = 20

// Foresee plays an app's turns, by the very decisions of real ones, in a cluster that
// begins as the real one is and then goes well: what is applied is taken, and pods
// come up. The error is one of seeing.
func Foresee(ctx context.Context, app *examplev1.MyApp, o Options, see Sight) ([]forecast.Step, forecast.Then, error) {
	r, err := rehearse(ctx, app, o, see)
	if err != nil {
		return nil, forecast.Then{}, err
	}
	if app.DeletionTimestamp != nil {
		wait := forecast.Step{Sign: forecast.Wait, Do: "Wait", Where: forecast.InStatus, What: "wait: " + holds(app, r.view.kids)}
		return []forecast.Step{wait}, forecast.Then{Gone: true}, nil
	}
	return r.play(ctx)
}

// play takes turns until nothing more would happen.
func (r *rehearsal) play(ctx context.Context) ([]forecast.Step, forecast.Then, error) {
	for range mostTurns {
		before, steps := r.app.Status, len(r.steps)
		r.turn(ctx)
		acted := len(r.steps) > steps
		moved := r.settle()
		same := r.app.Status
		before.LastReconciled, before.Conditions, same.LastReconciled, same.Conditions = nil, nil, nil, nil
		if !acted && !moved && reflect.DeepEqual(before, same) {
			break
		}
		r.now = r.now.Add(time.Second)
	}
	return r.steps, r.then(), nil
}

// rehearsal is an app in a cluster of its own.
type rehearsal struct {
	see   Sight
	app   examplev1.MyApp
	view  view
	want  manifests
	now   time.Time
	last  decision
	steps []forecast.Step
	rolls bool // the forecast itself changed the Deployment
	// refused is what the API server refused before, and would be asked again.
	refused *refusal
}

// rehearse looks at all that a turn looks at.
func rehearse(ctx context.Context, app *examplev1.MyApp, o Options, see Sight) (*rehearsal, error) {
	r := &rehearsal{see: see, app: *app, now: see.Now, view: view{forbidden: o.forbids(app), held: heldAsTold(app, see.Now)}}
	var refs references
	if see.Look != nil {
		var err error
		if refs, err = readReferences(ctx, see.Look, app); err != nil {
			return nil, err
		}
		if r.view.kids, err = look(ctx, see.Look, app); err != nil {
			return nil, err
		}
	}
	r.view.missing = refs.missing
	if live := r.view.kids[deployment].live; live != nil && len(refs.missing) > 0 {
		refs.stamp, _ = at(live.Object, "spec", "template", "metadata", "annotations")[annotationReferences].(string)
	}
	r.want = desired(app, refs.stamp)
	return r, nil
}

// turn plays one turn.
func (r *rehearsal) turn(ctx context.Context) {
	v := r.view
	for n := range v.kids {
		v.kids[n].applied, v.kids[n].replaced = false, false
	}
	v.cause = nil
	for {
		d := decide(&r.app, r.want, v, r.now)
		switch {
		case d.inspect:
			found := cause{}
			if r.see.Look != nil && !r.rolls {
				found = inspect(ctx, r.see.Look, &r.app)
			}
			v.cause = &found
			continue
		case d.write != nil && d.write.manifest != nil && refusedAsTold(&r.app, d.write.role) != nil:
			r.refused = refusedAsTold(&r.app, d.write.role)
			v.kids[d.write.role].refused = r.refused
			r.steps = append(r.steps, forecast.Step{Sign: forecast.Wait, Do: "Wait", Where: forecast.InStatus,
				What: "wait: " + kinds[d.write.role] + " " + childName(&r.app, d.write.role) + ": " + r.refused.tried()})
			continue
		case d.write != nil:
			live := yielded(v.kids[d.write.role].live, d.write.manifest)
			r.steps = append(r.steps, r.stepOf(d.write, live))
			live = r.written(d.write, live)
			v.kids[d.write.role] = child{live: live, applied: !d.write.replaces, replaced: d.write.replaces}
			continue
		}
		r.last = d
		now := metav1.NewTime(r.now)
		r.app.Status = d.status
		r.app.Status.LastReconciled = &now
		v.corrected = nil
		r.view = v
		return
	}
}

// written is a child after a write.
func (r *rehearsal) written(w *write, live *unstructured.Unstructured) *unstructured.Unstructured {
	r.rolls = r.rolls || w.role == deployment
	if w.manifest == nil {
		return nil
	}
	if live == nil {
		u := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(w.manifest)}
		u.SetGeneration(1)
		return u
	}
	u := live.DeepCopy()
	u.Object = overlaid(u.Object, runtime.DeepCopyJSON(w.manifest), "")
	u.SetGeneration(live.GetGeneration() + 1)
	return u
}

// overlaid is a live object with what is stated of it: maps are merged, but for those
// that are one value; lists are replaced.
func overlaid(live, stated map[string]any, name string) map[string]any {
	if wholeMaps[name] || live == nil {
		return stated
	}
	out := maps.Clone(live)
	for k, v := range stated {
		if m, ok := v.(map[string]any); ok {
			below, _ := live[k].(map[string]any)
			v = overlaid(below, m, k)
		}
		out[k] = v
	}
	return out
}

// settle lets a rollout end that is on its way, or that the forecast began; it tells
// whether there was one. One that the cluster cannot end is left as it is.
func (r *rehearsal) settle() bool {
	live := r.view.kids[deployment].live
	onItsWay := r.rolls || r.last.status.Phase == examplev1.PhaseProgressing && !slices.Contains(obstacleReasons, r.then().Reason) && (r.view.cause == nil || r.view.cause.reason == "")
	if live == nil || belongs(&r.app, live) != ours || !onItsWay {
		return false
	}
	want := wantedReplicas(&r.app, live)
	if readRollout(live).complete(want) {
		return false
	}
	if !r.rolls {
		r.steps = append(r.steps, forecast.Step{Sign: forecast.Wait, Do: "Wait", Where: forecast.InStatus, What: "wait: " + readRollout(live).tally(want)})
	}
	live = live.DeepCopy()
	n := int64(want)
	live.Object["status"] = map[string]any{"observedGeneration": live.GetGeneration(), "replicas": n, "updatedReplicas": n, "readyReplicas": n, "availableReplicas": n,
		"conditions": []any{map[string]any{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}}}
	r.view.kids[deployment].live = live
	return true
}

// then is how the app is in the end.
func (r *rehearsal) then() forecast.Then {
	out := forecast.Then{Phase: r.app.Status.Phase}
	if c := reconcile.GetCondition(r.app.Status.Conditions, reconcile.ConditionReady); c != nil {
		out.Ready, out.Reason, out.Message = c.Status == metav1.ConditionTrue, c.Reason, c.Message
	}
	return out
}

// mostDetails is how many changed fields of a child are listed.
const mostDetails = 12

// stepOf is a write as a step of a forecast.
func (r *rehearsal) stepOf(w *write, live *unstructured.Unstructured) forecast.Step {
	what := kinds[w.role] + " " + childName(&r.app, w.role)
	s := forecast.Step{Sign: forecast.Change, Do: "Apply " + kinds[w.role], Where: forecast.InCluster, What: what, Why: w.corrects}
	switch {
	case w.manifest == nil:
		s.Sign, s.Do, s.Why = forecast.End, "Delete "+kinds[w.role], "it is not wanted any more"
		if w.replaces {
			s.Why = "it can only become what is wanted by being made anew; its pods stay meanwhile"
		}
	case live == nil:
		s.Sign = forecast.Make
		if w.role == deployment {
			s.What += fmt.Sprintf(": %d replicas of %s", wantedReplicas(&r.app, nil), r.app.Spec.Image)
		}
	default:
		fields := changes(live.Object, w.manifest)
		if w.role == deployment && touches(fields, "spec.template.") {
			s.Interrupts = "rolls the pods"
			if r.app.Spec.Strategy != nil && r.app.Spec.Strategy.Type == "Recreate" {
				s.Interrupts = "stops all pods, then starts new ones"
			}
		}
		for n, f := range fields {
			if n == mostDetails {
				s.Details = append(s.Details, fmt.Sprintf("and %d more", len(fields)-n))
				break
			}
			s.Details = append(s.Details, fmt.Sprintf("%s: %s becomes %s", f.Path, orNone(f.Before), orNone(f.After)))
		}
	}
	return s
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}
