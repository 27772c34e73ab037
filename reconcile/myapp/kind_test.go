package myapp

import (
	"testing"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestKind(t *testing.T) {
	k := New(Options{}).Kind(reconcile.Selection{Namespace: "shop"}, 7)
	if k.Workers != 7 || k.Selection.Namespace != "shop" || len(k.Owned) != int(roles) {
		t.Errorf("got %+v", k)
	}
	for _, phase := range []string{
		examplev1.PhasePending, examplev1.PhaseProgressing, examplev1.PhaseRunning, examplev1.PhaseStopped, examplev1.PhaseDegraded, examplev1.PhaseFailed,
	} {
		u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"phase": phase, "observedGeneration": int64(1)}}}
		u.SetGeneration(1)
		if steady := reconcile.Look(u, k.SteadyPhases, 0).Steady; steady != (phase == examplev1.PhaseRunning || phase == examplev1.PhaseStopped) {
			t.Errorf("%s is steady: %v", phase, steady)
		}
	}
}
