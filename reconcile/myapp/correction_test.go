package myapp

import (
	"testing"

	"example.com/mote/crd/examplev1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestCorrection(t *testing.T) {
	running := after(examplev1.PhaseRunning, reasonAvailable, 1, 0)
	annotated := func(hash string) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) { u.SetAnnotations(map[string]string{annotationApplied: hash}) }
	}
	scaled := func(u *unstructured.Unstructured) {
		u.Object["spec"].(map[string]any)["replicas"] = int64(7)
		_ = unstructured.SetNestedSlice(u.Object, []any{
			map[string]any{"manager": "mote", "time": "2026-01-02T03:04:07Z"},
			map[string]any{"manager": "kubectl", "time": "2026-01-02T03:04:05Z"},
			map[string]any{"manager": "scaler", "time": "2026-01-02T03:04:06Z"},
			map[string]any{"manager": "kube-controller-manager", "time": "2026-01-02T03:04:09Z", "subresource": "status"},
		}, "metadata", "managedFields")
	}
	for name, c := range map[string]struct {
		app    *examplev1.MyApp
		role   role
		change func(*unstructured.Unstructured) // nil: it is gone
		want   string
	}{
		"scaled":                   {newApp(running), deployment, scaled, `Deployment "web": spec.replicas was changed by "scaler"`},
		"deleted":                  {newApp(running), service, nil, `Service "web" was deleted`},
		"the annotation was taken": {newApp(running), service, func(u *unstructured.Unstructured) { u.SetAnnotations(nil) }, `Service "web": metadata.annotations was changed`},
		"the image": {newApp(running), deployment, func(u *unstructured.Unstructured) {
			containersOf(u.Object["spec"].(map[string]any))[0]["image"] = "other"
		}, `Deployment "web": spec.template.spec.containers.image was changed`},
		"another Mote's manifest": {newApp(running), deployment, annotated("other"), ""},
		"a new generation":        {newApp(running, func(a *examplev1.MyApp) { a.Generation = 2 }), deployment, scaled, ""},
		"never as it should be":   {newApp(), service, nil, ""},
		"ports by number, until now": {newApp(running), service, func(u *unstructured.Unstructured) {
			u.Object["spec"].(map[string]any)["ports"].([]any)[0].(map[string]any)["targetPort"] = int64(8080)
		}, ""},
	} {
		manifest := wanted(c.app)[c.role]
		var live *unstructured.Unstructured
		if c.change != nil {
			live = liveOf(t, manifest)
			c.change(live)
		}
		if got := correction(c.app, c.role, live, manifest); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
