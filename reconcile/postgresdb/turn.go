package postgresdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// maxSteps bounds a turn: each observation and each write in the cluster happens
// at most a few times; more means that Decide goes in circles.
const maxSteps = 20

// take is a whole turn. Hundreds of turns wait for a slow cloud at once, each with its
// stack, which is a power of two: so what is large is handed on by pointer from here to the
// call, and what only prepares a call or follows one has a frame of its own.
func (r *Reconciler) take(ctx context.Context, t turn) (reconcile.Result, error) {
	n := r.think()
	t.place = &n.place
	if err := r.look(t, &n.view); err != nil {
		return reconcile.Result{}, err
	}
	defer n.place.end(r, t.key)
	for range maxSteps {
		if wait := n.decide(r, t); wait > 0 {
			return reconcile.Result{After: wait}, nil
		}
		res, over, err := r.do(ctx, t, &n.view, &n.decision)
		switch {
		case err != nil:
			return r.failed(ctx, t, &n.view, err)
		case over:
			return res, nil
		}
	}
	return reconcile.Result{}, fmt.Errorf("no decision after %d steps; this is a bug in Mote", maxSteps)
}

// thinking is what a turn knows and does next.
type thinking struct {
	view     View
	decision Decision
	place    passage
}

// think begins a turn's thinking, on the heap.
//
//go:noinline
func (r *Reconciler) think() *thinking { return &thinking{view: View{Settings: r.settings}} }

// decide decides what to do next; a wait above zero says that there is no place for it.
//
//go:noinline
func (n *thinking) decide(r *Reconciler, t turn) (wait time.Duration) {
	n.decision = r.decide(n.view)
	d := &n.decision
	t.log.Debug("decided", "do", d.Do, "instance", d.InstanceID)
	if wait = n.place.enter(r, t.key, &n.view, d.Do); wait > 0 {
		t.log.Debug("too many wait for this part of the cloud already", "wait", wait.String())
	}
	return wait
}

// failed ends a turn in which something went wrong.
//
//go:noinline
func (r *Reconciler) failed(ctx context.Context, t turn, v *View, err error) (reconcile.Result, error) {
	var failed *cloud.Error
	switch {
	case errors.As(err, &failed):
		return r.fail(ctx, t, *v, failed)
	case apierrors.IsForbidden(err) || apierrors.IsInvalid(err):
		return r.stuck(ctx, t, *v, err)
	}
	return reconcile.Result{}, err
}

// look renews what the view says of the object itself.
func (r *Reconciler) look(t turn, v *View) error {
	var o databasev1.PostgresDB
	if err := t.Into(&o); err != nil {
		return err
	}
	v.Object, v.Now, v.Outcome = &o, t.Now(), r.outcomes.get(t.key, &o)
	return nil
}

// do carries out one decision; over ends the turn.
func (r *Reconciler) do(ctx context.Context, t turn, v *View, d *Decision) (res reconcile.Result, over bool, err error) {
	o, region := v.Object, v.Region()
	switch d.Do {
	case AskPace:
		wait := r.pace(region)
		v.Pace = &wait
	case ReadSecret:
		v.Secret, err = t.ReadSecret(ctx, o)
	case ReadSubnet:
		var s cloud.Subnet
		s, err = r.api.Subnet(ctx, region, o.Spec.SubnetID)
		v.Subnet = &s
	case ReadOffer:
		v.Offer, err = r.offer(ctx, v)
	case ReadOrders:
		var ids []string
		ids, err = r.api.Orders(ctx, region, o.Status.Create.Orders)
		v.Orders = &ids
	case LookUp:
		var found []cloud.Instance
		found, err = r.api.Find(ctx, region, InstanceName(string(o.UID)))
		v.Found = &found
	case ReadInstance:
		v.Instance, err = r.sight(ctx, region, d.InstanceID, d.Live)

	case ReadVersions:
		var all []cloud.Version
		all, err = r.api.Versions(ctx, region)
		v.Versions = &all
	case ReadGroups:
		var ids []string
		ids, err = r.api.SecurityGroups(ctx, region, d.InstanceID)
		v.Groups = &ids
	case ReadTask:
		var status cloud.TaskStatus
		status, err = r.api.Task(ctx, region, d.InstanceID, o.Status.Change.TaskID)
		v.Task = &status

	case RecordTags:
		err = r.recordTags(ctx, t, v, d.TagKeys)
	case AddFinalizer:
		if err = t.AddFinalizer(ctx, databasev1.Finalizer); err == nil {
			err = r.look(t, v)
		}
	case DropFinalizer:
		r.tell(ctx, t, d.Event)
		if err = t.RemoveFinalizer(ctx, databasev1.Finalizer); err == nil {
			r.Left(t.key)
		}
		return res, true, err
	case CreateSecret, WriteSecret:
		err = r.writeSecret(ctx, t, v, d)
	case RecordID, RecordOrders, MarkAmbiguous, CountLookup, ClearIntent:
		res, err = r.keepBooks(ctx, t, v, d)
		return res, true, err

	case Buy:
		res, err = r.buy(ctx, t, v, d)
		return res, true, err
	case Resize, Upgrade, SwitchNow, Rename, SetTags, SetGroups, Protect, Unprotect, ResetPassword, Isolate, Destroy:
		res, err = r.change(ctx, t, v, d)
		return res, true, err
	case Rest:
		return reconcile.Result{After: d.After}, true, r.rest(ctx, t, v, d)
	default:
		err = fmt.Errorf("unknown action %q; this is a bug in Mote", d.Do)
	}
	return res, err != nil, err
}

// recordTags writes down which tags are about to be set.
//
//go:noinline
func (r *Reconciler) recordTags(ctx context.Context, t turn, v *View, keys []string) error {
	st := v.Object.Status
	st.AppliedTags = keys
	if err := t.PatchStatusChecked(ctx, st); err != nil {
		return err
	}
	return r.look(t, v)
}

// rest shows the state, and follows the instance from here on.
//
//go:noinline
func (r *Reconciler) rest(ctx context.Context, t turn, v *View, d *Decision) error {
	err := r.show(ctx, t, *v, d.Show, d.Event)
	r.follows.after(t.key, *v)
	return err
}

// pace is how long the cloud's rate makes a purchase wait.
func (r *Reconciler) pace(region string) time.Duration {
	if p, ok := r.api.(cloud.Pacer); ok {
		return p.CreateWait(region)
	}
	return 0
}

// offer reads what is for sale where the object wants to be.
func (r *Reconciler) offer(ctx context.Context, v *View) (*Offer, error) {
	zone := v.Subnet.Zone
	if v.Object.Spec.Zone != "" {
		zone = v.Object.Spec.Zone
	}
	major, _, _ := strings.Cut(v.Object.Spec.EngineVersion, ".")
	versions, err := r.api.Versions(ctx, v.Region())
	if err != nil {
		return nil, err
	}
	if versionFor(versions, v.Object.Spec.EngineVersion) != "" { // the answer is no, whatever the sizes are
		return &Offer{Versions: versions}, nil
	}
	classes, err := r.api.Classes(ctx, v.Region(), zone, major)
	if err != nil {
		return nil, err
	}
	return &Offer{Versions: versions, Classes: classes}, nil
}

// sight is what the cloud's watch saw of an instance since the last change to
// it, or else a live read. Absence is only believed of a live read.
func (r *Reconciler) sight(ctx context.Context, region, id string, live bool) (*Sighting, error) {
	if !live {
		if i, found, _, ok := r.follows.watch.Latest(region, id); ok && found {
			return &Sighting{Instance: i}, nil
		}
	}
	i, err := r.api.Get(ctx, region, id)
	if cloud.ClassOf(err) == cloud.Gone {
		return &Sighting{Gone: true, Live: true}, nil
	}
	if err != nil {
		return nil, err
	}
	return &Sighting{Instance: i, Live: true}, nil
}

// writeSecret makes or changes the connection Secret; what it holds then is read
// again, because a write by somebody else may have come between.
func (r *Reconciler) writeSecret(ctx context.Context, t turn, v *View, d *Decision) error {
	w := SecretWrite{Data: d.SecretData, Mark: d.Reset, Note: d.Note}
	if d.NewPassword {
		password, err := NewPassword(r.random)
		if err != nil {
			return err
		}
		if w.Data = maps.Clone(w.Data); w.Data == nil {
			w.Data = map[string]string{}
		}
		w.Data["password"] = password
	}
	seen := v.Secret
	v.Secret = nil
	if d.Do == CreateSecret {
		return t.CreateSecret(ctx, v.Object, w)
	}
	return t.WriteSecret(ctx, v.Object, seen, w)
}

// fail shows a failed call to the cloud.
func (r *Reconciler) fail(ctx context.Context, t turn, v View, e *cloud.Error) (reconcile.Result, error) {
	f := onFailure(v, e)
	warn(t, e, f)
	err := r.show(ctx, t, v, f.Show, f.Event)
	if e.Outage != nil {
		r.awaiting.add(e.Region, t.key)
		if r.gate.Outage(e.Region) == nil { // it ended just now, and nobody wakes this one
			return reconcile.Result{After: soon}, err
		}
	}
	return reconcile.Result{After: f.After, Retry: f.Retry}, err
}

func warn(t turn, e *cloud.Error, f Failure) {
	say := t.log.Warn
	if e.Class == cloud.Throttled { // part of the day's work, and counted in the metrics
		say = t.log.Debug
	}
	say("the cloud did not do it", "error", e.Error(), "class", e.Class, "notBefore", f.After.String())
}

// stuck shows that the API server does not let Mote do its work.
func (r *Reconciler) stuck(ctx context.Context, t turn, v View, cause error) (reconcile.Result, error) {
	note := fmt.Sprintf("the API server does not let Mote do this: %v; trying again in %s", cause, v.Settings.SlowRetry)
	t.log.Warn("the API server refused", "error", cause.Error())
	err := r.show(ctx, t, v, &Show{Phase: v.phaseOr(databasev1.PhaseFailed), Reason: "APIServerRefused", Message: note},
		&Event{Warning: true, Reason: "APIServerRefused", Action: "Reconcile", Note: note})
	return reconcile.Result{After: v.Settings.SlowRetry}, err
}

// show writes what is to be seen, if it differs, and tells of it then.
func (r *Reconciler) show(ctx context.Context, t turn, v View, s *Show, e *Event) error {
	differs := false
	if s != nil {
		st := Status(v, *s)
		if differs = !reflect.DeepEqual(st, v.Object.Status); differs {
			if err := t.PatchStatusChecked(ctx, st); err != nil {
				return err
			}
		}
	}
	if s == nil || differs || e != nil && e.Warning {
		r.tell(ctx, t, e)
	}
	return nil
}

func (r *Reconciler) tell(ctx context.Context, t turn, e *Event) {
	if e == nil {
		return
	}
	kind := reconcile.Normal
	if e.Warning {
		kind = reconcile.Warning
	}
	t.Event(ctx, kind, e.Reason, e.Action, e.Note)
}
