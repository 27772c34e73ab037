package reconcile

import (
	"reflect"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestConditions(t *testing.T) {
	monday := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	tuesday := monday.Add(24 * time.Hour)
	ready := func(status metav1.ConditionStatus, reason string, at time.Time) metav1.Condition {
		return metav1.Condition{Type: "Ready", Status: status, Reason: reason, LastTransitionTime: metav1.NewTime(at)}
	}
	other := metav1.Condition{Type: "Other", Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(monday)}
	for _, c := range []struct {
		name string
		list []metav1.Condition
		set  metav1.Condition
		want []metav1.Condition
	}{
		{"the first", nil, ready("True", "a", time.Time{}), []metav1.Condition{ready("True", "a", tuesday)}},
		{"beside others", []metav1.Condition{other}, ready("True", "a", time.Time{}), []metav1.Condition{other, ready("True", "a", tuesday)}},
		{"the same again", []metav1.Condition{ready("True", "a", monday), other}, ready("True", "a", time.Time{}), []metav1.Condition{ready("True", "a", monday), other}},
		{"for another reason", []metav1.Condition{ready("True", "a", monday)}, ready("True", "b", time.Time{}), []metav1.Condition{ready("True", "b", monday)}},
		{"another status", []metav1.Condition{other, ready("True", "a", monday)}, ready("False", "b", time.Time{}), []metav1.Condition{other, ready("False", "b", tuesday)}},
		{"one without a time", []metav1.Condition{ready("True", "a", time.Time{})}, ready("True", "a", time.Time{}), []metav1.Condition{ready("True", "a", tuesday)}},
		{"its own time does not count", nil, ready("True", "a", monday), []metav1.Condition{ready("True", "a", tuesday)}},
	} {
		before := append([]metav1.Condition(nil), c.list...)
		if got := SetCondition(c.list, c.set, tuesday); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
		if !reflect.DeepEqual(c.list, before) {
			t.Errorf("%s: the old list was changed", c.name)
		}
	}
	roomy := append(make([]metav1.Condition, 0, 4), other)
	SetCondition(roomy, ready("True", "a", monday), tuesday)
	if roomy[:2][1].Type != "" {
		t.Error("the room behind the old list was written to")
	}

	list := []metav1.Condition{other, ready("True", "a", monday)}
	if got := GetCondition(list, "Ready"); got == nil || got.Reason != "a" {
		t.Errorf("found %+v", got)
	}
	if got := GetCondition(list, "None"); got != nil {
		t.Errorf("found %+v", got)
	}
	if got := DropCondition(list, "Ready"); !reflect.DeepEqual(got, []metav1.Condition{other}) {
		t.Errorf("dropped to %+v", got)
	}
	if got := DropCondition(list, "None"); !reflect.DeepEqual(got, list) {
		t.Errorf("dropped to %+v", got)
	}
	if got := DropCondition(nil, "Ready"); got != nil {
		t.Errorf("dropped to %+v", got)
	}
	if list[1].Type != "Ready" {
		t.Error("the old list was changed")
	}
}
