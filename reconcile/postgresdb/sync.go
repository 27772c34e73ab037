package postgresdb

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/reconcile"
)

// ConditionSynced is True while the instance is as the spec says, in all that the
// spec speaks of. It is the word of Crossplane's kinds; Ready says whether the
// database can be used as it was asked for, Synced what stands in the way. Its
// reason tells a spec that is ahead of the cloud (Updating) from somebody's change
// in the cloud's console (Drifted).
const ConditionSynced = "Synced"

// Reasons of Synced.
const (
	reasonAsSpecified = "AsSpecified"
	reasonUpdating    = "Updating"
	reasonDrifted     = "Drifted"
	reasonNotCompared = "NotCompared"
)

// Sync is what Synced says; Differs is empty when nothing does.
type Sync struct {
	Drifted bool
	Differs string
}

// differs is what Synced says of a difference. It is drift when the instance was as
// the very same spec says, and stays so until it is that again.
func differs(v View, what string) *Sync {
	c := reconcile.GetCondition(v.Object.Status.Conditions, ConditionSynced)
	same := c != nil && c.ObservedGeneration == v.Object.Generation
	return &Sync{Differs: what, Drifted: same && (c.Status == metav1.ConditionTrue || c.Reason == reasonDrifted)}
}

// notCompared is Synced while a new spec has yet to be compared: Ready says what
// stands in the way.
func notCompared(generation int64) metav1.Condition {
	return metav1.Condition{Type: ConditionSynced, Status: metav1.ConditionUnknown, Reason: reasonNotCompared,
		Message: "the spec has changed, and was not compared with the instance yet", ObservedGeneration: generation}
}

func (s Sync) condition(generation int64) metav1.Condition {
	c := metav1.Condition{Type: ConditionSynced, Status: metav1.ConditionFalse, Reason: reasonUpdating, Message: s.Differs, ObservedGeneration: generation}
	switch {
	case s.Differs == "":
		c.Status, c.Reason, c.Message = metav1.ConditionTrue, reasonAsSpecified, "the instance is as the spec says"
	case s.Drifted:
		c.Reason = reasonDrifted
	}
	return c
}
