package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"example.com/mote/crd/databasev1"
	"example.com/mote/crd/examplev1"
)

// row is one object in the table.
type row struct {
	kind, name, phase, detail string
	ready                     bool
	age                       time.Duration
}

var kinds = []schema.GroupVersionResource{
	{Group: databasev1.Group, Version: databasev1.Version, Resource: databasev1.Resource},
	{Group: examplev1.Group, Version: examplev1.Version, Resource: examplev1.Resource},
}

// table reads both kinds. Of one that the cluster does not know there are no rows, and
// the error says so.
func table(ctx context.Context, client dynamic.Interface, namespace string, now time.Time) ([]row, error) {
	var rows []row
	var unknown error
	for _, k := range kinds {
		l, err := client.Resource(k).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if apierrors.IsNotFound(err) {
			unknown = err
			continue
		}
		if err != nil {
			return nil, err
		}
		for i := range l.Items {
			rows = append(rows, rowOf(&l.Items[i], now))
		}
	}
	return rows, unknown
}

// rowOf is what the table says of an object.
func rowOf(u *unstructured.Unstructured, now time.Time) row {
	str := func(f ...string) string { s, _, _ := unstructured.NestedString(u.Object, f...); return s }
	num := func(f ...string) int64 { n, _, _ := unstructured.NestedInt64(u.Object, f...); return n }
	r := row{kind: u.GetKind(), name: u.GetName(), phase: str("status", "phase"), age: now.Sub(u.GetCreationTimestamp().Time)}
	if r.phase == "" {
		r.phase = "-"
	}
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		if m, ok := c.(map[string]any); ok && m["type"] == "Ready" {
			r.ready = m["status"] == "True"
			r.detail, _ = m["message"].(string)
		}
	}
	switch {
	case u.GetDeletionTimestamp() != nil && r.kind == examplev1.Kind:
		r.phase = "Deleting"
	case r.kind == examplev1.Kind && (r.phase != "Failed" || r.detail == ""):
		r.detail = fmt.Sprintf("%d of %d available, %s", num("status", "availableReplicas"), wanted(u), str("spec", "image"))
	case r.ready && str("status", "endpoint") != "":
		r.detail = fmt.Sprintf("%s, PostgreSQL %s, %s, %d GB", str("status", "endpoint"), str("status", "engineVersion"),
			str("status", "instanceClass"), num("status", "storageGB"))
	}
	return r
}

// wanted is how many replicas an app shall have: one that does not say has 1, or what
// somebody has scaled its Deployment to, which its status tells.
func wanted(u *unstructured.Unstructured) int64 {
	if n, stated, _ := unstructured.NestedInt64(u.Object, "spec", "replicas"); stated {
		return n
	}
	if n, _, _ := unstructured.NestedInt64(u.Object, "status", "replicas"); n > 0 {
		return n
	}
	return 1
}

// running tells whether the samples are as they should be.
func running(rows []row) bool {
	seen := map[string]bool{}
	for _, r := range rows {
		if r.phase != "Running" || !r.ready {
			return false
		}
		seen[r.kind] = true
	}
	return len(seen) == len(kinds)
}
