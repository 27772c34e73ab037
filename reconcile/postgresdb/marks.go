package postgresdb

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/crd/databasev1"
	"example.com/mote/metric"
	"example.com/mote/reconcile"
)

// Marks of a database, as its status was at the end of its last turn. An object that
// has one is not steady, so that after a restart it has a turn, and is counted again.
const (
	markDrifted = 1 << iota // the cloud differs from a spec that was met before
	markIntent              // a purchase was begun, and its outcome is not written down yet
	markUnknown             // nobody knows yet whether that purchase was made
)

func marksOf(u *unstructured.Unstructured) (marks uint8) {
	field, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "create")
	if intent, ok := field.(map[string]any); ok {
		marks = markIntent
		if intent["ambiguousSince"] != nil {
			marks |= markUnknown
		}
	}
	field, _, _ = unstructured.NestedFieldNoCopy(u.Object, "status", "conditions")
	conditions, _ := field.([]any)
	for _, x := range conditions {
		if c, ok := x.(map[string]any); ok && c["type"] == ConditionSynced && c["reason"] == reasonDrifted {
			marks |= markDrifted
		}
	}
	return marks
}

// mark counts a turn: what its object's status said before and says now.
func (r *Reconciler) mark(k reconcile.Key, before, now uint8) {
	r.paces.index.Mark(k, now)
	if now&^before&markDrifted != 0 {
		r.drift.Inc()
	}
}

// Metrics puts what is counted of drift and of purchases on the page.
func (r *Reconciler) Metrics(p *metric.Page) {
	reconcile.CountDrift(p, databasev1.Kind, r.drift.Value(), r.paces.index.Marked(markDrifted))
	const help = "Purchases that were begun and whose outcome is not written down yet, by whether anybody knows it; of objects that had a turn since the start."
	open, ambiguous := r.paces.index.Marked(markIntent), r.paces.index.Marked(markUnknown)
	p.Gauge("mote_purchase_intents_open", help, float64(open-ambiguous), "outcome", "awaited")
	p.Gauge("mote_purchase_intents_open", help, float64(ambiguous), "outcome", "unknown")
}
