package postgresdb

import (
	"testing"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

func TestLaneOf(t *testing.T) {
	for _, c := range []struct {
		what, region, id, adopt, phase, want string
	}{
		{"new", "", "", "", "", "here purchases"},
		{"new elsewhere", "there", "", "", databasev1.PhasePending, "there purchases"},
		{"bought", "", "postgres-1", "", databasev1.PhaseProvisioning, "here coming up"},
		{"to be adopted", "there", "", "postgres-1", "", "there coming up"},
		{"in use", "", "postgres-1", "", databasev1.PhaseRunning, "here"},
		{"being changed", "there", "postgres-1", "", databasev1.PhaseUpdating, "there"},
		{"in trouble", "", "postgres-1", "", databasev1.PhaseFailed, "here"},
		{"on its way out", "", "postgres-1", "", databasev1.PhaseDeleting, "here"},
	} {
		o := &databasev1.PostgresDB{}
		o.Spec.Region, o.Status.InstanceID, o.Spec.InstanceID = c.region, c.id, c.adopt
		o.Status.Phase = c.phase
		if got := laneOf(View{Object: o, Settings: Settings{Region: "here"}}); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// A turn that finds its lane full comes back without a call, and one that was in
// gives its place back.
func TestFullLane(t *testing.T) {
	r := &Reconciler{lanes: cloud.NewLanes[reconcile.Key](2, nil)}
	one, two := reconcile.Key{Name: "one"}, reconcile.Key{Name: "two"}
	o := &databasev1.PostgresDB{}
	v := View{Object: o, Settings: Settings{Region: "here"}}
	var first, second passage
	if first.enter(r, one, &v, ReadSecret) != 0 || first.leave != nil {
		t.Error("what does not go out takes a place")
	}
	if first.enter(r, one, &v, AskPace) != 0 || first.enter(r, one, &v, LookUp) != 0 {
		t.Error("the first does not get in")
	}
	if second.enter(r, two, &v, AskPace) == 0 {
		t.Error("the second gets in as well")
	}
	second.end(r, two)
	o.Status.InstanceID = "postgres-1"
	if second.enter(r, two, &v, ReadInstance) != 0 {
		t.Error("purchases hold up an instance that is there")
	}
	first.end(r, one)
	first.end(r, one) // at the latest the turn's end gives it back
	second.end(r, two)
	o.Status.InstanceID = ""
	var none *passage
	none.end(r, one)
	var third passage
	if wait := third.enter(r, two, &v, AskPace); wait > 0 {
		t.Errorf("a place is not given back: wait %s", wait)
	}
}
