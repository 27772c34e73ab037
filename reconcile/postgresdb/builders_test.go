package postgresdb

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// tweak changes a view that a decision is tried on.
type tweak func(*View)

// see is the view of a new object, when nothing was looked at yet, with changes.
func see(tweaks ...tweak) View {
	settings := DefaultSettings
	settings.Region = "ap-guangzhou"
	o := &databasev1.PostgresDB{}
	o.Namespace, o.Name, o.UID, o.Generation = testNamespace, testName, testUID, 2
	o.CreationTimestamp = metav1.NewTime(present.Add(-time.Hour))
	o.Spec = databasev1.PostgresDBSpec{EngineVersion: "14.1", InstanceClass: "2C4G", StorageGB: 100, SubnetID: "subnet-1",
		ChargeType: string(cloud.PostpaidByHour), DeletionPolicy: databasev1.DeletionIsolate, AdminUser: "dbadmin"}
	v := View{Object: o, Now: present, Settings: settings}
	for _, t := range tweaks {
		t(&v)
	}
	return v
}

func finalizer(v *View) { v.Object.Finalizers = []string{databasev1.Finalizer} }

func spec1(change func(*databasev1.PostgresDBSpec)) tweak {
	return func(v *View) { change(&v.Object.Spec) }
}

func policyIs(p string) tweak { return func(v *View) { v.Object.Spec.DeletionPolicy = p } }

func protection(on bool) tweak { return func(v *View) { v.Object.Spec.DeletionProtection = &on } }

// bought: the status names the instance, which is in a phase.
func bought(phase string) tweak {
	return func(v *View) {
		finalizer(v)
		st := &v.Object.Status
		st.InstanceID, st.Region, st.Phase = "postgres-1", "ap-guangzhou", phase
		st.ObservedGeneration = v.Object.Generation
	}
}

// ran: it has had an address.
func ran(v *View) {
	bought(databasev1.PhaseRunning)(v)
	v.Object.Status.Endpoint = "10.0.0.1:5432"
}

func deletedSince(d time.Duration) tweak {
	return func(v *View) {
		at := metav1.NewTime(present.Add(-d))
		v.Object.DeletionTimestamp = &at
	}
}

var deleted = deletedSince(time.Second)

// changedSince: the status was last written so long ago.
func changedSince(d time.Duration) tweak {
	return func(v *View) {
		at := metav1.NewTime(present.Add(-d))
		v.Object.Status.LastReconciled = &at
	}
}

func readyCondition(reason, message string) tweak {
	return func(v *View) {
		v.Object.Status.Conditions = []metav1.Condition{{Type: reconcile.ConditionReady, Status: metav1.ConditionFalse, Reason: reason, Message: message,
			ObservedGeneration: v.Object.Generation, LastTransitionTime: metav1.NewTime(present.Add(-time.Hour))}}
	}
}

// openIntent, ambiguous since so long when since is not negative.
func openIntent(since time.Duration, clean int32, orders ...string) tweak {
	return func(v *View) {
		finalizer(v)
		v.Object.Status.Region = "ap-guangzhou"
		i := &databasev1.CreateIntent{Name: InstanceName(testUID), StartedAt: metav1.NewTime(present.Add(-time.Hour)), CleanLookups: clean, Orders: orders}
		if since >= 0 {
			at := metav1.NewTime(present.Add(-since))
			i.AmbiguousSince = &at
		}
		v.Object.Status.Create = i
	}
}

const unmarked = -1 // an intent that is not marked ambiguous

func outcome(o Outcome) tweak { return func(v *View) { v.Outcome = &o } }

func pace(d time.Duration) tweak { return func(v *View) { v.Pace = &d } }

// testPassword is one that the cloud takes.
const testPassword = "pw-1Abcdef"

// secretIs is a Secret of ours with a password, with changes.
func secretIs(change ...func(*Secret)) tweak {
	return func(v *View) {
		s := &Secret{Exists: true, Ours: true, Noted: true, Data: map[string]string{"user": "dbadmin", "password": testPassword}}
		for _, c := range change {
			c(s)
		}
		v.Secret = s
	}
}

func noSecret(v *View) { v.Secret = &Secret{} }

// connected is a Secret that leads to the instance.
func connected(change ...func(*Secret)) tweak {
	return func(v *View) {
		s := &Secret{Exists: true, Ours: true, Noted: true, Data: connection(v.Object, dbOf(), map[string]string{"password": testPassword})}
		for _, c := range change {
			c(s)
		}
		v.Secret = s
	}
}

func subnet(v *View) {
	v.Subnet = &cloud.Subnet{ID: "subnet-1", VPCID: "vpc-1", Zone: "ap-guangzhou-6"}
}

func offer(v *View) {
	v.Offer = &Offer{
		Versions: []cloud.Version{{Major: "13", Minor: "13.9", Available: true}, {Major: "14", Minor: "14.10", Available: true}, {Major: "15", Minor: "15.1"}},
		Classes: []cloud.InstanceClass{{SpecCode: "pg.small", CPU: 2, MemoryGB: 4, MinStorage: 10, MaxStore: 1000},
			{SpecCode: "pg.fast", CPU: 4, MemoryGB: 8, MinStorage: 10, MaxStore: 1000}},
	}
}

// readyToBuy: all was looked at that a purchase needs.
func readyToBuy(v *View) {
	pace(0)(v)
	secretIs()(v)
	subnet(v)
	offer(v)
	v.Found = &[]cloud.Instance{}
}

// dbOf is the object's instance, which runs as the spec says, with changes.
func dbOf(change ...func(*cloud.Instance)) cloud.Instance {
	i := cloud.Instance{ID: "postgres-1", Name: InstanceName(testUID), Region: "ap-guangzhou", State: cloud.StateRunning, Status: "running",
		CPU: 2, MemoryGB: 4, StorageGB: 100, Major: "14", Version: "14.10", Kernel: "v14.10_r1.1", Host: "10.0.0.1", Port: 5432,
		ChargeType: cloud.PostpaidByHour, Tags: map[string]string{TagUID: testUID, TagObject: testNamespace + "/" + testName}}
	for _, c := range change {
		c(&i)
	}
	return i
}

func inState(s cloud.State) func(*cloud.Instance) {
	return func(i *cloud.Instance) { i.State, i.Status = s, "cloud's "+string(s) }
}

func called(id string) func(*cloud.Instance) { return func(i *cloud.Instance) { i.ID = id } }

func seenAs(change ...func(*cloud.Instance)) tweak {
	return func(v *View) { v.Instance = &Sighting{Live: true, Instance: dbOf(change...)} }
}

// lately: it was the cloud's watch that saw it.
func lately(v *View) { v.Instance.Live = false }

func unknown(v *View) { v.Instance = &Sighting{Live: true, Gone: true} }

func found(all ...cloud.Instance) tweak { return func(v *View) { v.Found = &all } }

// expected is what is asked of a decision; what is empty is not asked.
type expected struct {
	do     Action
	phase  string
	reason string
	id     string
	after  time.Duration
}

// ruling is a decision that is right.
type ruling struct {
	name string
	v    View
	want expected
}

func (c ruling) check(t *testing.T) Decision {
	t.Helper()
	d := Decide(c.v)
	var phase, reason string
	if d.Show != nil {
		phase, reason = d.Show.Phase, d.Show.Reason
	}
	got := expected{d.Do, phase, reason, d.InstanceID, d.After}
	w := c.want
	if w.do != got.do || w.phase != "" && w.phase != got.phase || w.reason != "" && w.reason != got.reason ||
		w.id != "" && w.id != got.id || w.after != 0 && w.after != got.after {
		t.Errorf("decided %+v, want %+v", got, w)
	}
	return d
}

func check(t *testing.T, all []ruling) {
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) { c.check(t) })
	}
}
