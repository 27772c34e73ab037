package myapp

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/mote/crd/examplev1"
	"example.com/mote/metric"
	"example.com/mote/reconcile"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const patchStatus = "PATCH myapps/web/status"

func TestFirstTurn(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*examplev1.MyApp)
		writes []string
	}{
		"all":     {tricky, []string{"APPLY configmaps/web-config", "APPLY services/web", "APPLY deployments/web", patchStatus}},
		"no more": {withoutService, []string{"APPLY deployments/web", patchStatus}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			app := newApp(c.change)
			w.put(app)
			e := w.turn()
			e.wantRequests(t, c.writes...)
			if e.err != nil || e.After != podsWait {
				t.Errorf("ended with %v, again after %s", e.err, e.After)
			}
			w.wantStatus("Progressing", "Progressing")
			for r, manifest := range wanted(app) {
				if live := w.object(web[role(r)]); !contains(live, manifest) && manifest != nil {
					t.Errorf("%s is %v", kinds[r], live)
				}
			}
		})
	}
}

// A turn of an app that is as it should be makes reads alone, however its values
// are spelt by the API server, and however often it comes.
func TestSteady(t *testing.T) {
	w := running(t, tricky)
	for range 3 {
		e := w.next()
		e.wantRequests(t, reads...)
		if e.err != nil || e.After != 0 {
			t.Errorf("ended with %v, again after %s", e.err, e.After)
		}
	}
}

func TestRunning(t *testing.T) {
	w := newWorld(t)
	w.put(newApp())
	w.turn()
	w.edit(web[deployment], func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 3, settled) })
	e := w.next()
	e.wantRequests(t, append(slices.Clone(reads), patchStatus)...)
	w.wantStatus("Running", "Available")
}

// What an app costs the API server beyond the watches, until it runs: each child, and
// the status twice. What events and the first turn have shown is not read; only who
// has something to write to what is there already looks at it as it is.
func TestRequestsOfAnApp(t *testing.T) {
	w := newGlancingWorld(t)
	wants := func(what string, want ...string) {
		t.Helper()
		if got := w.turn().requests; !slices.Equal(got, want) {
			t.Errorf("%s: requests %q\nwant     %q", what, got, want)
		}
	}
	roll := func(available int64, how any) {
		w.edit(web[deployment], func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, available, how) })
	}
	w.put(newApp(withConfig))
	wants("a new one", "APPLY configmaps/web-config", "APPLY services/web", "APPLY deployments/web", patchStatus)
	w.edit(web[service], func(u *unstructured.Unstructured) {
		u.SetLabels(map[string]string{reconcile.OwnedLabel: reconcile.OwnedBy})
	})
	wants("a child that was changed", append(slices.Clone(reads), "APPLY services/web", patchStatus, "POST events/")...)
	roll(3, settled)
	wants("its pods run", patchStatus)
	w.wantStatus("Running", "Available")
	w.respec(func(spec map[string]any) { spec["image"] = "another:1" })
	wants("a new image", append(slices.Clone(reads), "APPLY deployments/web", patchStatus)...)
	roll(3, settled)
	wants("its pods run again", patchStatus)
	w.wantStatus("Running", "Available")
	w.respec(func(spec map[string]any) { spec["serviceType"] = "None" })
	wants("a Service that is not wanted any more", append(slices.Clone(reads), "GET myapps/web", "DELETE services/web", patchStatus)...)
}

func TestDrift(t *testing.T) {
	for name, c := range map[string]struct {
		role   role
		change func(*unstructured.Unstructured)
	}{
		"replicas": {deployment, func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["replicas"] = int64(7) }},
		"labels":   {service, func(u *unstructured.Unstructured) { u.SetLabels(nil) }},
		"selector": {service, func(u *unstructured.Unstructured) {
			u.Object["spec"].(map[string]any)["selector"].(map[string]any)["other"] = "x"
		}},
		"data": {config, func(u *unstructured.Unstructured) { delete(u.Object["data"].(map[string]any), "empty") }},
		"env": {deployment, func(u *unstructured.Unstructured) {
			spec := u.Object["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
			asList(asList(spec["containers"])[0]["env"])[0]["value"] = "not empty"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := running(t, tricky)
			before := asMap(w.object(web[c.role]))
			w.edit(web[c.role], c.change)
			e := w.next()
			if n := len(slices.DeleteFunc(e.requests, func(r string) bool { return r[:3] == "GET" || r == patchStatus || r == "POST events/" })); n != 1 {
				t.Errorf("requests %q, want one apply", e.requests)
			}
			after := w.object(web[c.role])
			for _, part := range []string{"spec", "data"} {
				if !reflect.DeepEqual(before[part], after[part]) {
					t.Errorf("%s was %v, and is %v", part, before[part], after[part])
				}
			}
			if !contains(after, wanted(newApp(tricky))[c.role]) {
				t.Error("not repaired")
			}
		})
	}
}

func TestLostChildIsMadeAgain(t *testing.T) {
	w := running(t, withConfig)
	w.lose(web[service])
	w.next().wantRequests(t, append(slices.Clone(reads), "APPLY services/web", patchStatus, "POST events/")...)
	w.wantStatus("Running", "Available")
	if n := asMap(w.object(webApp)["status"])["corrections"]; n != int64(1) {
		t.Errorf("%v corrections were counted", n)
	}
}

// What others set on purpose stays, what was wanted once goes.
func TestChangeOfSpec(t *testing.T) {
	w := running(t, tricky)
	w.edit(web[service], func(u *unstructured.Unstructured) {
		u.Object["spec"].(map[string]any)["ports"].([]any)[0].(map[string]any)["nodePort"] = int64(30080)
	})
	w.respec(func(spec map[string]any) {
		spec["serviceType"] = "NodePort"
		delete(spec, "env")
		delete(spec, "nodeSelector")
	})
	w.turn().wantRequests(t, append(slices.Clone(reads), "APPLY services/web", "APPLY deployments/web", patchStatus)...)
	spec := asMap(w.object(web[service])["spec"])
	if spec["type"] != "NodePort" || asList(spec["ports"])[0]["nodePort"] != int64(30080) || spec["clusterIP"] != "10.96.0.7" {
		t.Errorf("the Service is %v", spec)
	}
	pod := asMap(asMap(asMap(w.object(web[deployment])["spec"])["template"])["spec"])
	if pod["nodeSelector"] != nil || asList(pod["containers"])[0]["env"] != nil {
		t.Errorf("the pods keep what is not wanted any more: %v", pod)
	}
	w.wantStatus("Progressing", "Progressing")
}

func TestUnwantedChildrenGo(t *testing.T) {
	w := running(t, withConfig)
	w.respec(func(spec map[string]any) {
		spec["serviceType"] = "None"
		delete(spec, "config")
	})
	w.turn().wantRequests(t, append(slices.Clone(reads), "APPLY deployments/web", "DELETE services/web", patchStatus)...)
	w.next().wantRequests(t, reads...) // old pods mount the config
	w.edit(web[deployment], func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 2, rolling) })
	w.next().wantRequests(t, append(slices.Clone(reads), "DELETE configmaps/web-config", patchStatus)...)
	if w.object(web[service]) != nil || w.object(web[config]) != nil {
		t.Error("the Service or the ConfigMap is still there")
	}
}

// Objects of others are found by the first write, read, shown, left alone, and
// replaced by ours once they are gone.
func TestNameConflict(t *testing.T) {
	theirs := func(r role) func(*apiServer) {
		return func(s *apiServer) {
			s.store(web[r], map[string]any{"kind": kinds[r], "data": map[string]any{"app.conf": "theirs"},
				"metadata": map[string]any{"name": web[r].name, "namespace": "shop", "uid": "theirs", "labels": map[string]any{"app.kubernetes.io/managed-by": "mote"}}})
		}
	}
	made := slices.Concat(reads, []string{"APPLY configmaps/web-config", "APPLY services/web", "APPLY deployments/web", patchStatus})
	for name, c := range map[string]struct {
		role   role
		writes []string
		heals  []string
	}{
		"Service": {service,
			slices.Concat([]string{"APPLY configmaps/web-config", "APPLY services/web"}, reads, []string{"DELETE configmaps/web-config", patchStatus, "POST events/"}),
			made},
		"Deployment": {deployment,
			slices.Concat([]string{"APPLY configmaps/web-config", "APPLY services/web", "APPLY deployments/web"}, reads,
				[]string{"DELETE services/web", "DELETE configmaps/web-config", patchStatus, "POST events/"}),
			made},
		"ConfigMap": {config,
			slices.Concat([]string{"APPLY configmaps/web-config"}, reads, []string{patchStatus, "POST events/"}),
			made},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, theirs(c.role))
			before := w.object(web[c.role])
			w.put(newApp(withConfig))
			e := w.turn()
			e.wantRequests(t, c.writes...)
			if e.err != nil || e.After != podsWait {
				t.Errorf("ended with %v, again after %s", e.err, e.After)
			}
			w.wantStatus("Failed", "NameConflict")
			w.next().wantRequests(t, reads...)
			for r, at := range web {
				if r != c.role && w.object(at) != nil {
					t.Errorf("%s was made, and is there", kinds[r])
				}
			}
			if !reflect.DeepEqual(before, w.object(web[c.role])) {
				t.Errorf("somebody else's object was changed to %v", w.object(web[c.role]))
			}
			w.lose(web[c.role])
			w.next().wantRequests(t, c.heals...)
			w.wantStatus("Progressing", "Progressing")
		})
	}
}

// Orphans are taken over by an app of their name, once it is sure that it is not
// being deleted itself.
func TestOrphans(t *testing.T) {
	w := running(t, withConfig)
	orphan := func() {
		for _, at := range web {
			w.edit(at, func(u *unstructured.Unstructured) { orphaned(u) })
		}
	}
	uid := func() any { return asMap(w.object(web[deployment])["metadata"])["uid"] }
	before := uid()
	w.lose(webApp)
	orphan()
	w.put(newApp(withConfig, func(a *examplev1.MyApp) { a.UID = "uid-of-another-web" }))
	all := []string{"APPLY configmaps/web-config", "APPLY services/web", "APPLY deployments/web"}
	w.turn().wantRequests(t, slices.Concat([]string{all[0]}, reads, []string{"GET myapps/web"}, all, []string{patchStatus})...)
	w.wantStatus("Running", "Available")
	if uid() != before {
		t.Error("the Deployment is another")
	}

	// It is deleted with --cascade=orphan between the engine's read and its own look.
	orphan()
	w.api.mu.Lock()
	w.api.after["GET deployments/web"] = func() {
		u := &unstructured.Unstructured{Object: copyOf(t, w.api.objects[webApp])}
		deleted(u)
		w.api.store(webApp, u.Object)
	}
	w.api.mu.Unlock()
	w.next().wantRequests(t, slices.Concat(reads, []string{"GET myapps/web"})...)
	if refs := asMap(w.object(web[deployment])["metadata"])["ownerReferences"]; refs != nil {
		t.Errorf("the Deployment was taken back by an app that is being deleted: %v", refs)
	}
}

// What stands in the way of pods is found in a turn's own look at them, and at a
// pod's Events where the pod does not tell.
func TestCauseIsShown(t *testing.T) {
	w := newWorld(t)
	w.put(newApp())
	w.turn()
	pod := place{"api/v1", "pods", "shop", "web-1"}
	show := func(status map[string]any) {
		w.api.mu.Lock()
		defer w.api.mu.Unlock()
		w.api.store(pod, map[string]any{"kind": "Pod", "metadata": map[string]any{"name": "web-1", "creationTimestamp": "2026-01-01T00:00:00Z"}, "status": status})
	}
	show(map[string]any{"phase": "Pending", "containerStatuses": []any{map[string]any{"name": "app",
		"state": map[string]any{"waiting": map[string]any{"reason": "ImagePullBackOff", "message": "no such image"}}}}})
	w.edit(web[deployment], func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 0, rolling) })
	w.next().wantRequests(t, append(slices.Clone(reads), patchStatus, "POST events/")...)
	w.wantStatus("Progressing", "ImagePullBackOff")
	w.next().wantRequests(t, reads...)

	w.api.mu.Lock()
	w.api.store(place{"api/v1", "events", "shop", "web-1.1"}, map[string]any{"kind": "Event", "metadata": map[string]any{"name": "web-1.1"},
		"type": "Warning", "reason": "FailedMount", "message": "no such Secret"})
	w.api.mu.Unlock()
	show(map[string]any{"phase": "Pending"})
	w.next()
	w.wantStatus("Progressing", "FailedMount")
	w.lose(pod)
	w.next()
	w.wantStatus("Progressing", "Progressing")
}

// Who changes a child again and again is noticed, and not fought.
func TestFight(t *testing.T) {
	w := running(t)
	foreign := func() {
		w.edit(web[service], func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["type"] = "NodePort" })
	}
	for range freely {
		foreign()
		w.next()
		w.wantStatus("Running", "Available")
	}
	foreign()
	e := w.next()
	e.wantRequests(t, append(slices.Clone(reads), patchStatus, "POST events/")...)
	if e.After <= 0 || e.After > contestedWait {
		t.Errorf("again after %s", e.After)
	}
	w.wantStatus("Running", "Contested")
	w.wantMessage("(3 of 3 replicas available)")
	w.next().wantRequests(t, reads...)
	if kind := asMap(w.object(web[service])["spec"])["type"]; kind != "NodePort" {
		t.Errorf("the Service is %v: it was fought over", kind)
	}
	if n := asMap(w.object(webApp)["status"])["corrections"]; n != int64(freely) {
		t.Errorf("%v corrections were counted", n)
	}
	var page metric.Page
	w.ctl.Metrics(&page)
	var text strings.Builder
	page.WriteTo(&text)
	for _, line := range []string{`mote_drift_total{kind="MyApp"} 5`, `mote_objects_drifted{kind="MyApp"} 1`, `mote_objects{kind="MyApp",phase="Running"} 1`} {
		if !strings.Contains(text.String(), line+"\n") {
			t.Errorf("no %s in\n%s", line, text.String())
		}
	}
	// A change of the app's own spec is no fight.
	w.respec(func(spec map[string]any) { spec["serviceType"] = "LoadBalancer" })
	w.turn()
	w.wantStatus("Running", "Available")
}

// A Deployment with another selector is made anew without its pods.
func TestSelectorIsReplaced(t *testing.T) {
	w := running(t)
	before := asMap(w.object(web[deployment])["metadata"])["uid"]
	w.edit(web[deployment], func(u *unstructured.Unstructured) {
		u.Object["spec"].(map[string]any)["selector"] = map[string]any{"matchLabels": map[string]any{"old": "x"}}
	})
	e := w.next()
	e.wantRequests(t, append(slices.Clone(reads), "DELETE deployments/web", "APPLY deployments/web", patchStatus, "POST events/")...)
	if asMap(w.object(web[deployment])["metadata"])["uid"] == before {
		t.Error("it is the same Deployment")
	}
	if p := w.api.propagation; p != "Orphan" {
		t.Errorf("its pods were deleted with it: %s", p)
	}
}

// The pods wait for what they take values from, roll when that changes, and stay
// when it goes.
func TestReferences(t *testing.T) {
	w := newWorld(t)
	needs := func(a *examplev1.MyApp) {
		a.Spec.EnvFrom = []examplev1.EnvFrom{{SecretRef: &examplev1.SourceReference{Name: "db"}}}
		a.Spec.Env = []examplev1.EnvVar{{Name: "URI", ValueFrom: &examplev1.ValueFrom{SecretKeyRef: &examplev1.KeyReference{Name: "db", Key: "uri"}}}}
	}
	secret := place{"api/v1", "secrets", "shop", "db"}
	put := func(keys ...string) {
		w.api.mu.Lock()
		defer w.api.mu.Unlock()
		data := map[string]any{}
		for _, k := range keys {
			data[k] = "eA=="
		}
		w.api.store(secret, map[string]any{"kind": "Secret", "metadata": map[string]any{"name": "db", "uid": "uid-of-db"}, "data": data})
	}
	w.put(newApp(needs))
	e := w.turn()
	e.wantRequests(t, "GET secrets/db", "APPLY services/web", patchStatus, "POST events/")
	w.wantStatus("Pending", "ReferenceMissing")
	if e.After != missingWait {
		t.Errorf("again after %s", e.After)
	}
	all := append([]string{"GET secrets/db"}, reads...)
	put("url")                                                          // not the key that is asked for
	w.next().wantRequests(t, append(slices.Clone(all), patchStatus)...) // the Event is only counted
	w.wantStatus("Pending", "ReferenceMissing")
	w.wantMessage(`key "uri" of Secret "db" is not there: no pod would start`)
	put("url", "uri")
	w.next().wantRequests(t, append(slices.Clone(all), "APPLY deployments/web", patchStatus)...)
	w.edit(web[deployment], func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 3, settled) })
	if e := w.next(); e.After != watchedNot {
		t.Errorf("again after %s", e.After)
	}
	w.wantStatus("Running", "Available")
	w.next().wantRequests(t, all...)
	put("uri") // another version of it
	w.next().wantRequests(t, append(slices.Clone(all), "APPLY deployments/web", patchStatus)...)
	w.wantStatus("Progressing", "Progressing")
	if n := asMap(w.object(webApp)["status"])["corrections"]; n != nil {
		t.Errorf("%v corrections were counted", n)
	}
	w.edit(web[deployment], func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 3, settled) })
	w.next()
	put("url")
	w.next().wantRequests(t, append(slices.Clone(all), patchStatus)...)
	w.wantStatus("Running", "Available")
	w.wantMessage(`key "uri" of Secret "db" is not there any more`)
	w.lose(secret)
	w.next().wantRequests(t, append(slices.Clone(all), patchStatus)...)
	w.wantStatus("Running", "Available")
	by := func(replicas int64) {
		w.edit(web[deployment], func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["replicas"] = replicas })
	}
	by(7) // to have fewer again starts no pod
	w.next().wantRequests(t, append(slices.Clone(all), "APPLY deployments/web", patchStatus, "POST events/")...)
	if n := asMap(w.object(web[deployment])["spec"])["replicas"]; n != int64(3) {
		t.Errorf("%v replicas", n)
	}
	by(2)
	w.next().wantRequests(t, append(slices.Clone(all), patchStatus, "POST events/")...)
	by(3)
	w.edit(web[deployment], func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 3, settled) })
	w.next()
	w.wantStatus("Running", "Available")
	w.respec(func(spec map[string]any) { spec["image"], spec["replicas"] = "nginx:2", int64(2) })
	w.turn().wantRequests(t, append(slices.Clone(all), patchStatus)...) // the Event is only counted
	w.respec(func(spec map[string]any) { spec["replicas"] = int64(3) })
	w.turn().wantRequests(t, append(slices.Clone(all), patchStatus)...)
	w.wantStatus("Running", "ReferenceMissing") // the pods are
	w.wantMessage(`Secret "db" is not there: no new pod would start, so the change of the Deployment is held back; what runs goes on (3 of 3 replicas available)`)
	w.edit(web[deployment], func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 2, settled) })
	w.next().wantRequests(t, append(slices.Clone(all), patchStatus)...)
	w.wantMessage("(2 of 3 replicas available)")
	put("uri")
	w.next().wantRequests(t, append(slices.Clone(all), "APPLY deployments/web", patchStatus)...)
	w.wantStatus("Progressing", "Progressing")
}

// That an app runs is told after trouble that was told, however short, and although
// it came up in between; and of one that is changed without trouble it is not.
func TestRunsAfterTrouble(t *testing.T) {
	w := newWorld(t, func(s *apiServer) {
		s.refuse["APPLY deployments/web"] = apierrors.NewForbidden(schema.GroupResource{Resource: "deployments"}, "web", errors.New("quota"))
	})
	runs := func(what string, events int) {
		t.Helper()
		w.next()
		w.wantStatus("Progressing", "Progressing")
		w.edit(web[deployment], func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 3, settled) })
		e := w.next()
		w.wantStatus("Running", "Available")
		if n := len(slices.DeleteFunc(e.requests, func(r string) bool { return !strings.HasSuffix(r, " events/") })); n != events {
			t.Errorf("%s: %d Events in %q, want %d", what, n, e.requests, events)
		}
	}
	w.put(newApp())
	w.turn()
	w.wantStatus("Failed", "Forbidden")
	w.api.mu.Lock()
	clear(w.api.refuse)
	w.api.mu.Unlock()
	runs("after trouble", 1)
	w.respec(func(spec map[string]any) { spec["image"] = "nginx:2" })
	w.turn()
	runs("a change", 0)
}

// A turn that was cut off between its writes and its status is taken up again.
func TestFirstTurnAgain(t *testing.T) {
	w := newWorld(t)
	w.put(newApp(withConfig))
	w.turn()
	w.edit(webApp, func(u *unstructured.Unstructured) { delete(u.Object, "status") })
	w.next().wantRequests(t, append(append([]string{"APPLY configmaps/web-config"}, reads...), patchStatus)...)
	w.wantStatus("Progressing", "Progressing")
}

// A child that changes between read and write is read again, not written over.
func TestChangedMeanwhile(t *testing.T) {
	w := running(t)
	taken := func() { // somebody takes the Deployment over
		u := &unstructured.Unstructured{Object: copyOf(t, w.api.objects[web[deployment]])}
		u.SetOwnerReferences(nil)
		w.api.store(web[deployment], u.Object)
	}
	w.api.mu.Lock()
	w.api.after["GET deployments/web"] = taken
	w.api.mu.Unlock()
	w.respec(func(spec map[string]any) { spec["image"] = "nginx:2" })
	w.turn().wantRequests(t, slices.Concat(reads, []string{"APPLY deployments/web"}, reads, []string{patchStatus, "POST events/"})...)
	w.wantStatus("Failed", "NameConflict")
	if contains(w.object(web[deployment]), map[string]any{"metadata": map[string]any{"ownerReferences": []any{map[string]any{"uid": "uid-of-web"}}}}) {
		t.Error("the Deployment was taken back")
	}
}

// A child that is not wanted is deleted only as it was seen.
func TestTakenOverBeforeDelete(t *testing.T) {
	w := running(t)
	w.api.mu.Lock()
	w.api.after["GET services/web"] = func() {
		u := &unstructured.Unstructured{Object: copyOf(t, w.api.objects[web[service]])}
		u.SetOwnerReferences(nil)
		w.api.store(web[service], u.Object)
	}
	w.api.mu.Unlock()
	w.respec(func(spec map[string]any) { spec["serviceType"] = "None" })
	w.turn().wantRequests(t, slices.Concat(reads, []string{"DELETE services/web"}, reads, []string{patchStatus})...)
	if w.object(web[service]) == nil {
		t.Error("somebody else's Service was deleted")
	}
}

// A child that changes all the time ends the turn; the engine gives another soon.
func TestChangesAllTheTime(t *testing.T) {
	w := running(t)
	w.api.mu.Lock()
	w.api.refuse["APPLY deployments/web"] = conflict(web[deployment])
	w.api.mu.Unlock()
	w.respec(func(spec map[string]any) { spec["image"] = "nginx:2" })
	tries := slices.Concat(reads, []string{"APPLY deployments/web"})
	e := w.turn()
	e.wantRequests(t, slices.Concat(tries, tries, tries)...)
	if !apierrors.IsConflict(e.err) {
		t.Errorf("ended with %v, want a Conflict", e.err)
	}
	w.api.mu.Lock()
	delete(w.api.refuse, "APPLY deployments/web")
	w.api.mu.Unlock()
	for e.err != nil {
		e = w.turn()
	}
	w.wantStatus("Progressing", "Progressing")
}

func TestRefusedWrites(t *testing.T) {
	deployments := schema.GroupResource{Group: "apps", Resource: "deployments"}
	ending := apierrors.NewForbidden(deployments, "web", errors.New("the namespace is being terminated"))
	ending.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: "NamespaceTerminating"}}
	for name, c := range map[string]struct {
		err           *apierrors.StatusError
		phase, reason string
		requests      []string
		again         time.Duration
		fails         bool
	}{
		"invalid": {apierrors.NewInvalid(schema.GroupKind{Kind: "Deployment"}, "web", nil), "Failed", "Refused",
			[]string{"APPLY services/web", "APPLY deployments/web", patchStatus, "POST events/"}, refusedWait, false},
		"forbidden": {apierrors.NewForbidden(deployments, "web", errors.New("quota")), "Failed", "Forbidden",
			[]string{"APPLY services/web", "APPLY deployments/web", patchStatus, "POST events/"}, outsideWait, false},
		"server in trouble": {apierrors.NewInternalError(errors.New("webhook")), "Pending", "ApplyFailed",
			[]string{"APPLY services/web", "APPLY deployments/web", patchStatus}, 0, true},
		"namespace is ending": {ending, "", "", []string{"APPLY services/web", "APPLY deployments/web"}, outsideWait, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(s *apiServer) { s.refuse["APPLY deployments/web"] = c.err })
			w.put(newApp())
			e := w.turn()
			e.wantRequests(t, c.requests...)
			if (e.err != nil) != c.fails || e.After != c.again {
				t.Errorf("ended with %v, again after %s", e.err, e.After)
			}
			w.wantStatus(c.phase, c.reason)
			w.api.mu.Lock()
			clear(w.api.refuse)
			w.api.mu.Unlock()
			w.next()
			w.wantStatus("Progressing", "Progressing")
		})
	}
}

// Children that cannot be read are no reason to write anything.
func TestUnreadable(t *testing.T) {
	w := running(t)
	w.api.mu.Lock()
	w.api.refuse["GET deployments/web"] = apierrors.NewInternalError(errors.New("database is locked"))
	w.api.mu.Unlock()
	w.lose(web[service])
	e := w.next()
	e.wantRequests(t, reads...)
	if e.err == nil {
		t.Error("the turn did not fail")
	}
	w.wantStatus("Running", "Available")
}

// An app that cannot be understood fails its turn and nothing else.
func TestUnreadableApp(t *testing.T) {
	w := running(t)
	w.respec(func(spec map[string]any) { spec["port"] = "many" })
	e := w.turn()
	e.wantRequests(t)
	if e.err == nil {
		t.Error("the turn did not fail")
	}
}

// While an app is being deleted, its children are the garbage collector's.
func TestDeletedAppIsLeftAlone(t *testing.T) {
	w := running(t)
	w.lose(web[service])
	w.edit(webApp, func(u *unstructured.Unstructured) {
		u.SetDeletionTimestamp(ptr(metav1.NewTime(time.Now().Add(time.Minute))))
	})
	w.turn().wantRequests(t) // while it is not to be told yet
	// The deletion hangs: that is told, and nothing else is written.
	w.edit(webApp, func(u *unstructured.Unstructured) {
		u.SetDeletionTimestamp(ptr(metav1.NewTime(time.Now().Add(-2 * podsWait))))
		u.SetFinalizers([]string{metav1.FinalizerDeleteDependents})
	})
	e := w.next()
	e.wantRequests(t, append(slices.Clone(reads), patchStatus)...)
	if e.After < 2*podsWait || e.After > outsideWait {
		t.Errorf("again after %s", e.After)
	}
	w.wantStatus("Deleting", "Deleting")
	w.wantMessage(`being deleted; waits for Deployment "web" (the garbage collector has not come to it yet)`)
	w.next().wantRequests(t, reads...)
	w.lose(webApp)
	w.lose(web[deployment])
	if requests := w.api.taken(); len(requests) > 0 {
		t.Errorf("requests %q", requests)
	}
}

// With all watches telling, an app's whole life ends in silence.
func TestLife(t *testing.T) {
	w := newWorld(t, func(s *apiServer) { s.quiet = false })
	phase := func(want string) {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			if p, _ := w.status(); p == want {
				return
			} else if time.Now().After(deadline) {
				t.Fatalf("phase %s, want %s", p, want)
			}
		}
	}
	silence := func() (n int) {
		t.Helper()
		for quiet := 0; quiet < 10; quiet++ {
			time.Sleep(10 * time.Millisecond)
			if r := w.api.taken(); len(r) > 0 {
				n, quiet = n+len(r), 0
			}
		}
		return n
	}
	w.put(newApp(tricky))
	phase("Progressing")
	silence()
	w.edit(web[deployment], func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 3, settled) })
	phase("Running")
	silence()
	w.edit(web[deployment], func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 2, settled) })
	phase("Degraded")
	w.lose(web[config])
	silence()
	if w.object(web[config]) == nil {
		t.Error("the ConfigMap was not made again")
	}
	w.edit(web[deployment], func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 3, settled) })
	phase("Running")
	silence()
	for range 3 { // what others change without an opinion of ours
		w.edit(web[deployment], func(u *unstructured.Unstructured) { u.SetManagedFields(nil) })
	}
	if n := silence(); n > 0 {
		t.Errorf("%d requests for nothing", n)
	}
}
