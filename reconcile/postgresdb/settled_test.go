package postgresdb

import (
	"reflect"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// settled is an object at rest, and whose spec has changed since.
func settled(respecify func(*databasev1.PostgresDBSpec)) *databasev1.PostgresDB {
	v := see(ran)
	i := dbOf()
	v.Object.Status = Status(v, Show{Phase: databasev1.PhaseRunning, Ready: true, Reason: "Running", Message: "runs", Instance: &i,
		Settled: true, Sync: &Sync{}})
	respecify(&v.Object.Spec)
	v.Object.Generation++
	return v.Object
}

func retain(s *databasev1.PostgresDBSpec) { s.DeletionPolicy = databasev1.DeletionRetain }

func TestSettledAnew(t *testing.T) {
	o := settled(retain)
	st, ok := settledAnew(o)
	if !ok || st.ObservedGeneration != 3 {
		t.Fatalf("%t, generation %d", ok, st.ObservedGeneration)
	}
	for _, c := range st.Conditions {
		if c.ObservedGeneration != 3 || c.Status != metav1.ConditionTrue {
			t.Errorf("%+v", c)
		}
	}
	if o.Status.Conditions[0].ObservedGeneration != 2 {
		t.Error("the object itself was changed")
	}
	o.Status = st
	o.Generation++
	if st, ok = settledAnew(o); !ok || st.ObservedGeneration != 4 {
		t.Errorf("a second time: %t, generation %d", ok, st.ObservedGeneration)
	}
	o.Status.Conditions = reconcile.SetCondition(o.Status.Conditions, metav1.Condition{Type: ConditionCloudReachable, Status: metav1.ConditionTrue, ObservedGeneration: 1}, present)
	if st, ok = settledAnew(o); !ok || len(st.Conditions) != 3 {
		t.Errorf("after an outage: %t %+v", ok, st.Conditions)
	}
}

// A Mote of before settledSpec was there has made the instance as another spec says, and
// the spec is taken back: what was settled once says nothing of that instance.
func TestNotSettledAnewAfterADowngrade(t *testing.T) {
	o := settled(retain)
	if _, ok := settledAnew(o); !ok {
		t.Fatal("it is not settled")
	}
	i := dbOf()
	i.StorageGB += 10
	o.Status.InstanceFingerprint = strconv.FormatUint(i.Fingerprint(), 16)
	if _, ok := settledAnew(o); ok {
		t.Error("a change that has to be looked at is taken for none")
	}
}

// A status that is written so is the one that a whole turn would have written.
func TestSettledAnewIsWhatATurnWrites(t *testing.T) {
	o := settled(retain)
	st, _ := settledAnew(o)
	i := dbOf()
	whole := Status(View{Object: o, Now: present, Settings: see().Settings}, Show{Phase: databasev1.PhaseRunning, Ready: true, Reason: "Running", Message: "runs",
		Instance: &i, Settled: true, Sync: &Sync{}})
	if !reflect.DeepEqual(whole, st) {
		t.Errorf("a whole turn: %+v\nthis one: %+v", whole, st)
	}
}

func TestNotSettledAnew(t *testing.T) {
	yes := true
	for name, respecify := range map[string]func(*databasev1.PostgresDBSpec){
		"storage":         func(s *databasev1.PostgresDBSpec) { s.StorageGB = 120 },
		"class":           func(s *databasev1.PostgresDBSpec) { s.InstanceClass = "4C8G" },
		"version":         func(s *databasev1.PostgresDBSpec) { s.EngineVersion = "15" },
		"protection":      func(s *databasev1.PostgresDBSpec) { s.DeletionProtection = &yes },
		"tags":            func(s *databasev1.PostgresDBSpec) { s.Tags = map[string]databasev1.TagValue{"a": "b"} },
		"security groups": func(s *databasev1.PostgresDBSpec) { s.SecurityGroupIDs = []string{"sg-1"} },
		"Secret":          func(s *databasev1.PostgresDBSpec) { s.ConnectionSecretName = "other" },
		"window":          func(s *databasev1.PostgresDBSpec) { s.MaintenanceWindow = "02:00-04:00" },
		"charge type":     func(s *databasev1.PostgresDBSpec) { s.ChargeType = "Prepaid" },
		"policy and more": func(s *databasev1.PostgresDBSpec) { retain(s); s.StorageGB = 110 },
	} {
		if _, ok := settledAnew(settled(respecify)); ok {
			t.Errorf("%s: a change that has to be looked at is taken for none", name)
		}
	}
	at := metav1.NewTime(present)
	condition := func(kind string, status metav1.ConditionStatus) func(*databasev1.PostgresDB) {
		return func(o *databasev1.PostgresDB) {
			o.Status.Conditions = reconcile.SetCondition(o.Status.Conditions, metav1.Condition{Type: kind, Status: status, Reason: "X",
				ObservedGeneration: o.Status.ObservedGeneration}, present)
		}
	}
	for name, change := range map[string]func(*databasev1.PostgresDB){
		"deleted":             func(o *databasev1.PostgresDB) { o.DeletionTimestamp = &at },
		"no finalizer":        func(o *databasev1.PostgresDB) { o.Finalizers = nil },
		"phase":               func(o *databasev1.PostgresDB) { o.Status.Phase = databasev1.PhaseUpdating },
		"no instance":         func(o *databasev1.PostgresDB) { o.Status.InstanceID = "" },
		"open intent":         func(o *databasev1.PostgresDB) { o.Status.Create = &databasev1.CreateIntent{} },
		"open change":         func(o *databasev1.PostgresDB) { o.Status.Change = &databasev1.CloudChange{} },
		"never settled":       func(o *databasev1.PostgresDB) { o.Status.SettledSpec = "" },
		"no conditions":       func(o *databasev1.PostgresDB) { o.Status.Conditions = nil },
		"stale condition":     func(o *databasev1.PostgresDB) { o.Status.ObservedGeneration++ },
		"not ready":           condition(reconcile.ConditionReady, metav1.ConditionFalse),
		"not as specified":    condition(ConditionSynced, metav1.ConditionFalse),
		"degraded":            condition(ConditionDegraded, metav1.ConditionTrue),
		"cloud out of reach":  condition(ConditionCloudReachable, metav1.ConditionFalse),
		"was paused":          condition(reconcile.ConditionPaused, metav1.ConditionTrue),
		"a condition unknown": condition("Other", metav1.ConditionTrue),
	} {
		o := settled(retain)
		if change(o); name == "never settled" && o.Status.SettledSpec != "" {
			t.Fatal("the test tests nothing")
		}
		if _, ok := settledAnew(o); ok {
			t.Errorf("%s: taken for settled", name)
		}
	}
}
