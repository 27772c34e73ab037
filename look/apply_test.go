package look

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"example.com/mote/reconcile"
	"example.com/mote/schema"
)

type m = map[string]any

func database(spec m, more m) *unstructured.Unstructured {
	o := m{"apiVersion": "database.example.com/v1", "kind": "PostgresDB", "metadata": m{"name": "orders", "namespace": "shop"},
		"spec": m{"engineVersion": "14", "instanceClass": "2C4G", "storageGB": int64(100), "subnetID": "subnet-1"}}
	for k, v := range spec {
		o["spec"].(m)[k] = v
	}
	for k, v := range more {
		o[k] = v
	}
	u := &unstructured.Unstructured{Object: o}
	return u
}

// What an apply leaves: with the notes of kubectl's own apply, with those of a
// server-side one, and without any.
func TestApplied(t *testing.T) {
	manifest := database(m{"instanceClass": "4C8G"}, nil)
	manifest.SetLabels(map[string]string{"team": "a"})
	live := func(change func(*unstructured.Unstructured)) *unstructured.Unstructured {
		u := database(m{"site": "edge-01", "tags": m{"a": "1", "b": "2"}, "deletionPolicy": "Isolate"}, nil)
		u.SetLabels(map[string]string{"team": "b", "others": "x"})
		u.SetResourceVersion("7")
		change(u)
		return u
	}
	last, err := json.Marshal(m{"spec": m{"site": "edge-01", "tags": m{"a": "1"}}, "metadata": m{"labels": m{"team": "b"}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		live *unstructured.Unstructured
		want m // of the spec, beside what the manifest states
	}{
		"nobody's notes": {live(func(*unstructured.Unstructured) {}), m{"site": "edge-01", "tags": m{"a": "1", "b": "2"}, "deletionPolicy": "Isolate"}},
		"kubectl's notes": {live(func(u *unstructured.Unstructured) { u.SetAnnotations(map[string]string{annotationLast: string(last)}) }),
			m{"deletionPolicy": "Isolate"}},
		"notes of a server-side apply": {live(func(u *unstructured.Unstructured) {
			u.SetManagedFields([]metav1.ManagedFieldsEntry{
				{Manager: "kubectl", Operation: "Apply", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:site":{}}}`)},
				{Manager: "mote", Operation: "Apply", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:deletionPolicy":{}}}`)}})
		}), m{"tags": m{"a": "1", "b": "2"}, "deletionPolicy": "Isolate"}},
	} {
		got := applied(c.live, manifest)
		want := m{"engineVersion": "14", "instanceClass": "4C8G", "storageGB": int64(100), "subnetID": "subnet-1"}
		for k, v := range c.want {
			want[k] = v
		}
		if !reflect.DeepEqual(got.Object["spec"], want) {
			t.Errorf("%s: the spec is %v, want %v", name, got.Object["spec"], want)
		}
		if l := got.GetLabels(); l["team"] != "a" || l["others"] != "x" || got.GetResourceVersion() != "7" {
			t.Errorf("%s: the metadata is %v", name, got.Object["metadata"])
		}
	}
}

// Without a cluster and a cloud there is a plan of manifests all the same.
func TestPlanManifestAlone(t *testing.T) {
	l := &Look{Now: func() time.Time { return time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC) }}
	l.Settings.Region = "ap-guangzhou"
	o := l.PlanManifest(t.Context(), schema.Named("pgdb"), database(nil, nil).Object)
	if !o.New || len(o.Errors) > 0 || !o.Then.Ready || len(o.Steps) != 4 {
		t.Errorf("%+v", o)
	}
	o = l.PlanManifest(t.Context(), schema.Named("pgdb"), database(m{"storageGB": int64(15), "storageGb": int64(1)}, nil).Object)
	if len(o.Errors) != 2 || len(o.Steps) > 0 {
		t.Errorf("%+v", o)
	}
	paused := database(nil, nil)
	paused.SetAnnotations(map[string]string{"mote.example.com/paused": "true"})
	if o = l.PlanManifest(t.Context(), schema.Named("pgdb"), paused.Object); len(o.Steps) > 0 || len(o.Notes) != 1 {
		t.Errorf("%+v", o)
	}
	now := metav1.NewTime(l.Now())
	paused.SetDeletionTimestamp(&now)
	paused.SetFinalizers([]string{"x"})
	if o = l.Plan(t.Context(), schema.Named("pgdb"), paused); len(o.Steps) > 0 || o.Then.Ready || !strings.Contains(o.Then.String(), "it is being deleted since 2026-07-01T12:00:00Z, and stays while it is paused") {
		t.Errorf("paused and being deleted: %+v", o)
	}
}

// In a namespace that is not there, or of a kind that the cluster does not know, nothing
// can be made, unless the manifests bring it.
func TestPlanManifestNowhere(t *testing.T) {
	known := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		details := ""
		if known && strings.Contains(r.URL.Path, "orders") {
			details = `,"details":{"name":"orders"}`
		} else if known {
			details = `,"details":{"name":"shop"}`
		} else {
			details = `,"details":{}`
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404` + details + `}`))
	}))
	defer server.Close()
	cluster, err := Cluster(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	l := &Look{Cluster: cluster, Now: func() time.Time { return time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC) }}
	l.Settings.Region = "ap-guangzhou"
	plan := func(coming ...string) string {
		l.Coming = map[string]bool{}
		for _, c := range coming {
			l.Coming[c] = true
		}
		return strings.Join(l.PlanManifest(t.Context(), schema.Named("pgdb"), database(nil, nil).Object).Errors, "; ")
	}
	if got := plan(); got != "there is no namespace shop: an apply would fail" {
		t.Errorf("no namespace: %s", got)
	}
	if got := plan("Namespace shop"); got != "" {
		t.Errorf("a namespace that comes: %s", got)
	}
	known = false
	if got := plan("Namespace shop"); got != "the cluster does not know the kind PostgresDB: apply the output of mote crds" {
		t.Errorf("no such kind: %s", got)
	}
	if got := plan("Namespace shop", "CustomResourceDefinition postgresdbs.database.example.com"); got != "" {
		t.Errorf("a kind that comes: %s", got)
	}
}

func TestRow(t *testing.T) {
	db := schema.Named("pgdb")
	ready := func(status string) m {
		return m{"phase": "Running", "endpoint": "10.0.0.1:5432", "observedGeneration": int64(1), "conditions": []any{m{"type": "Ready", "status": status, "reason": "Why", "message": "so"}}}
	}
	at := func(generation int64, more m) *unstructured.Unstructured {
		u := database(m{"site": "edge-01"}, more)
		u.SetGeneration(generation)
		return u
	}
	for name, c := range map[string]struct {
		u     *unstructured.Unstructured
		phase string
		ready bool
		waits string
	}{
		"new":                   {at(1, nil), "New", false, "a controller that serves it"},
		"ready":                 {at(1, m{"status": ready("True")}), "Running", true, ""},
		"ready for another":     {at(2, m{"status": ready("True")}), "Running", false, "Why: so"},
		"not ready":             {at(1, m{"status": ready("False")}), "Running", false, "Why: so"},
		"without any condition": {at(1, m{"status": m{"phase": "Failed"}}), "Failed", false, ""},
	} {
		r := RowOf(db, c.u)
		if r.Phase != c.phase || r.Ready != c.ready || r.WaitsFor != c.waits || r.Site != "edge-01" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	leaving := at(1, m{"status": ready("True")})
	now := metav1.Now()
	leaving.SetDeletionTimestamp(&now)
	leaving.SetAnnotations(map[string]string{reconcile.AnnotationPaused: ""})
	if r := RowOf(db, leaving); r.Stage() != "Running, deleting, paused" || r.Phase != "Running" || r.Ready || r.Short != "pgdb" || !strings.Contains(r.WaitsFor, reconcile.AnnotationPaused) {
		t.Errorf("paused, and being deleted: %+v", r)
	}
	u := &unstructured.Unstructured{Object: m{"metadata": m{"name": "web"}, "status": m{"phase": "Running", "availableReplicas": int64(2), "replicas": int64(3)}}}
	if r := RowOf(schema.Named("mapp"), u); r.Where != "2/3" {
		t.Errorf("%+v", r)
	}
}
