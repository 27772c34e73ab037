package postgresdb

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/reconcile"
)

func TestStatusShows(t *testing.T) {
	v := see(bought("Provisioning"))
	i := dbOf()
	st := Status(v, Show{Phase: "Running", Ready: true, Reason: "Running", Message: "runs", Instance: &i, Degraded: "read-only"})
	if st.Phase != "Running" || st.Endpoint != "10.0.0.1:5432" || st.InstanceClass != "2C4G" || st.StorageGB != 100 || st.EngineVersion != "14.10" ||
		st.ObservedGeneration != 2 || st.InstanceID != "postgres-1" || st.Region != "ap-guangzhou" {
		t.Errorf("%+v", st)
	}
	ready, degraded := reconcile.GetCondition(st.Conditions, "Ready"), reconcile.GetCondition(st.Conditions, ConditionDegraded)
	if ready.Status != metav1.ConditionTrue || ready.Reason != "Running" || ready.Message != "runs" || ready.ObservedGeneration != 2 || !ready.LastTransitionTime.Time.Equal(present) {
		t.Errorf("%+v", ready)
	}
	if degraded.Status != metav1.ConditionTrue || degraded.Message != "read-only" {
		t.Errorf("%+v", degraded)
	}
	if v.Object.Status.Phase != "Provisioning" || v.Object.Status.Conditions != nil {
		t.Error("the object itself was changed")
	}
}

func TestStatusKeepsWhatItSaysNothingOf(t *testing.T) {
	v := see(ran, openIntent(0, 1))
	v.Object.Status.InstanceClass, v.Object.Status.StorageGB = "2C4G", 100
	st := Status(v, Show{Phase: "Failed", Reason: "X"})
	if st.Endpoint != "10.0.0.1:5432" || st.InstanceClass != "2C4G" || st.StorageGB != 100 || st.Create == nil || st.InstanceID != "postgres-1" {
		t.Errorf("%+v", st)
	}
}

// lastTransitionTime is when Ready last turned, not when its words changed.
func TestTransitionTimes(t *testing.T) {
	v := see(bought("Provisioning"))
	at := func(st time.Time, s Show) time.Time {
		v.Now = st
		v.Object.Status = Status(v, s)
		return reconcile.GetCondition(v.Object.Status.Conditions, "Ready").LastTransitionTime.Time
	}
	down, up := Show{Reason: "Creating"}, Show{Ready: true, Reason: "Running"}
	if got := at(present, down); !got.Equal(present) {
		t.Error(got)
	}
	if got := at(present.Add(time.Minute), Show{Reason: "Other"}); !got.Equal(present) {
		t.Error(got)
	}
	if got := at(present.Add(2*time.Minute), up); !got.Equal(present.Add(2 * time.Minute)) {
		t.Error(got)
	}
	if got := at(present.Add(3*time.Minute), up); !got.Equal(present.Add(2 * time.Minute)) {
		t.Error(got)
	}
	degraded := up
	degraded.Degraded = "slow"
	at(present.Add(4*time.Minute), degraded)
	at(present.Add(5*time.Minute), up)
	if c := v.Object.Status.Conditions; len(c) != 1 {
		t.Errorf("no longer degraded, and still says so: %+v", c)
	}
}

// An address or a version that went away is not shown any more.
func TestStatusForgetsWhatWentAway(t *testing.T) {
	v := see(ran)
	i := dbOf()
	i.Host, i.Port = "", 0
	if st := Status(v, Show{Phase: "Provisioning", Reason: "Creating", Instance: &i}); st.Endpoint != "" {
		t.Error(st.Endpoint)
	}
}

// What Synced said of an earlier spec, it does not say of this one.
func TestSyncedOfAnEarlierSpec(t *testing.T) {
	v := see(ran)
	v.Object.Status = Status(v, Show{Phase: "Running", Ready: true, Reason: "Running", Settled: true, Sync: &Sync{}})
	synced := func(st []metav1.Condition) metav1.Condition { return *reconcile.GetCondition(st, ConditionSynced) }
	refused := Show{Phase: "Failed", Reason: "CloudRefused", Message: "no"}
	if c := synced(Status(v, refused).Conditions); c.Status != metav1.ConditionTrue || c.ObservedGeneration != 2 {
		t.Errorf("of the same spec: %+v", c)
	}
	v.Object.Generation++
	if c := synced(Status(v, refused).Conditions); c.Status != metav1.ConditionUnknown || c.Reason != "NotCompared" || c.ObservedGeneration != 3 {
		t.Errorf("of a new spec: %+v", c)
	}
	v.Object.Status = Status(v, refused)
	if s := differs(v, "a becomes b"); s.Drifted {
		t.Error("a new spec is taken for somebody's change in the cloud")
	}
	deleted(&v)
	v.Object.Generation++
	if c := synced(Status(v, refused).Conditions); c.ObservedGeneration != 3 {
		t.Errorf("of an object that is deleted: %+v", c)
	}
}
