package myapp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/mote/crd/examplev1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// entryOf is an entry of managedFields.
func entryOf(t *testing.T, manager, operation, fields string) map[string]any {
	t.Helper()
	return map[string]any{"manager": manager, "operation": operation, "fieldsV1": fromJSON(t, fields)}
}

// What kubectl rollout undo leaves, and what of it stays once the annotation is right.
const (
	undoneAnnotation = `"f:metadata":{"f:annotations":{"f:mote.example.com/applied":{}}}`
	undoneTemplate   = `"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{"f:args":{},"f:image":{}}},"f:nodeSelector":{}}}}`
)

// undone makes a Deployment one that was put back to an earlier state.
func undone(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	u.SetAnnotations(map[string]string{annotationApplied: "of an earlier manifest"})
	pod := at(u.Object, "spec", "template", "spec")
	pod["nodeSelector"] = map[string]any{"a": "b"}
	containersOf(at(u.Object, "spec"))[0]["args"] = []any{"--debug"}
	u.Object["metadata"].(map[string]any)["managedFields"] = []any{
		entryOf(t, "mote", "Apply", `{"f:spec":{"f:progressDeadlineSeconds":{}}}`),
		entryOf(t, "kubectl-patch", "Update", `{"f:spec":{"f:minReadySeconds":{}}}`),
		entryOf(t, "kubectl", "Update", `{`+undoneAnnotation+`,`+undoneTemplate+`}`),
	}
}

func TestPutBack(t *testing.T) {
	const app = `"k:{\"name\":\"app\"}"`
	template := func(pod string) string { return `{"f:spec":{"f:template":{"f:spec":{` + pod + `}}}}` }
	for name, c := range map[string]struct {
		role               role
		annotation         string // "": as it should be
		manager, operation string
		fields             string
		want               string // the paths, sorted; "-": nobody put anything back
	}{
		"undone":                        {deployment, "earlier", "kubectl", "Update", `{` + undoneAnnotation + `,` + undoneTemplate + `}`, "f:spec f:template"},
		"replaced":                      {deployment, "earlier", "kubectl-replace", "Update", `{` + undoneAnnotation + `,"f:spec":{"f:paused":{},"f:template":{}}}`, "f:spec f:paused,f:spec f:template"},
		"the annotation alone":          {deployment, "earlier", "edit", "Update", `{` + undoneAnnotation + `}`, ""},
		"the annotation is right again": {deployment, "", "kubectl-replace", "Update", `{` + undoneAnnotation + `,` + undoneTemplate + `}`, "-"},
		"Mote's earlier work":           {deployment, "earlier", "mote", "Apply", `{` + undoneAnnotation + `}`, "-"},
		"set on purpose, of old":        {deployment, "earlier", "kubectl-edit", "Update", undoneTemplateAlone, "-"},
		"pods that somebody scales":     {deployment, "earlier", "edit", "Update", `{` + undoneAnnotation + `,"f:spec":{"f:replicas":{}}}`, ""},
		"a ConfigMap":                   {config, "earlier", "kubectl-replace", "Update", `{` + undoneAnnotation + `,"f:data":{"f:old":{}}}`, "f:data"},
		"a Service":                     {service, "earlier", "kubectl-replace", "Update", `{` + undoneAnnotation + `,"f:spec":{"f:clusterIP":{},"f:ports":{}}}`, "f:spec f:ports"},
		"left behind":                   {deployment, "", "kubectl", "Update", undoneTemplateAlone, "f:spec f:template f:spec f:containers k:{\"name\":\"app\"},f:spec f:template f:spec f:nodeSelector"},
		"left behind, beside an env":    {deployment, "", "kubectl", "Update", template(`"f:containers":{` + app + `:{"f:env":{"k:{\"name\":\"OLD\"}":{".":{}}}}}`), "f:spec f:template f:spec f:containers k:{\"name\":\"app\"}"},
		"nothing is left behind":        {deployment, "", "kubectl", "Update", template(`"f:containers":{` + app + `:{".":{},"f:image":{},"f:ports":{"k:{\"containerPort\":8080,\"protocol\":\"TCP\"}":{".":{},"f:name":{}}}}}`), "-"},
		"a container is somebody's":     {deployment, "", "kubectl", "Update", template(`"f:containers":{"k:{\"name\":\"side\"}":{".":{}}},"f:volumes":{"k:{\"name\":\"x\"}":{}}`), "-"},
		"a first one is somebody's":     {deployment, "", "kubectl", "Update", template(`"f:initContainers":{},"f:volumes":{}`), "-"},
		"scaled":                        {deployment, "", "kubectl", "Update", `{"f:spec":{"f:replicas":{}}}`, "-"},
		"applied by kubectl":            {deployment, "", "kubectl", "Apply", undoneTemplateAlone, "-"},
	} {
		a := newApp(withConfig, nobodys)
		manifest := wanted(a)[c.role]
		u := liveOf(t, manifest)
		if c.annotation != "" {
			u.SetAnnotations(map[string]string{annotationApplied: c.annotation})
		}
		u.Object["metadata"].(map[string]any)["managedFields"] = []any{entryOf(t, c.manager, c.operation, c.fields)}
		got := "-"
		if all := putBack(u.Object, manifest); all != nil {
			var paths []string
			for _, p := range all[0].paths {
				paths = append(paths, strings.Join(p, " "))
			}
			slices.Sort(paths)
			got = strings.Join(paths, ",")
			if all[0].by != c.manager || len(all) != 1 {
				t.Errorf("%s: %v", name, all)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

const undoneTemplateAlone = `{` + undoneTemplate + `}`

// What was put back is Mote's alone before the apply; what somebody set stays theirs.
func TestPutBackIsMadeOver(t *testing.T) {
	u := liveOf(t, wanted(newApp())[deployment])
	undone(t, u)
	out, err := json.Marshal(yielded(u, wanted(newApp())[deployment]).Object["metadata"].(map[string]any)["managedFields"])
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"fieldsV1":{"f:spec":{"f:progressDeadlineSeconds":{},"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{"f:args":{},"f:image":{}}},"f:nodeSelector":{}}}}},"manager":"mote","operation":"Apply"},` +
		`{"fieldsV1":{"f:spec":{"f:minReadySeconds":{}}},"manager":"kubectl-patch","operation":"Update"},` +
		`{"fieldsV1":{"f:metadata":{"f:annotations":{"f:mote.example.com/applied":{}}}},"manager":"kubectl","operation":"Update"}]`
	if string(out) != want {
		t.Errorf("is   %s\nwant %s", out, want)
	}
}

func TestJoin(t *testing.T) {
	for name, c := range map[string][3]string{
		"apart":             {`{"f:a":{}}`, `{"f:b":{"f:c":{}}}`, `{"f:a":{},"f:b":{"f:c":{}}}`},
		"the same":          {`{"f:a":{".":{},"f:b":{}}}`, `{"f:a":{".":{},"f:c":{}}}`, `{"f:a":{".":{},"f:b":{},"f:c":{}}}`},
		"a whole, and part": {`{"f:a":{}}`, `{"f:a":{"f:b":{}}}`, `{"f:a":{".":{},"f:b":{}}}`},
		"a part, and whole": {`{"f:a":{"f:b":{}}}`, `{"f:a":{}}`, `{"f:a":{".":{},"f:b":{}}}`},
	} {
		into := fromJSON(t, c[0])
		join(into, fromJSON(t, c[1]))
		if got, _ := json.Marshal(into); string(got) != c[2] {
			t.Errorf("%s: %s, want %s", name, got, c[2])
		}
	}
}

// Who puts a child back is told and counted, and is not fought without end.
func TestPutBackIsCorrected(t *testing.T) {
	w := running(t)
	for n := range freely {
		w.edit(web[deployment], func(u *unstructured.Unstructured) { undone(t, u) })
		e := w.next()
		for _, want := range []string{"PATCH deployments/web", "APPLY deployments/web", "POST events/"} {
			if n == 0 && !slices.Contains(e.requests, want) {
				t.Errorf("requests %q without %s", e.requests, want)
			}
		}
		w.edit(web[deployment], func(u *unstructured.Unstructured) { u.SetManagedFields(nil) }) // as the API server does
		w.next()
	}
	w.edit(web[deployment], func(u *unstructured.Unstructured) { undone(t, u) })
	w.next()
	w.wantMessage(`Deployment "web" was put back to an earlier state by "kubectl" again and again`)
	if n := asMap(w.object(webApp)["status"])["corrections"]; n != int64(freely) {
		t.Errorf("%v corrections were counted", n)
	}
	if got := w.object(web[deployment]); at(got, "metadata", "annotations")[annotationApplied] != "of an earlier manifest" {
		t.Error("it was fought over")
	}
}

// A child that is remembered does not tell who put it back: while it is left as it is,
// it is read before that is said.
func TestPutBackIsNotHidden(t *testing.T) {
	app := newApp(after(examplev1.PhaseRunning, reasonAvailable, 1, 0))
	kids := allLive(t, app)
	undone(t, kids[deployment].live)
	rolledOut(kids[deployment].live, 3, 3, 3, settled)
	until := noon.Add(time.Minute)
	v := view{kids: kids, held: [roles]time.Time{deployment: until}}
	if d := decide(app, wanted(app), v, noon); d.write != nil {
		t.Errorf("it is fought over: %+v", d.write)
	}
	kids[deployment].live.SetManagedFields(nil)
	if d := decide(app, wanted(app), v, noon); d.write == nil {
		t.Errorf("nothing is to do: %+v", d.status)
	}
}

// What an undo left before anybody noticed is put right once it is looked at, and only
// once, as it is foretold.
func TestLeftBehind(t *testing.T) {
	app := newApp(after(examplev1.PhaseRunning, reasonAvailable, 1, 0))
	kids := allLive(t, app)
	live := kids[deployment].live
	rolledOut(live, 3, 3, 3, settled)
	live.Object["metadata"].(map[string]any)["managedFields"] = []any{entryOf(t, "kubectl", "Update", undoneTemplateAlone)}
	d := decide(app, wanted(app), view{kids: kids}, noon)
	if d.write == nil || d.write.corrects != `Deployment "web" was put back to an earlier state by "kubectl"` {
		t.Fatalf("decided %+v", d)
	}
	r := rehearsal{app: *app, want: wanted(app), view: view{kids: kids}, now: noon}
	steps, _, err := r.play(t.Context())
	if applies := strings.Count(stepsText(t, steps), "Apply Deployment"); err != nil || applies != 1 {
		t.Errorf("%d applies are foretold: %v, %v", applies, steps, err)
	}
}

func stepsText(t *testing.T, steps any) string {
	t.Helper()
	text, err := json.Marshal(steps)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
