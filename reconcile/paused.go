package reconcile

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ConditionPaused is True while an object is left alone because of
// AnnotationPaused. It is not there otherwise.
const ConditionPaused = "Paused"

// pausedAt shows on an object whether it is left alone, if it does not show yet,
// and tells whether it is.
func pausedAt(ctx context.Context, t *Turn) (paused bool, err error) {
	value, there := t.Object.GetAnnotations()[AnnotationPaused]
	paused = there && pauses(value)
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
		alone := "Mote leaves this object alone, and what belongs to it"
		if len(t.Object.GetFinalizers()) > 0 { // else Kubernetes deletes it without Mote
			alone += ", its deletion included"
		}
		status["conditions"] = SetCondition(conditions, metav1.Condition{Type: ConditionPaused, Status: metav1.ConditionTrue, Reason: "Annotation",
			Message:            alone + ", as long as it has the annotation " + AnnotationPaused + "; the status is as it was before",
			ObservedGeneration: t.Object.GetGeneration()}, t.Now())
	}
	_, err = t.PatchStatus(ctx, status)
	return paused, err
}

// pauses tells whether a value of the annotation pauses. In doubt it does: a person who
// wrote "yes" or "True" must not see a database bought or deleted.
func pauses(value string) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "false", "no", "off", "0":
		return false
	}
	return true
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
