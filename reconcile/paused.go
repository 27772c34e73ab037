package reconcile

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ConditionPaused is True while an object is left alone because of
// AnnotationPaused. It is not there otherwise.
const ConditionPaused = "Paused"

// pausedAt shows on an object whether it is left alone, if it does not show yet,
// and tells whether it is.
func pausedAt(ctx context.Context, t *Turn) (paused bool, err error) {
	paused = t.Object.GetAnnotations()[AnnotationPaused] == "true"
	conditions, err := conditionsOf(t)
	if err != nil { // the kind's own turn tells of it
		return paused, nil
	}
	if c := GetCondition(conditions, ConditionPaused); paused == (c != nil && c.Status == metav1.ConditionTrue) {
		return paused, nil
	}
	status := statusOf(t.Object)
	status["conditions"] = DropCondition(conditions, ConditionPaused)
	if paused {
		status["conditions"] = SetCondition(conditions, metav1.Condition{Type: ConditionPaused, Status: metav1.ConditionTrue, Reason: "Annotation",
			Message:            "Mote leaves this object alone, its deletion included, as long as it has the annotation " + AnnotationPaused + `: "true"`,
			ObservedGeneration: t.Object.GetGeneration()}, t.Now())
	}
	_, err = t.PatchStatus(ctx, status)
	return paused, err
}

// conditionsOf are the conditions of an object of any kind.
func conditionsOf(t *Turn) ([]metav1.Condition, error) {
	var holder struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	err := t.Into(&holder)
	return holder.Status.Conditions, err
}

// statusOf is an object's status, copied at the top.
func statusOf(u *unstructured.Unstructured) map[string]any {
	status := map[string]any{}
	field, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status")
	if live, ok := field.(map[string]any); ok {
		for k, v := range live {
			status[k] = v
		}
	}
	return status
}
