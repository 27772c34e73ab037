package reconcile

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// Of all that a client can do, nothing but reads goes over the wire.
func TestReadOnly(t *testing.T) {
	var heard []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heard = append(heard, r.Method)
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"apiVersion":"v1","kind":"ConfigMapList","metadata":{"name":"a"},"items":[]}`))
	}))
	defer server.Close()
	config := &rest.Config{Host: server.URL}
	config.Wrap(ReadOnly)
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	resource := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	r := client.Resource(resource).Namespace("n")
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "n"}}}
	ctx := t.Context()
	for what, do := range map[string]func() error{
		"create": func() error { _, err := r.Create(ctx, u, metav1.CreateOptions{}); return err },
		"update": func() error { _, err := r.Update(ctx, u, metav1.UpdateOptions{}); return err },
		"status": func() error { _, err := r.UpdateStatus(ctx, u, metav1.UpdateOptions{}); return err },
		"patch": func() error {
			_, err := r.Patch(ctx, "a", types.MergePatchType, []byte("{}"), metav1.PatchOptions{})
			return err
		},
		"dry-run":      func() error { _, err := r.Create(ctx, u, metav1.CreateOptions{DryRun: []string{"All"}}); return err },
		"apply":        func() error { _, err := r.Apply(ctx, "a", u, metav1.ApplyOptions{FieldManager: "x"}); return err },
		"delete":       func() error { return r.Delete(ctx, "a", metav1.DeleteOptions{}) },
		"delete all":   func() error { return r.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}) },
		"of a turn":    func() error { return NewLook(client, resource, u).AddFinalizer(ctx, "example.com/x") },
		"turn's state": func() error { return NewLook(client, resource, u).PatchStatusChecked(ctx, map[string]any{"a": "b"}) },
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), "only reading is allowed here") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if len(heard) > 0 {
		t.Errorf("the server heard %v", heard)
	}
	if _, err := r.Get(ctx, "a", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := r.List(ctx, metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	if len(heard) != 2 {
		t.Errorf("the server heard %v", heard)
	}
}

func TestPaused(t *testing.T) {
	for value, want := range map[string]bool{"true": true, "yes": true, "": true, "false": false, "no": false} {
		u := &unstructured.Unstructured{}
		u.SetAnnotations(map[string]string{AnnotationPaused: value})
		if Paused(u) != want {
			t.Errorf("%q: %v", value, !want)
		}
	}
	if Paused(&unstructured.Unstructured{}) {
		t.Error("paused without the annotation")
	}
}
