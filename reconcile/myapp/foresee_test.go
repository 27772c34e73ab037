package myapp

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/crd/examplev1"
	"example.com/mote/forecast"
)

// foreseen plays an app with these children to its end.
func foreseen(t *testing.T, app *examplev1.MyApp, o Options, kids children) ([]forecast.Step, forecast.Then) {
	t.Helper()
	r, err := rehearse(t.Context(), app, o, Sight{Now: noon, New: app.Status.Phase == ""})
	if err != nil {
		t.Fatal(err)
	}
	r.view.kids = kids
	steps, then, err := r.play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return steps, then
}

func TestForesee(t *testing.T) {
	ready := forecast.Then{Phase: "Running", Ready: true, Reason: "Available"}
	live := func(app *examplev1.MyApp) (kids children) {
		for r, m := range wanted(app) {
			if m != nil {
				kids[r].live = &unstructured.Unstructured{Object: m}
			}
		}
		rolledOut(kids[deployment].live, 3, 3, 3, settled)
		return kids
	}
	changed := func(change ...func(*examplev1.MyApp)) *examplev1.MyApp {
		app := newApp(change...)
		app.Status.Phase, app.Generation = "Running", 2
		app.Status.ObservedGeneration, app.Status.AppliedGeneration = 1, 1
		return app
	}
	for name, c := range map[string]struct {
		app     *examplev1.MyApp
		kids    children
		options Options
		want    string
		then    forecast.Then
		words   string
	}{
		"new":     {app: newApp(withConfig), want: "Apply ConfigMap,Apply Service,Apply Deployment", then: ready, words: "3 replicas of"},
		"at rest": {app: changed(), kids: live(newApp()), then: ready},
		"another image": {app: changed(func(a *examplev1.MyApp) { a.Spec.Image = "example.com/other:2" }), kids: live(newApp()), want: "Apply Deployment", then: ready,
			words: "spec.template.spec.containers[app].image"},
		"config taken out": {app: changed(), kids: live(newApp(withConfig)), want: "Apply Deployment,Delete ConfigMap", then: ready, words: "it is not wanted any more"},
		"no Service":       {app: changed(withoutService), kids: live(newApp()), want: "Delete Service", then: ready},
		"not allowed":      {app: newApp(func(a *examplev1.MyApp) { a.Spec.HostNetwork = true }), want: "Apply Service", then: forecast.Then{Phase: "Failed", Reason: "NotAllowed"}},
		"allowed": {app: newApp(func(a *examplev1.MyApp) { a.Spec.HostNetwork = true }), options: Options{HostNetwork: true},
			want: "Apply Service,Apply Deployment", then: ready},
	} {
		steps, then := foreseen(t, c.app, c.options, c.kids)
		var all []string
		words := ""
		for _, s := range steps {
			all = append(all, s.Do)
			words += s.What + " " + s.Why + " " + strings.Join(s.Details, " ") + "\n"
		}
		then.Message = ""
		if got := strings.Join(all, ","); got != c.want || then != c.then || !strings.Contains(words, c.words) {
			t.Errorf("%s: %s and then %+v, want %s and %+v, in words\n%s", name, got, then, c.want, c.then, words)
		}
	}
}

// A rollout that is on its way is waited for; one that the cluster cannot end is not
// taken to end well.
func TestForeseeRollouts(t *testing.T) {
	app := newApp()
	app.Status.Phase = "Progressing"
	app.Status.ObservedGeneration, app.Status.AppliedGeneration = app.Generation, app.Generation
	kids := func(change func(*unstructured.Unstructured)) (k children) {
		for r, m := range wanted(app) {
			if m != nil {
				k[r].live = &unstructured.Unstructured{Object: m}
			}
		}
		change(k[deployment].live)
		return k
	}
	steps, then := foreseen(t, app, Options{}, kids(func(u *unstructured.Unstructured) { rolledOut(u, 3, 1, 1) }))
	if len(steps) != 1 || steps[0].Sign != forecast.Wait || !then.Ready {
		t.Errorf("on its way: %+v and then %+v", steps, then)
	}
	_, then = foreseen(t, app, Options{}, kids(func(u *unstructured.Unstructured) {
		rolledOut(u, 3, 1, 1)
		u.Object["status"].(map[string]any)["conditions"] = []any{map[string]any{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "no"}}
	}))
	if then.Ready || then.Reason != "ProgressDeadlineExceeded" {
		t.Errorf("stalled: then %+v", then)
	}
	app.DeletionTimestamp = &app.CreationTimestamp
	if steps, then, err := Foresee(t.Context(), app, Options{}, Sight{Now: noon, New: true}); len(steps) != 1 || steps[0].Sign != forecast.Wait || !then.Gone || err != nil {
		t.Errorf("deleted: %v and then %+v, %v", steps, then, err)
	}
}
