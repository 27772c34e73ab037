package lean

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"example.com/mote/jsonscan"
)

const object = `{
 "apiVersion": "database.example.com/v1", "kind": "PostgresDB",
 "metadata": {"name": "a\u00e9\"b", "namespace": "default", "uid": "u", "resourceVersion": "17", "generation": 3,
  "creationTimestamp": "2026-01-01T00:00:00Z", "deletionTimestamp": null,
  "labels": {"x": "y"}, "finalizers": ["f/1", "f/2"],
  "annotations": {"mote.example.com/paused": "true", "kubectl.kubernetes.io/last-applied-configuration": "{\"a\\\\\":[1,{}]}"},
  "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {"f:x": {}}}}],
  "ownerReferences": [{"uid": "o", "controller": true, "count": 1.5}]},
 "spec": {"deep": [[[{"a": "]}\"{["}]]], "n": -1.5e3},
 "status": {"phase": "Running", "observedGeneration": 3, "ratio": 0.5, "ok": true, "no": false, "nothing": null, "conditions": [{"type": "Ready"}]}
}`

// kept is what a glance keeps, worked out the slow way.
func kept(t testing.TB, text string) map[string]any {
	var u unstructured.Unstructured
	if err := u.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	for k, v := range u.Object {
		switch k {
		case "apiVersion", "kind":
			out[k] = v
		case "metadata":
			m := v.(map[string]any)
			for drop := range m {
				switch drop {
				case "name", "namespace", "uid", "resourceVersion", "generation", "deletionTimestamp", "creationTimestamp", "finalizers", "ownerReferences":
				case "annotations":
					a := m[drop].(map[string]any)
					for k := range a {
						if !strings.HasPrefix(k, ours) {
							delete(a, k)
						}
					}
				default:
					delete(m, drop)
				}
			}
			for k, v := range m {
				if v == nil {
					delete(m, k)
				}
			}
			out[k] = m
		case "status":
			m := v.(map[string]any)
			for k, v := range m {
				switch v.(type) {
				case map[string]any, []any, nil:
					delete(m, k)
				}
			}
			out[k] = m
		}
	}
	return out
}

func TestGlance(t *testing.T) {
	s := jsonscan.New([]byte(object))
	got, err := glance(s)
	if err != nil {
		t.Fatal(err)
	}
	if want := kept(t, object); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// A text that ends early is an error wherever it ends, never half an object.
func TestCutAnywhere(t *testing.T) {
	list0 := `{"kind":"PostgresDBList","metadata":{"continue":"c","resourceVersion":"9"},"items":[` + object + `]}`
	for i := range len(list0) {
		var l unstructured.UnstructuredList
		if err := list(jsonscan.New([]byte(list0[:i])), bare, &l); err == nil {
			t.Fatalf("cut at %d of %d is taken for whole", i, len(list0))
		}
	}
}

func FuzzGlance(f *testing.F) {
	f.Add(object)
	f.Add(`{"kind":"x","metadata":{"annotations":{}},"status":{"a":[]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := glance(jsonscan.New([]byte(text)))
		var strict struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
			Metadata   struct {
				Name        string            `json:"name"`
				Annotations map[string]string `json:"annotations"`
			} `json:"metadata"`
			Status map[string]any `json:"status"`
		}
		if json.Unmarshal([]byte(text), &strict) != nil || err != nil {
			return // what no server sends; it must only not panic
		}
		if v, ok := got["kind"].(string); ok && v != strict.Kind && strings.Count(text, `"kind"`) == 1 {
			t.Errorf("kind %q, want %q", v, strict.Kind)
		}
	})
}

// Through the real dynamic client: lists, events, bookmarks, and errors in both forms.
func TestClient(t *testing.T) {
	var answer string
	code := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		w.Write([]byte(answer))
	}))
	defer server.Close()
	c, err := NewClient(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	answer = `{"apiVersion":"database.example.com/v1","kind":"PostgresDBList","metadata":{"continue":"next","resourceVersion":"9","remainingItemCount":7},"items":[` + object + `,` + object + `]}`
	l, err := c.Resource(gvr).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(l.Items) != 2 || l.GetContinue() != "next" || l.GetResourceVersion() != "9" || !reflect.DeepEqual(l.Items[1].Object, kept(t, object)) {
		t.Fatalf("list: %v %v", l, err)
	}
	answer = `{"type":"ADDED","object":` + object + `}
{"type":"BOOKMARK","object":{"kind":"PostgresDB","metadata":{"resourceVersion":"12","annotations":{"k8s.io/initial-events-end":"true"}}}}
{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old","reason":"Expired","code":410}}
`
	w, err := c.Resource(gvr).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e := <-w.ResultChan()
	if u := &e.Object.(*Glance).Unstructured; e.Type != watch.Added || !reflect.DeepEqual(u.Object, kept(t, object)) {
		t.Errorf("added: %v", e)
	}
	e = <-w.ResultChan()
	if u := &e.Object.(*Glance).Unstructured; e.Type != watch.Bookmark || u.GetResourceVersion() != "12" || u.GetAnnotations()[initialEventsEnd] != "true" {
		t.Errorf("bookmark: %v", e)
	}
	if e = <-w.ResultChan(); !apierrors.IsResourceExpired(apierrors.FromObject(e.Object)) {
		t.Errorf("error event: %v", e)
	}
	w.Stop()
	code, answer = http.StatusForbidden, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","reason":"Forbidden","code":403}`
	if _, err := c.Resource(gvr).List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("forbidden: %v", err)
	}
	code, answer = http.StatusOK, `<html>`
	if _, err := c.Resource(gvr).List(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("HTML is taken for a list")
	}
}

// One glance in 250, of an object of realistic size, beside a whole decode.
func BenchmarkGlance(b *testing.B) {
	text := []byte(strings.Replace(object, `"f:x": {}`, strings.Repeat(`"f:some-field-name": {".": {}, "f:other": {}}, `, 40)+`"f:x": {}`, 1))
	b.Run("lean", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := glance(jsonscan.New(text)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("unstructured", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			var u unstructured.Unstructured
			if err := u.UnmarshalJSON(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}
