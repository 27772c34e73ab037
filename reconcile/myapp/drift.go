package myapp

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/crd/examplev1"
	"example.com/mote/metric"
	"example.com/mote/reconcile"
)

// markContested is an app that another controller changes again and again.
const markContested = 1

func marksOf(conditions []metav1.Condition) uint8 {
	if c := reconcile.GetCondition(conditions, reconcile.ConditionReady); c != nil && c.Reason == reasonContested {
		return markContested
	}
	return 0
}

// Metrics puts what is counted of drift on the page.
func (r *Reconciler) Metrics(p *metric.Page) {
	reconcile.CountDrift(p, examplev1.Kind, r.drift.Value(), r.index.Marked(markContested))
}
