package postgresdb

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// comparison is the version of what a turn compares before it finds an object
// settled: raised when it begins to compare more, so that what was settled before is
// looked at again.
const comparison = "1/"

// specDigest sums up all of a spec that is compared with the instance and with the
// connection Secret. What happens at the deletion concerns neither. It is of the
// instance as it was then: a Mote of before the field was there leaves it as it is,
// while it makes the instance as another spec says.
func specDigest(s databasev1.PostgresDBSpec, fingerprint string) string {
	s.DeletionPolicy = ""
	text, err := json.Marshal(s)
	if err != nil {
		return "" // no spec that was read cannot be written
	}
	h := fnv.New64a()
	h.Write([]byte(comparison + fingerprint))
	h.Write(text)
	return strconv.FormatUint(h.Sum64(), 16)
}

// settledAnew is the status of an object that was found settled, and whose spec has
// since changed in nothing that was compared then: the same, of the new generation.
// ok is false when that is not so, or not certain.
func settledAnew(o *databasev1.PostgresDB) (st databasev1.PostgresDBStatus, ok bool) {
	st = o.Status
	switch {
	case o.DeletionTimestamp != nil, !slices.Contains(o.Finalizers, databasev1.Finalizer):
		return st, false
	case st.Phase != databasev1.PhaseRunning, st.InstanceID == "", st.Create != nil, st.Change != nil:
		return st, false
	case st.SettledSpec == "", st.SettledSpec != specDigest(o.Spec, st.InstanceFingerprint):
		return st, false
	}
	for _, c := range []string{reconcile.ConditionReady, ConditionSynced} {
		if c := reconcile.GetCondition(st.Conditions, c); c == nil || c.Status != metav1.ConditionTrue || c.ObservedGeneration != st.ObservedGeneration {
			return st, false
		}
	}
	st.Conditions = slices.Clone(st.Conditions)
	for i, c := range st.Conditions {
		switch {
		case c.Type == reconcile.ConditionReady, c.Type == ConditionSynced:
			st.Conditions[i].ObservedGeneration = o.Generation
		case c.Type == ConditionCloudReachable && c.Status == metav1.ConditionTrue:
		default: // something else is the matter
			return st, false
		}
	}
	st.ObservedGeneration = o.Generation
	return st, true
}

// Skim writes of a change that concerns neither instance nor Secret that it was seen.
func (r *Reconciler) Skim(ctx context.Context, t *reconcile.Turn) (done bool, err error) {
	var o databasev1.PostgresDB
	if err := t.Into(&o); err != nil {
		return false, nil // the turn tells of it
	}
	st, ok := settledAnew(&o)
	if !ok {
		return false, nil
	}
	_, err = t.PatchStatus(ctx, st)
	return true, err
}
