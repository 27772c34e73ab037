package myapp

import (
	"testing"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func nobodys(a *examplev1.MyApp) { a.Spec.Replicas = nil }

// managed says who has stated or set a Deployment's replicas.
func managed(u *unstructured.Unstructured, manager, operation string) {
	_ = unstructured.SetNestedSlice(u.Object, []any{
		map[string]any{"manager": "other", "operation": "Apply", "fieldsV1": map[string]any{"f:spec": map[string]any{"f:replicas": map[string]any{}}}},
		map[string]any{"manager": manager, "operation": operation, "fieldsV1": map[string]any{"f:spec": map[string]any{"f:replicas": map[string]any{}}}},
	}, "metadata", "managedFields")
}

// Replicas that an app leaves out are stated only as long as Mote's own word is
// all that keeps them from falling to 1.
func TestReplicasLeftOut(t *testing.T) {
	live := func(n int64, manager, operation string) *unstructured.Unstructured {
		u := liveOf(t, wanted(newApp())[deployment])
		u.Object["spec"].(map[string]any)["replicas"] = n
		managed(u, manager, operation)
		return u
	}
	for name, c := range map[string]struct {
		app    *examplev1.MyApp
		live   *unstructured.Unstructured
		stated any // nil: nothing
		wanted int32
	}{
		"said":                     {newApp(), live(7, "mote", "Apply"), int64(3), 3},
		"nobody's, a new one":      {newApp(nobodys), nil, nil, 1},
		"once Mote's":              {newApp(nobodys), live(7, "mote", "Apply"), int64(7), 7},
		"an autoscaler's":          {newApp(nobodys), live(7, "kube-controller-manager", "Update"), nil, 7},
		"stopped by kubectl scale": {newApp(nobodys), live(0, "kubectl", "Update"), nil, 0},
		"Mote's by an Update":      {newApp(nobodys), live(7, "mote", "Update"), nil, 7},
	} {
		manifest := wanted(c.app)[deployment]
		before := hash(manifest)
		got := keepingReplicas(c.app, manifest, c.live)["spec"].(map[string]any)["replicas"]
		if got != c.stated || wantedReplicas(c.app, c.live) != c.wanted {
			t.Errorf("%s: states %v, wants %d; want %v, %d", name, got, wantedReplicas(c.app, c.live), c.stated, c.wanted)
		}
		if hash(manifest) != before {
			t.Errorf("%s: the manifest was changed", name)
		}
	}
}

// Who scales the Deployment of an app without replicas is followed, not fought.
func TestScaledByOthers(t *testing.T) {
	for name, c := range map[string]struct {
		was                 int32 // pods of the last turn, when all was well
		replicas, available int64
		phase               string
	}{
		"up":         {3, 5, 3, "Progressing"},
		"up, done":   {3, 5, 5, "Running"},
		"down":       {3, 1, 3, "Progressing"},
		"stopped":    {3, 0, 0, "Stopped"},
		"a pod lost": {5, 5, 4, "Degraded"},
	} {
		app := newApp(nobodys, after(examplev1.PhaseRunning, reasonAvailable, 1, 0))
		app.Status.Replicas = c.was
		kids := allLive(t, app)
		kids[deployment].live.Object["spec"].(map[string]any)["replicas"] = c.replicas
		pods := max(c.replicas, c.available)
		rolledOut(kids[deployment].live, pods, pods, c.available, settled)
		d := decide(app, wanted(app), view{kids: kids, cause: &cause{}}, noon)
		if d.write != nil || d.status.Phase != c.phase {
			t.Errorf("%s: %s, writes %v; want %s", name, d.status.Phase, d.write != nil, c.phase)
		}
		if ready := reconcile.GetCondition(d.status.Conditions, reconcile.ConditionReady); ready.ObservedGeneration != 1 {
			t.Errorf("%s: %+v", name, ready)
		}
	}
}
