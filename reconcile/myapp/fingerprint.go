package myapp

import (
	"encoding/json"
	"hash/fnv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// deploymentFingerprint sums up what an app's status and drift are judged by.
// The spec is in the generation; times and messages of conditions are left out,
// because they change with every pod that comes up.
func deploymentFingerprint(u *unstructured.Unstructured) uint64 {
	r := readRollout(u)
	type word struct{ Type, Status, Reason string }
	var words []word
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		m, _ := c.(map[string]any)
		var w word
		w.Type, _ = m["type"].(string)
		w.Status, _ = m["status"].(string)
		w.Reason, _ = m["reason"].(string)
		words = append(words, w)
	}
	return sum(u.GetUID(), u.GetGeneration(), u.GetDeletionTimestamp(), u.GetLabels(), u.GetOwnerReferences(),
		u.GetAnnotations()[annotationApplied],
		r.believed, r.replicas, r.updated, r.ready, r.available, words)
}

// contentFingerprint sums up a child that has no generation to tell of a change
// of its content: all but what the API server keeps for itself, and the status.
func contentFingerprint(u *unstructured.Unstructured) uint64 {
	content := map[string]any{}
	for k, v := range u.Object {
		if k != "status" && k != "metadata" {
			content[k] = v
		}
	}
	meta := map[string]any{}
	if m, ok := u.Object["metadata"].(map[string]any); ok {
		for k, v := range m {
			if k != "managedFields" && k != "resourceVersion" {
				meta[k] = v
			}
		}
	}
	return sum(content, meta)
}

// sum hashes plain values; maps are written with sorted keys.
func sum(values ...any) uint64 {
	h := fnv.New64a()
	if err := json.NewEncoder(h).Encode(values); err != nil {
		panic("plain values: " + err.Error())
	}
	return h.Sum64()
}
