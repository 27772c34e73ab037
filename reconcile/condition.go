package reconcile

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConditionReady is the condition that sums an object up; kubectl wait and
// dashboards read it.
const ConditionReady = "Ready"

// SetCondition puts a condition into a list, keeping lastTransitionTime while
// the status stays the same. It returns the list.
func SetCondition(list []metav1.Condition, c metav1.Condition, now time.Time) []metav1.Condition {
	c.LastTransitionTime = metav1.NewTime(now)
	for i, old := range list {
		if old.Type != c.Type {
			continue
		}
		if old.Status == c.Status {
			c.LastTransitionTime = old.LastTransitionTime
		}
		out := append([]metav1.Condition(nil), list...)
		out[i] = c
		return out
	}
	return append(append([]metav1.Condition(nil), list...), c)
}

// DropCondition takes a condition out of a list.
func DropCondition(list []metav1.Condition, kind string) []metav1.Condition {
	var out []metav1.Condition
	for _, c := range list {
		if c.Type != kind {
			out = append(out, c)
		}
	}
	return out
}

// GetCondition finds a condition in a list.
func GetCondition(list []metav1.Condition, kind string) *metav1.Condition {
	for i := range list {
		if list[i].Type == kind {
			return &list[i]
		}
	}
	return nil
}
