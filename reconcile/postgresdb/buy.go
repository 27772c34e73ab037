package postgresdb

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

const (
	// purchaseRoom is how much of a turn has to be left to begin a purchase in it:
	// one that is cut short is ambiguous, and that costs the grace period.
	purchaseRoom = 40 * time.Second
	// callWithin is how old an intent may be when the call is made. A process that
	// was held up for longer, or put to sleep with its machine, may have been given
	// up by others, and its intent with it.
	callWithin = 30 * time.Second
	// sitOut is how long a purchase that is ready waits, all in all, for the cloud's rate.
	// To come back later would look for the instance once more, which costs a call, and
	// calls may be slow.
	sitOut = 5 * time.Second
)

// buy writes the intent, calls once, and writes the outcome. Whatever dies in
// between, an intent that is open is only looked up, by whoever finds it.
func (r *Reconciler) buy(ctx context.Context, t turn, v *View, d *Decision) (reconcile.Result, error) {
	if end, limited := ctx.Deadline(); limited && time.Until(end) < purchaseRoom {
		return reconcile.Result{Retry: true}, nil
	}
	intent := &databasev1.CreateIntent{Name: d.Purchase.Name, StartedAt: metav1.NewTime(v.Now)}
	if err := r.intend(ctx, t, v, intent); err != nil {
		return reconcile.Result{}, err
	}
	if got := v.Object.Status.Create; got == nil || got.Name != intent.Name || !got.StartedAt.Equal(&intent.StartedAt) {
		return r.unkept(ctx, t, v)
	}
	if v.Now.Sub(intent.StartedAt.Time) > callWithin {
		return reconcile.Result{Retry: true}, nil // the next turn clears the intent: it is known that no call was made
	}

	request := d.Purchase
	request.AdminPassword = v.Secret.Data["password"]
	created, err := r.order(ctx, t, v.Region(), v.Object.UID, intent, &request)
	t.place.end(r, t.key) // what is left to do, the cloud is not waited for
	return r.ordered(ctx, t, v, d, intent, created, err)
}

// intend writes the intent down, and looks at what is written then.
//
//go:noinline
func (r *Reconciler) intend(ctx context.Context, t turn, v *View, intent *databasev1.CreateIntent) error {
	st := v.Object.Status
	st.Region, st.Create, st.AppliedTags = v.Region(), intent, tagKeys(v.Object.Spec)
	r.outcomes.keep(t.key, v.Object.UID, intent, Outcome{Nothing: true})
	if err := t.PatchStatusChecked(ctx, st); err != nil {
		return err // it may be written all the same: then nothing was bought by it
	}
	return r.look(t, v)
}

// ordered remembers what came of the call, and writes it down.
//
//go:noinline
func (r *Reconciler) ordered(ctx context.Context, t turn, v *View, d *Decision, intent *databasev1.CreateIntent, created cloud.Created, err error) (reconcile.Result, error) {
	uid := v.Object.UID
	var e *cloud.Error
	switch {
	case err == nil && (created.ID != "" || len(created.Orders) > 0):
		r.outcomes.keep(t.key, uid, intent, Outcome{Created: created})
		return r.bought(ctx, t, v, d, created)
	case errors.As(err, &e) && definite(e.Class):
		r.outcomes.keep(t.key, uid, intent, Outcome{Nothing: true})
		return r.notBought(ctx, t, v, e)
	case err == nil:
		err = errors.New("the cloud said yes, and named neither an instance nor an order")
	}
	t.log.Warn("the answer to the purchase was lost: looking for the instance before ordering again", "error", err.Error())
	lost := markAmbiguous(*v)
	return r.keepBooks(ctx, t, v, &lost)
}

// unkept shows that a purchase cannot be written down. It is not made then: nobody
// would know of it after a restart.
//
//go:noinline
func (r *Reconciler) unkept(ctx context.Context, t turn, v *View) (reconcile.Result, error) {
	note := fmt.Sprintf("nothing was bought: the API server took the intent to buy (status.create) and did not keep it, so its CRD is of another version than Mote (mote crds | kubectl apply -f -); trying again in %s", v.Settings.SlowRetry)
	t.log.Warn("nothing was bought: the API server does not keep the intent")
	err := r.show(ctx, t, *v, &Show{Phase: databasev1.PhaseFailed, Reason: "IntentNotKept", Message: note},
		&Event{Warning: true, Reason: "IntentNotKept", Action: "Buy", Note: note})
	return reconcile.Result{After: v.Settings.SlowRetry}, err
}

// order makes the one call that may buy. One that was turned away for its rate has
// bought nothing, and is made again within sitOut.
func (r *Reconciler) order(ctx context.Context, t turn, region string, uid types.UID, intent *databasev1.CreateIntent, request *cloud.CreateRequest) (cloud.Created, error) {
	for waited := time.Duration(0); ; {
		r.outcomes.drop(t.key)
		created, err := r.api.Create(ctx, region, *request)
		var e *cloud.Error
		if !errors.As(err, &e) || e.Class != cloud.Throttled || e.RetryAfter <= 0 {
			return created, err
		}
		if waited += e.RetryAfter; waited > sitOut {
			return created, err
		}
		r.outcomes.keep(t.key, uid, intent, Outcome{Nothing: true})
		select {
		case <-time.After(e.RetryAfter):
		case <-ctx.Done():
			return created, err
		}
		if t.Now().Sub(intent.StartedAt.Time) > callWithin { // asleep with its machine
			return created, err
		}
	}
}

// bought writes down what a purchase brought. When the object was changed during
// the call, the next turn does, from what is remembered.
func (r *Reconciler) bought(ctx context.Context, t turn, v *View, d *Decision, created cloud.Created) (reconcile.Result, error) {
	st := Status(*v, *d.Show)
	after := v.Settings.Watchful
	if created.ID != "" {
		st.InstanceID, st.Create = created.ID, nil
	} else {
		intent := *st.Create
		intent.Orders = created.Orders
		st.Create, after = &intent, orderRetry
	}
	if err := t.PatchStatusChecked(ctx, st); err != nil {
		return reconcile.Result{}, err
	}
	r.outcomes.drop(t.key)
	if created.ID != "" {
		r.follows.track(t.key, v.Region(), created.ID, 0, true)
	}
	r.tell(ctx, t, d.Event)
	return reconcile.Result{After: after}, nil
}

// notBought ends an intent that certainly bought nothing, and shows why. With it
// the reason for the finalizer is gone.
func (r *Reconciler) notBought(ctx context.Context, t turn, v *View, e *cloud.Error) (reconcile.Result, error) {
	v.Object.Status.Create = nil
	f := onFailure(*v, e)
	warn(t, e, f)
	st := v.Object.Status
	if f.Show != nil {
		st = Status(*v, *f.Show)
	}
	if err := t.PatchStatusChecked(ctx, st); err != nil {
		return reconcile.Result{}, err
	}
	r.outcomes.drop(t.key)
	r.tell(ctx, t, f.Event)
	return reconcile.Result{After: f.After, Retry: f.Retry}, t.RemoveFinalizer(ctx, databasev1.Finalizer)
}

// keepBooks writes down what has become known of a purchase: its instance, its
// orders, one more look-up without it, or that there was none.
func (r *Reconciler) keepBooks(ctx context.Context, t turn, v *View, d *Decision) (reconcile.Result, error) {
	st := v.Object.Status
	if d.Show != nil {
		st = Status(*v, *d.Show)
	}
	if st.Create != nil {
		intent := *st.Create
		st.Create = &intent
	}
	res := reconcile.Result{After: d.After}
	switch d.Do {
	case RecordID:
		if d.InstanceID == "" {
			return res, errors.New("an instance without an id was found; this is a bug in Mote")
		}
		st.InstanceID, st.Region, st.Create, res.After = d.InstanceID, v.Region(), nil, time.Second
	case RecordOrders:
		st.Create.Orders, res.After = d.Orders, soon
	case MarkAmbiguous:
		now := metav1.NewTime(v.Now)
		st.Create.AmbiguousSince, st.Create.CleanLookups = &now, 0
	case CountLookup:
		st.Create.CleanLookups++
	case ClearIntent:
		st.Create, res.After = nil, soon
	default:
		return res, fmt.Errorf("%s keeps no books; this is a bug in Mote", d.Do)
	}
	if err := t.PatchStatusChecked(ctx, st); err != nil {
		return reconcile.Result{}, err
	}
	r.outcomes.drop(t.key)
	if d.Do == RecordID {
		r.follows.track(t.key, st.Region, d.InstanceID, 0, true)
	}
	r.tell(ctx, t, d.Event)
	return res, nil
}
