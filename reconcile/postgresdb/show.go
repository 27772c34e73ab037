package postgresdb

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// ConditionDegraded is True while an instance runs, but not as it should.
const ConditionDegraded = "Degraded"

// ConditionCloudReachable is False while the cloud does not answer in the object's
// region and the object needs it; since when and why is in its message. It is there
// from the first outage on. An object that needs nothing of the cloud is not written
// to for the sake of an outage.
const ConditionCloudReachable = "CloudReachable"

// Status is the status that shows s; it keeps what s says nothing of.
func Status(v View, s Show) databasev1.PostgresDBStatus {
	st := v.Object.Status
	st.Phase = s.Phase
	st.Region = v.Region()
	st.ObservedGeneration = v.Object.Generation
	if i := s.Instance; i != nil {
		st.Endpoint, st.InstanceClass, st.StorageGB = i.Endpoint(), i.ClassName(), int32(i.StorageGB)
		st.EngineVersion, st.InstanceFingerprint = i.Version, strconv.FormatUint(i.Fingerprint(), 16)
	}
	switch {
	case s.Settled:
		st.Change, st.AppliedTags, st.SettledSpec = nil, s.TagKeys, specDigest(v.Object.Spec, st.InstanceFingerprint)
	case s.Change != nil:
		st.Change = s.Change
	}
	ready := metav1.Condition{Type: reconcile.ConditionReady, Status: metav1.ConditionFalse, Reason: s.Reason, Message: s.Message,
		ObservedGeneration: v.Object.Generation}
	if s.Ready {
		ready.Status = metav1.ConditionTrue
	}
	st.Conditions = reconcile.SetCondition(st.Conditions, ready, v.Now)
	synced := reconcile.GetCondition(st.Conditions, ConditionSynced)
	switch {
	case s.Sync != nil:
		st.Conditions = reconcile.SetCondition(st.Conditions, s.Sync.condition(v.Object.Generation), v.Now)
	case synced != nil && synced.ObservedGeneration != v.Object.Generation && !v.Deleting():
		st.Conditions = reconcile.SetCondition(st.Conditions, notCompared(v.Object.Generation), v.Now)
	}
	reach := reconcile.GetCondition(st.Conditions, ConditionCloudReachable)
	switch {
	case s.Unreachable != "":
		st.Conditions = reconcile.SetCondition(st.Conditions, metav1.Condition{Type: ConditionCloudReachable, Status: metav1.ConditionFalse,
			Reason: "NoAnswer", Message: s.Unreachable, ObservedGeneration: v.Object.Generation}, v.Now)
	case reach != nil && reach.Status == metav1.ConditionFalse && v.answered():
		st.Conditions = reconcile.SetCondition(st.Conditions, metav1.Condition{Type: ConditionCloudReachable, Status: metav1.ConditionTrue,
			Reason: "Answered", Message: "the cloud answers again", ObservedGeneration: v.Object.Generation}, v.Now)
	}
	if s.Degraded != "" {
		st.Conditions = reconcile.SetCondition(st.Conditions, metav1.Condition{Type: ConditionDegraded, Status: metav1.ConditionTrue,
			Reason: "Limited", Message: s.Degraded, ObservedGeneration: v.Object.Generation}, v.Now)
	} else {
		st.Conditions = reconcile.DropCondition(st.Conditions, ConditionDegraded)
	}
	return st
}
