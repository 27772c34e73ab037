package reconcile

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConditionReady is the condition that sums an object up; kubectl wait and
// dashboards read it.
const ConditionReady = "Ready"

// SetCondition puts a condition into a list, keeping lastTransitionTime while
// the status stays the same. It returns the new list; the old one is left as it is.
func SetCondition(list []metav1.Condition, c metav1.Condition, now time.Time) []metav1.Condition {
	c.LastTransitionTime = metav1.NewTime(now)
	for i, old := range list {
		if old.Type != c.Type {
			continue
		}
		if old.Status == c.Status && !old.LastTransitionTime.IsZero() { // a zero one is null on the wire, which the schema refuses
			c.LastTransitionTime = old.LastTransitionTime
		}
		out := append([]metav1.Condition(nil), list...)
		out[i] = c
		return out
	}
	return append(append([]metav1.Condition(nil), list...), c)
}

// DropCondition is a list without the condition of a type; the old list is left
// as it is.
func DropCondition(list []metav1.Condition, kind string) []metav1.Condition {
	var out []metav1.Condition
	for _, c := range list {
		if c.Type != kind {
			out = append(out, c)
		}
	}
	return out
}

// GetCondition finds the condition of a type in a list; nil when there is none.
// It points into the list.
func GetCondition(list []metav1.Condition, kind string) *metav1.Condition {
	for i := range list {
		if list[i].Type == kind {
			return &list[i]
		}
	}
	return nil
}
