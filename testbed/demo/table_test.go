package main

import (
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func object(kind, name string, spec, status map[string]any) *unstructured.Unstructured {
	o := map[string]any{"kind": kind, "metadata": map[string]any{"name": name, "creationTimestamp": now.Add(-90 * time.Second).Format(time.RFC3339)}}
	if spec != nil {
		o["spec"] = spec
	}
	if status != nil {
		o["status"] = status
	}
	return &unstructured.Unstructured{Object: o}
}

func ready(status, message string) []any {
	return []any{map[string]any{"type": "Other", "status": "True", "message": "no"},
		map[string]any{"type": "Ready", "status": status, "message": message}}
}

func TestRowOf(t *testing.T) {
	const age = 90 * time.Second
	for name, c := range map[string]struct {
		object *unstructured.Unstructured
		want   row
	}{
		"new": {object("PostgresDB", "a", nil, nil), row{kind: "PostgresDB", name: "a", phase: "-", age: age}},
		"in the making": {object("PostgresDB", "a", nil, map[string]any{"phase": "Provisioning", "conditions": ready("False", "being made")}),
			row{kind: "PostgresDB", name: "a", phase: "Provisioning", detail: "being made", age: age}},
		"running": {object("PostgresDB", "a", nil, map[string]any{"phase": "Running", "conditions": ready("True", "fine"),
			"endpoint": "10.0.0.1:5432", "engineVersion": "14.11", "instanceClass": "2C4G", "storageGB": int64(100)}),
			row{kind: "PostgresDB", name: "a", phase: "Running", detail: "10.0.0.1:5432, PostgreSQL 14.11, 2C4G, 100 GB", ready: true, age: age}},
		"ran once, and fails now": {object("PostgresDB", "a", nil, map[string]any{"phase": "Failed", "conditions": ready("False", "refused"), "endpoint": "10.0.0.1:5432"}),
			row{kind: "PostgresDB", name: "a", phase: "Failed", detail: "refused", age: age}},
		"app": {object("MyApp", "b", map[string]any{"replicas": int64(3), "image": "nginx:1"},
			map[string]any{"phase": "Running", "availableReplicas": int64(2), "conditions": ready("True", "fine")}),
			row{kind: "MyApp", name: "b", phase: "Running", detail: "2 of 3 available, nginx:1", ready: true, age: age}},
		"app that does not say how many": {object("MyApp", "b", map[string]any{"image": "nginx:1"}, map[string]any{"availableReplicas": int64(1)}),
			row{kind: "MyApp", name: "b", phase: "-", detail: "1 of 1 available, nginx:1", age: age}},
		"app that an autoscaler scales": {object("MyApp", "b", map[string]any{"image": "nginx:1"}, map[string]any{"availableReplicas": int64(1), "replicas": int64(4)}),
			row{kind: "MyApp", name: "b", phase: "-", detail: "1 of 4 available, nginx:1", age: age}},
		"app that is stopped": {object("MyApp", "b", map[string]any{"image": "nginx:1", "replicas": int64(0)}, nil),
			row{kind: "MyApp", name: "b", phase: "-", detail: "0 of 0 available, nginx:1", age: age}},
	} {
		if is := rowOf(c.object, now); is != c.want {
			t.Errorf("%s:\n is   %+v\n want %+v", name, is, c.want)
		}
	}
	leaving := object("MyApp", "b", nil, map[string]any{"phase": "Running"})
	leaving.Object["metadata"].(map[string]any)["deletionTimestamp"] = now.Format(time.RFC3339)
	if is := rowOf(leaving, now); is.phase != "Deleting" {
		t.Errorf("an app that is being deleted is %q", is.phase)
	}
}

func TestRunning(t *testing.T) {
	db, app := row{kind: "PostgresDB", phase: "Running", ready: true}, row{kind: "MyApp", phase: "Running", ready: true}
	late, unready := app, app
	late.phase, unready.ready = "Progressing", false
	for name, c := range map[string]struct {
		rows []row
		want bool
	}{
		"both":        {[]row{db, app}, true},
		"none":        {nil, false},
		"one kind":    {[]row{db, db}, false},
		"not yet":     {[]row{db, late}, false},
		"not ready":   {[]row{db, unready}, false},
		"one of many": {[]row{db, app, late}, false},
	} {
		if running(c.rows) != c.want {
			t.Errorf("%s: running is %t", name, !c.want)
		}
	}
}

// TestJudge: kinds that go, and come back, do not end the demo.
func TestJudge(t *testing.T) {
	gone := apierrors.NewNotFound(kinds[0].GroupResource(), "")
	for name, c := range map[string]struct {
		err         error
		note, fatal bool
	}{
		"all is well":    {nil, false, false},
		"the kinds went": {gone, true, false},
		"they come":      {apierrors.NewTooManyRequests("storage is (re)initializing", 1), true, false},
		"no server":      {errors.New("connection refused"), false, true},
	} {
		if note, fatal := judge(c.err); (note != "") != c.note || (fatal != nil) != c.fatal {
			t.Errorf("%s: %q, %v", name, note, fatal)
		}
	}
}
