package myapp

import (
	"maps"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// wantedReplicas is how many pods there should be: what the app says, or else
// what the Deployment has from whoever scales it.
func wantedReplicas(app *examplev1.MyApp, live *unstructured.Unstructured) int32 {
	if app.Spec.Replicas != nil {
		return *app.Spec.Replicas
	}
	if n, there := liveReplicas(live); there {
		return int32(n)
	}
	return 1 // the API server's default
}

func liveReplicas(live *unstructured.Unstructured) (int64, bool) {
	if live == nil {
		return 0, false
	}
	n, there, _ := unstructured.NestedInt64(live.Object, "spec", "replicas")
	return n, there
}

// keepingReplicas is a Deployment's manifest that leaves the number of replicas
// as it is, where the app has no opinion on it. An apply that leaves out what it
// stated before makes it the API server's default, 1. So as long as the number is
// one that Mote stated, it goes on stating it; once somebody else has scaled the
// Deployment, the number is theirs, and is not stated any more. If they come
// between the look and the apply, that is a Conflict.
func keepingReplicas(app *examplev1.MyApp, manifest map[string]any, live *unstructured.Unstructured) map[string]any {
	n, there := liveReplicas(live)
	if app.Spec.Replicas != nil || !there || !stated(live, "f:spec", "f:replicas") {
		return manifest
	}
	out, spec := maps.Clone(manifest), maps.Clone(manifest["spec"].(map[string]any))
	spec["replicas"] = n
	out["spec"] = spec
	return out
}

// onlyFewer tells whether a Deployment's manifest changes nothing but the number of
// replicas, to a smaller one: that starts no pod.
func onlyFewer(live *unstructured.Unstructured, manifest map[string]any) bool {
	n, there := liveReplicas(live)
	want, stated := at(manifest, "spec")["replicas"].(int64)
	if !there || !stated || want >= n || putBack(live.Object, manifest) != nil {
		return false
	}
	all := changes(live.Object, manifest)
	return len(all) == 1 && all[0].Path == "spec.replicas"
}

// stated tells whether a field is one that Mote applied.
func stated(live *unstructured.Unstructured, path ...string) bool {
	field, _, _ := unstructured.NestedFieldNoCopy(live.Object, "metadata", "managedFields")
	entries, _ := field.([]any)
	for _, e := range entries {
		e, _ := e.(map[string]any)
		if e["manager"] != reconcile.FieldManager || e["operation"] != string(metav1.ManagedFieldsOperationApply) {
			continue
		}
		fields, _ := e["fieldsV1"].(map[string]any)
		if _, there, _ := unstructured.NestedFieldNoCopy(fields, path...); there {
			return true
		}
	}
	return false
}
