package myapp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"example.com/mote/crd/examplev1"
	"example.com/mote/metric"
	"example.com/mote/reconcile"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Reconciler gives MyApps their turns. It keeps nothing between them but what was
// put right of late.
type Reconciler struct {
	options Options
	fights  fights
	index   *reconcile.Index
	drift   metric.Counter
}

// New makes a Reconciler.
func New(o Options) *Reconciler { return &Reconciler{options: o, index: reconcile.NewIndex()} }

// Seen keeps nothing of an app.
func (*Reconciler) Seen(reconcile.Key, *unstructured.Unstructured) {}

// Left lets go of what is remembered of an app. The garbage collector takes a
// deleted app's children.
func (r *Reconciler) Left(k reconcile.Key) { r.fights.forget(k) }

// rereads is how often a turn looks at the children anew because a write found
// them changed; after that the engine gives the app a new turn.
const rereads = 2

// Reconcile takes one turn: it does one decided write after another until none
// is left, then writes the status.
func (r *Reconciler) Reconcile(ctx context.Context, t *reconcile.Turn) (reconcile.Result, error) {
	var app examplev1.MyApp
	if err := t.Into(&app); err != nil {
		return reconcile.Result{}, err
	}
	if app.DeletionTimestamp != nil {
		return leave(ctx, t, &app)
	}
	refs, err := readReferences(ctx, t, &app)
	if err != nil {
		return reconcile.Result{}, err
	}
	seen := view{seed: r.options.seed(), forbidden: r.options.forbids(&app), missing: refs.missing, held: r.fights.held(t.Key, t.Now()),
		troubled: r.index.Marks(t.Key)&markTroubled != 0}
	// An app that has no status yet has no children yet: nothing is read. Were it
	// wrong, the writes below would fail with a Conflict, and then it is read.
	recalled := false
	if app.Status.Phase != "" {
		if seen.kids, recalled, err = recall(ctx, t, &app); err != nil {
			return reconcile.Result{}, err
		}
	}
	if live := seen.kids[deployment].live; live != nil && len(refs.missing) > 0 { // what went does not roll the pods
		refs.stamp, _ = at(live.Object, "spec", "template", "metadata", "annotations")[annotationReferences].(string)
	}
	want := desired(&app, refs.stamp)
	var failed error // the last error that the engine's backoff is for
	for looks := 0; ; {
		d := decide(&app, want, seen, t.Now())
		if recalled && (d.write != nil || d.confirm) { // only to see that nothing is to do is it enough to remember
			recalled = false
			if seen.kids, err = look(ctx, t, &app); err != nil {
				return reconcile.Result{}, err
			}
			continue
		}
		if d.inspect {
			found := inspect(ctx, t, &app)
			seen.cause = &found
			continue
		}
		if d.confirm {
			if seen.alive, err = confirm(ctx, t, &app); err != nil || !seen.alive {
				return reconcile.Result{}, err
			}
			continue
		}
		if d.write == nil {
			result, err := conclude(ctx, t, d, failed)
			if err == nil { // else the turn to come tells what this one did not
				r.index.Mark(t.Key, marksOf(d, seen.troubled))
			}
			return result, err
		}
		if d.write.manifest == nil { // nothing is deleted by what an event said
			if err := t.Sure(ctx); err != nil {
				return reconcile.Result{}, err
			}
		}
		live, err := carryOut(ctx, t, &app, d.write, seen.kids[d.write.role].live)
		switch {
		case err == nil:
			seen.kids[d.write.role] = child{live: live, applied: !d.write.replaces, replaced: d.write.replaces}
			if d.write.corrects != "" {
				seen.corrected = append(seen.corrected, d.write.corrects)
				r.fights.corrected(t.Key, d.write.role, t.Now())
				r.drift.Inc()
			}
		case ctx.Err() != nil:
			return reconcile.Result{}, err
		case reconcile.NamespaceEnding(err):
			t.Log.Debug("the namespace is being deleted, nothing is made in it any more")
			return reconcile.Result{After: outsideWait}, nil
		case conflicting(err) && looks < rereads:
			looks++
			seen.alive = false
			if seen.kids, err = look(ctx, t, &app); err != nil {
				return reconcile.Result{}, err
			}
		case conflicting(err):
			return reconcile.Result{}, err
		default:
			f := refusalOf(err)
			seen.kids[d.write.role].refused = f
			if f.passing() {
				failed = err
			}
		}
	}
}

// conclude writes the status, then the Events that tell of the change.
func conclude(ctx context.Context, t *reconcile.Turn, d decision, failed error) (reconcile.Result, error) {
	_, err := t.PatchStatus(ctx, d.status)
	if failed != nil {
		return reconcile.Result{}, failed
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	for _, e := range d.events {
		t.Event(ctx, e.kind, e.reason, "Reconcile", e.note)
	}
	return reconcile.Result{After: d.again}, nil
}

// recall is the children as they were last seen, and as they are where that is not
// known.
func recall(ctx context.Context, t *reconcile.Turn, app *examplev1.MyApp) (kids children, recalled bool, err error) {
	for r := range roles {
		live := t.Recall(resources[r], childName(app, r))
		if belongs(app, live) == ours {
			recalled = true
		} else if live, err = read(ctx, t, app, r); err != nil {
			return kids, false, err
		}
		kids[r].live = live
	}
	return kids, recalled, nil
}

// look reads the children live, also those that are not wanted: they may be left
// over from when they were.
func look(ctx context.Context, t *reconcile.Turn, app *examplev1.MyApp) (children, error) {
	var kids children
	for r := range roles {
		live, err := read(ctx, t, app, r)
		if err != nil {
			return kids, err
		}
		kids[r].live = live
	}
	return kids, nil
}

// read reads a child live; nil: it is not there.
func read(ctx context.Context, t *reconcile.Turn, app *examplev1.MyApp, r role) (*unstructured.Unstructured, error) {
	live, err := t.Read(ctx, resources[r], childName(app, r))
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", kinds[r], err)
	}
	return live, nil
}

// confirm tells whether an app is still the one that the turn began with, and not
// being deleted. One that is will wake its key by itself.
func confirm(ctx context.Context, t *reconcile.Turn, app *examplev1.MyApp) (bool, error) {
	now, err := t.Again(ctx)
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read the object again: %w", err)
	}
	return now.GetUID() == app.UID && now.GetDeletionTimestamp() == nil, nil
}

// versionOfNone is a resourceVersion that no object ever has.
const versionOfNone = "9223372036854775807"

// carryOut does one write to the child as it was seen (nil: not there), and
// fails with a Conflict when it is not so any more. It returns the child as it is
// then.
//
// Everything is written by server-side apply, never by a POST: what one POSTed
// is owned as an "Update", and a later apply that leaves a field out would not
// remove it.
//
// An apply cannot say "only if there is no such object", yet nobody's object
// must be taken, by force least of all. A resourceVersion says it: an apply that
// states one creates the object where there is none, and fails with a Conflict
// where there is one of another version. So an object that was seen is written
// with its version, and one that was not seen with a version that no object has.
// The outcome is either the write that was decided or a Conflict, and reading
// before the first apply would add nothing to the safety.
func carryOut(ctx context.Context, t *reconcile.Turn, app *examplev1.MyApp, w *write, seen *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	client, name := t.Client(resources[w.role]), childName(app, w.role)
	if w.manifest == nil {
		uid, version, propagation := seen.GetUID(), seen.GetResourceVersion(), metav1.DeletePropagationBackground
		if w.replaces {
			propagation = metav1.DeletePropagationOrphan
		}
		err := client.Delete(ctx, name, metav1.DeleteOptions{
			Preconditions:     &metav1.Preconditions{UID: &uid, ResourceVersion: &version},
			PropagationPolicy: &propagation,
		})
		if err != nil && !apierrors.IsNotFound(err) {
			return nil, err
		}
		t.Log.Debug("deleted a child", "child", kinds[w.role], "replaces", w.replaces)
		return nil, nil
	}
	version := versionOfNone
	if seen != nil {
		version = seen.GetResourceVersion()
		if ops := withoutRivals(seen.Object, w.manifest); ops != nil {
			// The version makes it a Conflict when the child is not as it was seen.
			data, err := json.Marshal(append(ops, operation{"replace", "/metadata/resourceVersion", version}))
			if err != nil {
				return nil, err
			}
			yielded, err := client.Patch(ctx, name, types.JSONPatchType, data, metav1.PatchOptions{FieldManager: reconcile.FieldManager})
			if err != nil {
				return nil, err
			}
			version = yielded.GetResourceVersion()
		}
	}
	live, err := client.Apply(ctx, name, withVersion(w.manifest, version),
		metav1.ApplyOptions{FieldManager: reconcile.FieldManager, Force: true})
	if err != nil {
		return nil, err
	}
	t.Wrote(resources[w.role], live)
	t.Log.Debug("applied a child", "child", kinds[w.role], "new", seen == nil)
	return live, nil
}

// withVersion is a manifest that can only be applied to that version of the object.
func withVersion(manifest map[string]any, version string) *unstructured.Unstructured {
	out := maps.Clone(manifest)
	meta := maps.Clone(manifest["metadata"].(map[string]any))
	meta["resourceVersion"] = version
	out["metadata"] = meta
	return &unstructured.Unstructured{Object: out}
}

// conflicting tells whether a write failed because the child is not as it was seen.
func conflicting(err error) bool { return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) }
