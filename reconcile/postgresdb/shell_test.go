package postgresdb

import (
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

const (
	getSecret   = "GET secrets/orders-connection"
	postSecret  = "POST secrets"
	patchSecret = "PATCH secrets/orders-connection"
	patchObject = "PATCH postgresdbs/orders"
	patchStatus = "PATCH postgresdbs/orders/status"
)

// firstTurn is what buying takes, in order. Before the call everything is written
// that it takes to find the instance again.
var firstTurn = []string{
	"GET postgresdbs/orders",
	getSecret, postSecret, getSecret, // the password is stored
	"cloud Subnet", "cloud Versions", "cloud Classes",
	"cloud Find",   // nothing was bought before
	patchObject,    // the finalizer
	patchStatus,    // the intent
	"cloud Create", // the one call
	patchStatus,    // the id
}

func TestPurchaseStepByStep(t *testing.T) {
	r := newRig(t)
	var intent *databasev1.PostgresDB
	r.j.before["cloud Create"] = func() { intent = r.object() }
	r.wantSteps(r.put(nil), firstTurn...)

	if c := intent.Status.Create; c == nil || c.Name != InstanceName(testUID) || c.AmbiguousSince != nil || intent.Status.Region != "ap-guangzhou" || !slices.Contains(intent.Finalizers, databasev1.Finalizer) {
		t.Errorf("at the time of the call the object was %+v", intent)
	}
	o := r.object()
	if o.Status.InstanceID != "postgres-1" || o.Status.Create != nil || o.Status.Phase != "Provisioning" || o.Status.LastReconciled == nil {
		t.Errorf("%+v", o.Status)
	}
	secret := r.api.get("secrets", "orders-connection")
	owner := metaOf(secret)["ownerReferences"].([]any)[0].(map[string]any)
	if owner["uid"] != testUID || owner["controller"] != true || metaOf(secret)["labels"].(map[string]any)["app.kubernetes.io/managed-by"] != "mote" {
		t.Errorf("%v", secret)
	}
	if p := r.secret()["password"]; passwordFault(p) != "" || r.cloud.passwords[0] != p || r.cloud.asked.Tags[TagUID] != testUID {
		t.Errorf("bought with %+v", r.cloud.asked)
	}

	r.wantSteps(r.next(), "GET postgresdbs/orders", "cloud Get", "cloud Find", getSecret, patchSecret, getSecret, patchStatus)
	if status, reason := r.ready(); status != "True" || reason != "Running" {
		t.Error(status, reason)
	}
	if s := r.secret(); s["uri"] != "postgresql://dbadmin:"+s["password"]+"@10.0.0.1:5432/postgres?sslmode=prefer" {
		t.Errorf("%v", s)
	}
}

// A turn of an object that is as it should be writes nothing.
func TestSteadyIsSilent(t *testing.T) {
	r := newRig(t)
	r.put(nil)
	r.settle()
	before := r.object().ResourceVersion
	for range 3 {
		r.wantSteps(r.next(), "GET postgresdbs/orders", "cloud Get", getSecret)
	}
	if after := r.object().ResourceVersion; after != before {
		t.Errorf("version %s became %s", before, after)
	}
	// Keys that somebody else put into the Secret do not disturb.
	r.api.edit("secrets", "orders-connection", func(o map[string]any) { o["data"].(map[string]any)["mine"] = "eA==" })
	r.wantSteps(r.next(), "GET postgresdbs/orders", "cloud Get", getSecret)
	if r.secret()["mine"] != "x" {
		t.Error("what somebody put into the Secret is gone")
	}
}

// Wherever a process dies, with or without the last step taking effect, the next
// one goes on: one instance is bought, and the object comes to run.
func TestDyingAtEveryStep(t *testing.T) {
	for _, unseen := range []bool{false, true} {
		for cut := 2; cut <= len(firstTurn)+1; cut++ { // without the object there is no turn
			r := newRig(t)
			r.j.cut, r.j.unseen = cut, unseen
			r.put(nil)
			r.restart()
			r.settle()
			status, reason := r.ready()
			if len(r.cloud.ledger) != 1 || status != "True" || r.object().Status.InstanceID != "postgres-1" {
				t.Errorf("cut after %d steps, the last one unseen %t: bought %v, %s %s", cut, unseen, r.cloud.ledger, status, reason)
			}
			if got, want := r.secret()["password"], r.cloud.passwords[len(r.cloud.passwords)-1]; got != want {
				t.Errorf("cut after %d steps, the last one unseen %t: the Secret does not hold the instance's password", cut, unseen)
			}
			r.end()
		}
	}
}

// A purchase that certainly bought nothing leaves nothing behind: no intent, and
// no finalizer, so that the object can go whatever has become of the cloud.
func TestDefiniteFailures(t *testing.T) {
	for _, class := range []cloud.Class{cloud.Refused, cloud.Throttled, cloud.NotSent, cloud.Denied, cloud.SoldOut, cloud.Busy} {
		t.Run(string(class), func(t *testing.T) {
			r := newRig(t)
			r.cloud.answers["Create"] = cloudError(class)
			e := r.put(nil)
			r.wantSteps(e, append(slices.Clone(firstTurn), patchObject)...)
			o := r.object()
			if o.Status.Create != nil || o.Status.InstanceID != "" || len(o.Finalizers) != 0 {
				t.Errorf("left behind: %v %+v", o.Finalizers, o.Status)
			}
			if f := onFailure(see(), cloudError(class)); e.After != f.After || e.Retry != f.Retry || e.err != nil {
				t.Errorf("again after %s, retry %t, %v", e.After, e.Retry, e.err)
			}
			r.settle()
			if len(r.cloud.ledger) != 1 || len(r.cloud.passwords) != 2 || r.cloud.passwords[0] != r.cloud.passwords[1] {
				t.Errorf("bought %v", r.cloud.ledger)
			}
		})
	}
}

func TestLostPurchase(t *testing.T) {
	for name, had := range map[string]bool{"had an effect": true, "had none": false} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			if had {
				r.cloud.lost["Create"] = cloudError(cloud.Ambiguous)
			} else {
				r.cloud.answers["Create"] = cloudError(cloud.Ambiguous)
			}
			r.wantSteps(r.put(nil), firstTurn...)
			o := r.object()
			if c := o.Status.Create; c == nil || c.AmbiguousSince == nil || !slices.Contains(o.Finalizers, databasev1.Finalizer) {
				t.Errorf("%v %+v", o.Finalizers, o.Status)
			}
			if _, reason := r.ready(); reason != "CreateOutcomeUnknown" {
				t.Error(reason)
			}
			r.wantSteps(r.next(), "GET postgresdbs/orders", "cloud Find", patchStatus)
			r.settle()
			if len(r.cloud.ledger) != 1 || r.object().Status.InstanceID != "postgres-1" {
				t.Errorf("bought %v", r.cloud.ledger)
			}
			for _, p := range r.cloud.passwords {
				if p != r.secret()["password"] {
					t.Error("not all attempts used the one password")
				}
			}
		})
	}
}

// An object that was changed since it was read is not bought for: the intent is
// refused, so the call is not made.
func TestIntentIsChecked(t *testing.T) {
	r := newRig(t)
	r.j.before[patchStatus] = func() {
		r.api.edit(databasev1.Resource, testName, func(o map[string]any) { specOf(o)["storageGB"] = 200 })
	}
	e := r.put(nil)
	if !apierrors.IsConflict(e.err) || slices.Contains(e.steps, "cloud Create") {
		t.Errorf("%v: %v", e.err, e.steps)
	}
	r.turn() // of the edit
	r.settle()
	if len(r.cloud.ledger) != 1 || r.cloud.asked.StorageGB != 200 {
		t.Errorf("bought %v: %+v", r.cloud.ledger, r.cloud.asked)
	}
}

// An object that was changed during the call gets its id in the next turn, from
// what the process remembers: nothing is looked for.
func TestIDIsWrittenWhateverHappened(t *testing.T) {
	r := newRig(t)
	r.j.before["cloud Create"] = func() {
		r.api.edit(databasev1.Resource, testName, func(o map[string]any) { specOf(o)["storageGB"] = 200 })
	}
	e := r.put(nil)
	if r.wantSteps(e, firstTurn...); !apierrors.IsConflict(e.err) {
		t.Error(e.err)
	}
	r.wantSteps(r.turn(), "GET postgresdbs/orders", patchStatus)
	if o := r.object(); o.Status.InstanceID != "postgres-1" || o.Status.Create != nil {
		t.Errorf("%+v", o.Status)
	}
}

func TestAnswerWithoutAnID(t *testing.T) {
	r := newRig(t)
	r.cloud.nameless = true
	r.put(nil)
	if o := r.object(); o.Status.InstanceID != "" || o.Status.Create == nil || o.Status.Create.AmbiguousSince == nil {
		t.Errorf("%+v", o.Status)
	}
	r.settle()
	if o := r.object(); len(r.cloud.ledger) != 1 || o.Status.InstanceID != "postgres-1" {
		t.Errorf("bought %v, %+v", r.cloud.ledger, o.Status)
	}
}

func TestOrders(t *testing.T) {
	r := newRig(t)
	r.cloud.prepaid = true
	r.put(nil)
	if o := r.object(); o.Status.Create == nil || !slices.Equal(o.Status.Create.Orders, []string{"deal-postgres-1"}) {
		t.Errorf("%+v", o.Status)
	}
	r.wantSteps(r.next(), "GET postgresdbs/orders", "cloud Find", "cloud Orders", patchStatus)
	if o := r.object(); o.Status.InstanceID != "postgres-1" || o.Status.Create != nil {
		t.Errorf("%+v", o.Status)
	}
}

// What a purchase brought is remembered when it cannot be written down, orders
// above all: nothing else leads to what they bring.
func TestOutcomeIsRemembered(t *testing.T) {
	r := newRig(t)
	r.cloud.prepaid = true
	writes := 0
	r.j.before["cloud Create"] = func() {
		r.j.before[patchStatus] = func() { writes++; r.j.fail[patchStatus] = apierrors.NewServiceUnavailable("busy") }
	}
	r.put(nil)
	delete(r.j.fail, patchStatus)
	if o := r.object(); writes != 1 || o.Status.Create == nil || o.Status.Create.Orders != nil {
		t.Fatalf("%d, %+v", writes, o.Status)
	}
	r.wantSteps(r.next(), "GET postgresdbs/orders", patchStatus)
	if o := r.object(); !slices.Equal(o.Status.Create.Orders, []string{"deal-postgres-1"}) {
		t.Errorf("%+v", o.Status)
	}
	r.settle()
	if len(r.cloud.ledger) != 1 {
		t.Errorf("bought %v", r.cloud.ledger)
	}
}

// A purchase that our own rate would turn away costs nothing at all.
func TestPace(t *testing.T) {
	r := newRig(t)
	r.cloud.wait = 2 * sitOut
	e := r.put(nil)
	r.wantSteps(e, "GET postgresdbs/orders")
	if e.After != 2*sitOut || e.Retry {
		t.Errorf("%+v", e.Result)
	}
}
