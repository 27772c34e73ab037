package myapp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
)

// lookAt is a turn that looks at a cluster in which these children are.
func lookAt(t *testing.T, kids children) *reconcile.Turn {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for role, c := range kids {
			if c.live != nil && strings.HasSuffix(r.URL.Path, "/"+resources[role].Resource+"/"+c.live.GetName()) {
				data, err := c.live.MarshalJSON()
				if err != nil {
					t.Error(err)
				}
				w.Write(data)
				return
			}
		}
		if strings.HasSuffix(r.URL.Path, "/pods") {
			w.Write([]byte(`{"apiVersion":"v1","kind":"PodList","items":[]}`))
			return
		}
		w.WriteHeader(http.StatusNotFound)
		w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`))
	}))
	t.Cleanup(server.Close)
	client, err := dynamic.NewForConfig(&rest.Config{Host: server.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "web", "namespace": "shop"}}}
	return reconcile.NewLook(client, schema.GroupVersionResource{Group: examplev1.Group, Version: examplev1.Version, Resource: examplev1.Resource}, u)
}

func TestExplain(t *testing.T) {
	kids := func(app *examplev1.MyApp, change func(*unstructured.Unstructured)) (k children) {
		for r, m := range wanted(app) {
			if m != nil {
				k[r].live = &unstructured.Unstructured{Object: m}
			}
		}
		if change == nil { // the Deployment is not there yet
			k[deployment].live = nil
			return k
		}
		change(k[deployment].live)
		return k
	}
	running := newApp()
	running.Status.Phase, running.Status.ObservedGeneration, running.Status.AppliedGeneration = "Running", running.Generation, running.Generation
	other := newApp(func(a *examplev1.MyApp) { a.Spec.Image = "example.com/other:2" })
	other.Status.Phase = "Running"
	needs := newApp(func(a *examplev1.MyApp) {
		a.Spec.EnvFrom = []examplev1.EnvFrom{{SecretRef: &examplev1.SourceReference{Name: "db"}}}
	})
	gone := newApp()
	gone.DeletionTimestamp = &gone.CreationTimestamp
	told := func(app *examplev1.MyApp, reason, message string) *examplev1.MyApp {
		copied := *app
		app = &copied
		app.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: "False", Reason: reason, Message: message, ObservedGeneration: app.Generation}}
		return app
	}
	needing := told(running, "Available", "")
	needing.Spec.EnvFrom = needs.Spec.EnvFrom
	forHand := func(app *examplev1.MyApp) children {
		k := kids(app, func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 3, settled) })
		k[service].live.Object["spec"].(map[string]any)["type"] = "NodePort"
		return k
	}
	for name, c := range map[string]struct {
		app   *examplev1.MyApp
		kids  children
		words []string
	}{
		"a change waits for a Secret": {needing, kids(newApp(), func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 3, settled) }),
			[]string{"Decision: nothing to write", `waits for: Secret "db" is not there: no new pod would start`, "looks again: in 15s"}},
		"a child that goes": {running, kids(newApp(), func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 3, settled); deleted(u) }),
			[]string{"Decision: nothing to write", `waits for: Deployment "web" is being deleted; it is made again when it is gone`}},
		"contested": {told(running, "Contested", `Service "web": spec.type was changed again and again; Mote does not fight over it, and puts it right once more at 12:04:00 (3 of 3 replicas available)`),
			forHand(newApp()), []string{"Decision: nothing to write", "rule: decide, Contested", "puts it right once more at 12:04:00", "looks again: in 4m0s"}},
		"contested until now": {told(running, "Contested", `Service "web": spec.type was changed again and again; Mote does not fight over it, and puts it right once more at 12:00:00 (3 of 3 replicas available)`),
			forHand(newApp()), []string{"Decision: Apply Service: Service web"}},
		"refused before": {told(newApp(), "Refused", `Deployment "web" could not be applied: spec.x: Invalid value`), kids(newApp(), nil),
			[]string{"Decision: nothing to write before the next try", `because: Deployment "web" could not be applied: spec.x: Invalid value`, "waits for: the API server refused just this before; it is tried again every 5m0s"}},
		"refused before, of another spec": {told(newApp(), "Refused", `Service "web" could not be applied: spec.x: Invalid value`), kids(newApp(), nil),
			[]string{"Decision: Apply Deployment"}},
		"at rest": {running, kids(newApp(), func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 3, settled) }),
			[]string{"Decision: nothing to write", "rule: decide, Available", "3 of 3 replicas available", "web, this app's"}},
		"rolling": {running, kids(newApp(), func(u *unstructured.Unstructured) { rolledOut(u, 3, 1, 1) }),
			[]string{"Decision: nothing to write", "waits for: 1 of 3 replicas available", "looks again: in"}},
		"another image": {other, kids(newApp(), func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 3, settled) }),
			[]string{"Decision: Apply Deployment: Deployment web", "rule: decide, Apply Deployment"}},
		"new":     {newApp(), children{}, []string{"Decision: Apply Service: Service web", "not there", "not wanted, not there"}},
		"a need":  {needs, children{}, []string{`Secret "db" is not there`}},
		"deleted": {gone, children{}, []string{"rule: Reconcile, deleting", "garbage collector"}},
	} {
		x := Explain(t.Context(), c.app, Options{}, Sight{Look: lookAt(t, c.kids), Now: noon})
		var b strings.Builder
		x.WriteText(&b)
		for _, w := range c.words {
			if !strings.Contains(b.String(), w) {
				t.Errorf("%s: it does not say %q:\n%s", name, w, b.String())
			}
		}
	}
}
