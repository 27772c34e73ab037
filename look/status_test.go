package look

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/schema"
)

// TestReplicasOfARow: an app that does not say how many has one, also before anybody
// has seen it, or what somebody scales its Deployment to.
func TestReplicasOfARow(t *testing.T) {
	type object = map[string]any
	for name, c := range map[string]struct {
		spec, status object
		want         string
	}{
		"not seen yet":    {object{}, nil, "0/1"},
		"not seen, 3":     {object{"replicas": int64(3)}, nil, "0/3"},
		"runs":            {object{}, object{"phase": "Running", "replicas": int64(1), "availableReplicas": int64(1)}, "1/1"},
		"scaled":          {object{}, object{"phase": "Running", "replicas": int64(4), "availableReplicas": int64(2)}, "2/4"},
		"scaled to none":  {object{}, object{"phase": "Running", "replicas": int64(0)}, "0/0"},
		"stopped, unseen": {object{"replicas": int64(0)}, nil, "0/0"},
	} {
		u := &unstructured.Unstructured{Object: object{"spec": c.spec, "metadata": object{"name": "a"}}}
		if c.status != nil {
			u.Object["status"] = c.status
		}
		if got := RowOf(schema.Named("myapp"), u).Where; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestDeletedRow: what a status says from before the deletion is not what is waited for.
func TestDeletedRow(t *testing.T) {
	type object = map[string]any
	for phase, want := range map[string]string{
		"Running":  "the deletion to end; the status does not speak of it yet",
		"Deleting": "Deleting: it hangs",
	} {
		u := &unstructured.Unstructured{Object: object{"metadata": object{"name": "a", "deletionTimestamp": "2026-01-01T00:00:00Z"},
			"status": object{"phase": phase, "conditions": []any{object{"type": "Ready", "status": "False", "reason": "Deleting", "message": "it hangs"}}}}}
		if r := RowOf(schema.Named("myapp"), u); r.WaitsFor != want || r.Ready {
			t.Errorf("%s: waits for %q, ready %v", phase, r.WaitsFor, r.Ready)
		}
	}
}
