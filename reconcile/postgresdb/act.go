package postgresdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// Watch is the cloud's watch, keyed by object.
type Watch = cloud.Watch[reconcile.Key]

// Reconciler is the shell around Decide.
type Reconciler struct {
	api      cloud.Postgres
	watch    *Watch
	settings Settings
	random   io.Reader

	mu      sync.Mutex
	watched map[reconcile.Key]place // which instance the cloud's watch follows for an object
}

type place struct{ region, id string }

// New makes a Reconciler; random is the source of passwords.
func New(api cloud.Postgres, watch *Watch, s Settings, random io.Reader) *Reconciler {
	return &Reconciler{api: api, watch: watch, settings: s, random: random, watched: map[reconcile.Key]place{}}
}

// Kind describes PostgresDB to the engine.
func (r *Reconciler) Kind(sel reconcile.Selection, workers int) reconcile.Kind {
	return reconcile.Kind{
		Name:         databasev1.Kind,
		Resource:     schema.GroupVersionResource{Group: databasev1.Group, Version: databasev1.Version, Resource: databasev1.Resource},
		SteadyPhases: []string{databasev1.PhaseRunning},
		Workers:      workers,
		TurnLimit:    2 * time.Minute,
		Selection:    sel,
		Reconciler:   r,
	}
}

// Seen follows the instances of steady objects in the cloud's slow sweep, from
// what their status says; all others are followed by their own turns.
func (r *Reconciler) Seen(k reconcile.Key, u *unstructured.Unstructured) {
	st, _, _ := unstructured.NestedMap(u.Object, "status")
	str := func(k string) string { s, _ := st[k].(string); return s }
	if str("phase") != databasev1.PhaseRunning || str("instanceID") == "" || u.GetDeletionTimestamp() != nil {
		return
	}
	r.mu.Lock()
	_, known := r.watched[k]
	r.mu.Unlock()
	if known {
		return
	}
	storage, _ := st["storageGB"].(int64)
	// Strings from a decoded event share its memory: clone what is kept.
	region, id := strings.Clone(str("region")), strings.Clone(str("instanceID"))
	key := reconcile.Key{Namespace: strings.Clone(k.Namespace), Name: strings.Clone(k.Name)}
	r.track(key, region, id, cloud.Fingerprint(cloud.StateRunning, str("instanceClass"), int(storage), str("engineVersion"), str("endpoint")), false)
}

// Left lets go of an object's instance in the cloud's watch.
func (r *Reconciler) Left(k reconcile.Key) {
	r.mu.Lock()
	p, ok := r.watched[k]
	delete(r.watched, k)
	r.mu.Unlock()
	if ok {
		r.watch.Forget(p.region, p.id)
	}
}

func (r *Reconciler) track(k reconcile.Key, region, id string, seen uint64, urgent bool) {
	p := place{region, id}
	r.mu.Lock()
	old, ok := r.watched[k]
	r.watched[k] = p
	r.mu.Unlock()
	if ok && old != p {
		r.watch.Forget(old.region, old.id)
	}
	r.watch.Track(region, id, k, seen, urgent)
}

// maxSteps bounds a turn: each observation and each write in the cluster happens
// at most a few times; more means that Decide goes in circles.
const maxSteps = 16

// Reconcile takes one turn.
func (r *Reconciler) Reconcile(ctx context.Context, t *reconcile.Turn) (reconcile.Result, error) {
	v := View{Settings: r.settings}
	if err := look(t, &v); err != nil {
		return reconcile.Result{}, err
	}
	for range maxSteps {
		d := Decide(v)
		t.Log.Debug("decided", "do", d.Do, "instance", d.InstanceID)
		res, over, err := r.do(ctx, t, &v, d)
		var failed *cloud.Error
		switch {
		case errors.As(err, &failed):
			return r.fail(ctx, t, v, failed)
		case apierrors.IsForbidden(err) || apierrors.IsInvalid(err):
			return r.stuck(ctx, t, v, err)
		case err != nil:
			return reconcile.Result{}, err
		case over:
			return res, nil
		}
	}
	return reconcile.Result{}, fmt.Errorf("no decision after %d steps; this is a bug in Mote", maxSteps)
}

// look renews what the view says of the object itself.
func look(t *reconcile.Turn, v *View) error {
	var o databasev1.PostgresDB
	if err := t.Into(&o); err != nil {
		return err
	}
	v.Object, v.Now = &o, t.Now()
	v.Deleting = t.Object.GetDeletionTimestamp() != nil
	v.Finalizer = reconcile.HasFinalizer(t.Object, databasev1.Finalizer)
	return nil
}

// do carries out one decision; over ends the turn.
func (r *Reconciler) do(ctx context.Context, t *reconcile.Turn, v *View, d Decision) (res reconcile.Result, over bool, err error) {
	o, region := v.Object, v.Region()
	again := reconcile.Result{After: time.Second}
	switch d.Do {
	case ReadSecret:
		v.Secret, err = readSecret(ctx, t, o)
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
		v.Instance, err = r.sight(ctx, region, d.InstanceID)

	case AddFinalizer:
		if err = t.AddFinalizer(ctx, databasev1.Finalizer); err == nil {
			err = look(t, v)
		}
	case DropFinalizer:
		r.tell(ctx, t, d.Event)
		if err = t.RemoveFinalizer(ctx, databasev1.Finalizer); err == nil {
			r.Left(t.Key)
		}
		return res, true, err
	case CreateSecret:
		err = r.createSecret(ctx, t, v, d)
	case WriteSecret:
		data := d.SecretData
		if o.Spec.InstanceID == "" { // an adopted instance's password is for its owner to put in
			data, err = withPassword(data, r.random)
		}
		if err == nil {
			err = writeSecret(ctx, t, o, data)
		}
		v.Secret = nil
	case RecordID:
		st := Status(*v, *d.Show)
		st.InstanceID, st.Create = d.InstanceID, nil
		if err = t.PatchStatusChecked(ctx, st); err == nil {
			r.tell(ctx, t, d.Event)
			r.track(t.Key, region, d.InstanceID, 0, true)
		}
		return again, true, err
	case MarkAmbiguous, CountLookup, ClearIntent:
		return r.clearUp(ctx, t, v, d)

	case Buy:
		return r.buy(ctx, t, v, d)
	case Resize, Protect, Unprotect, ResetPassword, Isolate, Destroy:
		return r.change(ctx, t, v, d)
	case Rest:
		err = r.show(ctx, t, *v, d.Show, d.Event)
		r.follow(t.Key, *v)
		return reconcile.Result{After: d.After}, true, err
	default:
		err = fmt.Errorf("unknown action %q; this is a bug in Mote", d.Do)
	}
	return res, err != nil, err
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
	classes, err := r.api.Classes(ctx, v.Region(), zone, major)
	if err != nil {
		return nil, err
	}
	return &Offer{Versions: versions, Classes: classes}, nil
}

// sight is what the cloud's watch saw of an instance since the last change to
// it, or else a live read. Absence is only believed of a live read.
func (r *Reconciler) sight(ctx context.Context, region, id string) (*Sighting, error) {
	if i, found, _, ok := r.watch.Latest(region, id); ok && found {
		return &Sighting{Instance: i}, nil
	}
	i, err := r.api.Get(ctx, region, id)
	if cloud.ClassOf(err) == cloud.Gone {
		return &Sighting{Gone: true}, nil
	}
	if err != nil {
		return nil, err
	}
	return &Sighting{Instance: i}, nil
}

func (r *Reconciler) createSecret(ctx context.Context, t *reconcile.Turn, v *View, d Decision) error {
	data, err := d.SecretData, error(nil)
	adopted := v.Object.Spec.InstanceID != ""
	if !adopted {
		if data, err = withPassword(data, r.random); err != nil {
			return err
		}
	}
	v.Secret = nil
	return createSecret(ctx, t, v.Object, data, !adopted && d.InstanceID != "")
}

// clearUp keeps the books of an intent whose outcome is not known.
func (r *Reconciler) clearUp(ctx context.Context, t *reconcile.Turn, v *View, d Decision) (reconcile.Result, bool, error) {
	st := v.Object.Status
	if d.Show != nil {
		st = Status(*v, *d.Show)
	}
	intent := *v.Object.Status.Create
	st.Create = &intent
	res := reconcile.Result{After: d.After}
	switch d.Do {
	case MarkAmbiguous:
		now := metav1.NewTime(v.Now)
		intent.AmbiguousSince, intent.CleanLookups = &now, 0
	case CountLookup:
		intent.CleanLookups++
	case ClearIntent:
		st.Create, res.After = nil, 20*time.Millisecond
	}
	if err := t.PatchStatusChecked(ctx, st); err != nil {
		return res, true, err
	}
	r.tell(ctx, t, d.Event)
	return res, true, nil
}

// buy writes the intent, calls once, and writes the outcome. If this process
// dies in between, the intent is found open and only looked up.
func (r *Reconciler) buy(ctx context.Context, t *reconcile.Turn, v *View, d Decision) (reconcile.Result, bool, error) {
	st := v.Object.Status
	st.Region = v.Region()
	st.Create = &databasev1.CreateIntent{Name: d.Purchase.Name, StartedAt: metav1.NewTime(v.Now)}
	if err := t.PatchStatusChecked(ctx, st); err != nil {
		return reconcile.Result{}, true, err
	}
	request := d.Purchase
	request.AdminPassword = v.Secret.Data["password"]
	created, err := r.api.Create(ctx, v.Region(), request)
	if looked := look(t, v); looked != nil {
		return reconcile.Result{}, true, looked
	}
	var e *cloud.Error
	switch {
	case err == nil:
		st := Status(*v, *d.Show)
		st.InstanceID = created.ID
		if created.ID == "" {
			st.Create.Orders = created.Orders
		} else {
			st.Create = nil
			r.track(t.Key, v.Region(), created.ID, 0, true)
		}
		if _, err := t.PatchStatus(ctx, st); err != nil {
			return reconcile.Result{}, true, err
		}
		r.tell(ctx, t, d.Event)
		return reconcile.Result{After: v.Settings.Watchful}, true, nil
	case errors.As(err, &e) && definite(e.Class):
		v.Object.Status.Create = nil
		res, failure := r.fail(ctx, t, *v, e)
		if failure == nil { // some failures show nothing, and the intent has to go all the same
			_, failure = t.PatchStatus(ctx, v.Object.Status)
		}
		if failure == nil {
			failure = t.RemoveFinalizer(ctx, databasev1.Finalizer)
		}
		return res, true, failure
	}
	t.Log.Warn("the answer to the purchase was lost: looking for the instance before ordering again", "error", err.Error())
	if v.Object.Status.Create == nil {
		return reconcile.Result{}, true, fmt.Errorf("the intent has vanished from the status after it was written: %w", err)
	}
	v.Found = &[]cloud.Instance{}
	return r.clearUp(ctx, t, v, Decide(*v))
}

// change asks the cloud for one change to the instance.
func (r *Reconciler) change(ctx context.Context, t *reconcile.Turn, v *View, d Decision) (res reconcile.Result, over bool, err error) {
	region, id := v.Region(), d.InstanceID
	switch d.Do {
	case Resize:
		err = r.api.Resize(ctx, region, id, d.Size)
	case Protect, Unprotect:
		err = r.api.SetDeletionProtection(ctx, region, id, d.Do == Protect)
	case ResetPassword:
		if err = r.api.ResetPassword(ctx, region, id, v.Object.Spec.AdminUser, v.Secret.Data["password"]); err == nil {
			err = resetDone(ctx, t, v.Object)
		}
	case Isolate:
		err = r.api.Isolate(ctx, region, id)
	case Destroy:
		err = r.api.Destroy(ctx, region, id)
	}
	if err == nil || cloud.ClassOf(err) == cloud.Busy || cloud.ClassOf(err) == cloud.Gone {
		r.track(t.Key, region, id, 0, true) // what was seen before does not count any more
	}
	if cloud.ClassOf(err) == cloud.Gone { // a live read will say so
		return reconcile.Result{After: time.Second}, true, nil
	}
	if err != nil {
		return res, true, err
	}
	if err := r.show(ctx, t, *v, d.Show, d.Event); err != nil {
		return res, true, err
	}
	after := v.Settings.Watchful
	if d.Do == Protect || d.Do == Unprotect || d.Do == ResetPassword {
		after = time.Second // no transition to wait for
	}
	return reconcile.Result{After: after}, true, nil
}

// follow tells the cloud's watch what this turn has acted upon.
func (r *Reconciler) follow(k reconcile.Key, v View) {
	if v.Instance == nil || v.Object.Status.InstanceID == "" {
		return
	}
	if v.Instance.Gone {
		r.track(k, v.Region(), v.Object.Status.InstanceID, cloud.Absent, false)
		return
	}
	i := v.Instance.Instance
	steady := i.State == cloud.StateRunning || i.State == cloud.StateLimited || i.State == cloud.StateIsolated
	r.track(k, v.Region(), i.ID, i.Fingerprint(), !steady || i.Endpoint() == "" || v.Deleting)
}

// fail shows a failed call to the cloud.
func (r *Reconciler) fail(ctx context.Context, t *reconcile.Turn, v View, e *cloud.Error) (reconcile.Result, error) {
	f := onFailure(v, e)
	t.Log.Warn("the cloud did not do it", "error", e.Error(), "class", e.Class, "notBefore", f.After.String())
	err := r.show(ctx, t, v, f.Show, f.Event)
	return reconcile.Result{After: f.After, Retry: f.Retry}, err
}

// stuck shows that the API server does not let Mote do its work.
func (r *Reconciler) stuck(ctx context.Context, t *reconcile.Turn, v View, cause error) (reconcile.Result, error) {
	phase := databasev1.PhaseFailed
	if v.Deleting {
		phase = databasev1.PhaseDeleting
	}
	note := fmt.Sprintf("the API server does not let Mote do this: %v; trying again in %s", cause, v.Settings.SlowRetry)
	t.Log.Warn("the API server refused", "error", cause.Error())
	err := r.show(ctx, t, v, &Show{Phase: phase, Reason: "APIServerRefused", Message: note},
		&Event{Warning: true, Reason: "APIServerRefused", Action: "Reconcile", Note: note})
	return reconcile.Result{After: v.Settings.SlowRetry}, err
}

// show writes what is to be seen, if it differs, and tells of it then.
func (r *Reconciler) show(ctx context.Context, t *reconcile.Turn, v View, s *Show, e *Event) error {
	if s == nil {
		r.tell(ctx, t, e)
		return nil
	}
	wrote, err := t.PatchStatus(ctx, Status(v, *s))
	if wrote || (e != nil && e.Warning) {
		r.tell(ctx, t, e)
	}
	return err
}

func (r *Reconciler) tell(ctx context.Context, t *reconcile.Turn, e *Event) {
	if e == nil {
		return
	}
	kind := reconcile.Normal
	if e.Warning {
		kind = reconcile.Warning
	}
	t.Event(ctx, kind, e.Reason, e.Action, e.Note)
}
