package myapp

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/crd/examplev1"
	"example.com/mote/metric"
	"example.com/mote/reconcile"
)

// The marks of an app.
const (
	markContested = 1 << iota // another controller changes it again and again
	markTroubled              // an Event warned of it, and none has said since that it runs
)

// marksOf are the marks after a turn; troubled is whether the app had that mark
// before.
func marksOf(d decision, troubled bool) (marks uint8) {
	ready := reconcile.GetCondition(d.status.Conditions, reconcile.ConditionReady)
	if ready != nil && ready.Reason == reasonContested {
		marks |= markContested
	}
	for _, e := range d.events {
		troubled = troubled || e.kind == reconcile.Warning
	}
	if troubled && (ready == nil || ready.Status != metav1.ConditionTrue) {
		marks |= markTroubled
	}
	return marks
}

// Metrics puts what is counted of drift on the page.
func (r *Reconciler) Metrics(p *metric.Page) {
	reconcile.CountDrift(p, examplev1.Kind, r.drift.Value(), r.index.Marked(markContested))
}
