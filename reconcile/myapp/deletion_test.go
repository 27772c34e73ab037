package myapp

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/crd/examplev1"
)

func TestDeletionThatHangs(t *testing.T) {
	foreground := func(a *examplev1.MyApp) { a.Finalizers = []string{"foregroundDeletion"} }
	going := func(finalizers ...string) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) { deleted(u); u.SetFinalizers(finalizers) }
	}
	for name, c := range map[string]struct {
		app  func(*examplev1.MyApp)
		kids map[role]func(*unstructured.Unstructured)
		want string
	}{
		"nothing that shows": {foreground, nil, "Kubernetes' garbage collector"},
		"a child's finalizer": {foreground, map[role]func(*unstructured.Unstructured){service: going("example.com/lb", "example.com/dns")},
			`Service "web" (its finalizers example.com/lb and example.com/dns)`},
		"pods": {foreground, map[role]func(*unstructured.Unstructured){deployment: going("foregroundDeletion")},
			`Deployment "web" (until what belongs to it is gone, its pods too)`},
		"two children": {foreground, map[role]func(*unstructured.Unstructured){config: going("example.com/hold"), deployment: func(*unstructured.Unstructured) {}},
			`ConfigMap "web-config" (its finalizer example.com/hold), Deployment "web" (the garbage collector has not come to it yet)`},
		"somebody else's child": {foreground, map[role]func(*unstructured.Unstructured){service: func(u *unstructured.Unstructured) {
			owned(u, "example.com/v1", "Shop", "shop", "other")
		}}, "Kubernetes' garbage collector"},
		"its own finalizer, which no child matters to": {func(a *examplev1.MyApp) { a.Finalizers = []string{"example.com/backup"} },
			map[role]func(*unstructured.Unstructured){service: func(*unstructured.Unstructured) {}},
			`the finalizer "example.com/backup" of this MyApp, which is for whoever put it there to take off`},
	} {
		app := newApp(withConfig, c.app)
		app.Status.Phase, app.Status.AvailableReplicas = "Running", 3
		var kids children
		manifests := wanted(app)
		for r, change := range c.kids {
			u := &unstructured.Unstructured{Object: manifests[r]}
			change(u)
			kids[r].live = u
		}
		if got := holds(app, kids); got != c.want {
			t.Errorf("%s: waits for %s\nwant %s", name, got, c.want)
		}
		s := deleting(app, kids, noon)
		ready := s.Conditions[0]
		if s.Phase != "Deleting" || s.AvailableReplicas != 0 || ready.Status != "False" || ready.Reason != "Deleting" || ready.Message != "being deleted; waits for "+c.want {
			t.Errorf("%s: status %+v", name, s)
		}
	}
}
