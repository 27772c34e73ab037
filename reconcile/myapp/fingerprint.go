package myapp

import (
	"encoding/json"
	"hash/fnv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// deploymentFingerprint sums up what an app's status and drift are judged by. The
// spec is in the generation. Of a rollout that gets on, only its end counts: each
// pod that comes up would else be a turn and a write of the status, while the turn
// that began it looks again by itself. Once it has ended, or failed, each pod counts.
func deploymentFingerprint(u *unstructured.Unstructured) uint64 {
	r := readRollout(u)
	want, _ := liveReplicas(u)
	var counts []int32
	if r.settled || r.failure != "" {
		counts = []int32{r.replicas, r.updated, r.ready, r.available}
	}
	return sum(u.GetUID(), u.GetGeneration(), u.GetDeletionTimestamp(), u.GetLabels(), u.GetOwnerReferences(),
		u.GetAnnotations()[annotationApplied],
		r.complete(int32(want)), r.settled, r.failure, counts)
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
