package myapp

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// rollout is how far a Deployment is, read from its status.
type rollout struct {
	// believed means that the status is about the Deployment as it is now. Until
	// then its numbers are those of something else.
	believed bool
	// fresh means that the Deployment has no status at all yet.
	fresh                               bool
	replicas, updated, ready, available int32
	// settled means that the pod template has been rolled out once: what is
	// missing since is missing from a finished rollout.
	settled bool
	paused  bool
	// progressed is when the Deployment last got on, by its own word; zero: unknown.
	progressed time.Time
	// failure is why the Deployment does not get on, in a word; "": it does.
	failure, message string
}

// readRollout reads a Deployment of ours.
func readRollout(u *unstructured.Unstructured) rollout {
	count := func(field string) int32 {
		n, _, _ := unstructured.NestedInt64(u.Object, "status", field)
		return int32(n)
	}
	observed, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	r := rollout{
		believed:  observed >= u.GetGeneration(),
		fresh:     observed == 0,
		replicas:  count("replicas"),
		updated:   count("updatedReplicas"),
		ready:     count("readyReplicas"),
		available: count("availableReplicas"),
	}
	r.paused, _, _ = unstructured.NestedBool(u.Object, "spec", "paused")
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		r.readCondition(c)
	}
	return r
}

func (r *rollout) readCondition(c any) {
	m, _ := c.(map[string]any)
	text := func(field string) string {
		s, _ := m[field].(string)
		return s
	}
	if t, err := time.Parse(time.RFC3339, text("lastUpdateTime")); err == nil && text("type") == "Progressing" {
		r.progressed = t
	}
	switch kind, status, reason := text("type"), text("status"), text("reason"); {
	case kind == "Progressing" && reason == "NewReplicaSetAvailable":
		r.settled = true
	case kind == "Progressing" && status == "False" && reason == reasonStalled && r.failure == "":
		r.failure, r.message = reasonStalled, text("message")
	case kind == "ReplicaFailure" && status == "True": // a pod cannot even be made: rather the cause than the deadline
		r.failure, r.message = reasonReplicaFailure, text("message")
	}
}

// complete tells whether exactly the wanted number of pods runs, all of them
// from the present template and available.
func (r rollout) complete(want int32) bool {
	return r.believed && r.updated == want && r.replicas == want && r.available == want
}

// onlyPresent tells whether no pod of an earlier template is left.
func (r rollout) onlyPresent() bool { return r.believed && r.updated == r.replicas }

// tally says in words how many of the wanted pods there are.
func (r rollout) tally(want int32) string {
	s := fmt.Sprintf("%d of %d replicas available", min(r.available, want), want) // more while old ones go
	if want == 0 {
		s = fmt.Sprintf("no replicas are wanted, %d left", r.replicas)
	}
	if r.updated < want {
		s += fmt.Sprintf(", %d updated", r.updated)
	}
	if old := r.replicas - r.updated; old > 0 {
		s += fmt.Sprintf(", %d old", old)
	}
	if r.paused {
		s += "; the Deployment is paused"
	}
	return s
}
