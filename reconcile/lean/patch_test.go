package lean

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

var gvr = schema.GroupVersionResource{Group: "database.example.com", Version: "v1", Resource: "postgresdbs"}

// answering is a client of a server that answers so, and what it was asked.
func answering(t *testing.T, code int, answer string) (c dynamic.ResourceInterface, asked *http.Request, body *string) {
	asked, body = &http.Request{}, new(string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		*asked, *body = *r, string(text)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		w.Write([]byte(answer))
	}))
	t.Cleanup(server.Close)
	lean, err := NewClient(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return lean.Resource(gvr).Namespace("default"), asked, body
}

// whole is an object with nothing left out.
func whole(t *testing.T, text string) map[string]any {
	var u unstructured.Unstructured
	if err := u.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return u.Object
}

func TestLook(t *testing.T) {
	got, err := Look([]byte(object))
	if err != nil {
		t.Fatal(err)
	}
	want := kept(t, object)
	want["spec"], want["status"] = whole(t, object)["spec"], whole(t, object)["status"]
	if !reflect.DeepEqual(got.Object, want) {
		t.Errorf("got  %v\nwant %v", got.Object, want)
	}
	for i := range len(object) {
		if _, err := Look([]byte(object[:i])); err == nil {
			t.Fatalf("cut at %d of %d is taken for whole", i, len(object))
		}
	}
	if _, err := Look([]byte(object + object)); err == nil {
		t.Error("two objects are taken for one")
	}
}

func TestPatch(t *testing.T) {
	c, asked, body := answering(t, http.StatusOK, object)
	got, err := c.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"status":{"phase":"Running"}}`), metav1.PatchOptions{FieldManager: "mote"}, "status")
	if err != nil {
		t.Fatal(err)
	}
	want := kept(t, object)
	want["status"] = whole(t, object)["status"]
	if !reflect.DeepEqual(got.Object, want) {
		t.Errorf("got  %v\nwant %v", got.Object, want)
	}
	if got := asked.Method + " " + asked.RequestURI; got != "PATCH /apis/database.example.com/v1/namespaces/default/postgresdbs/a/status?fieldManager=mote" {
		t.Error(got)
	}
	if kind := asked.Header.Get("Content-Type"); kind != "application/merge-patch+json" || *body != `{"status":{"phase":"Running"}}` {
		t.Errorf("%s: %s", kind, *body)
	}
	if _, err := c.Patch(t.Context(), "", types.MergePatchType, nil, metav1.PatchOptions{}); err == nil {
		t.Error("an object without a name was patched")
	}
}

// What one answer was read from is used for the next.
func TestPatchesShareNothing(t *testing.T) {
	var answer string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, answer) }))
	defer server.Close()
	lean, err := NewClient(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	patch := func(phase string) *unstructured.Unstructured {
		answer = `{"metadata":{"name":"` + phase + `"},"status":{"phase":"` + phase + `","all":["` + phase + `"]}}`
		u, err := lean.Resource(gvr).Namespace("default").Patch(t.Context(), "a", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	first := patch("Running")
	before := first.DeepCopy()
	for _, phase := range []string{"Pending", "Failed!"} {
		patch(phase)
	}
	if !reflect.DeepEqual(first, before) {
		t.Errorf("became %v", first)
	}
	big := bytes.NewBuffer(make([]byte, 0, mostAnswer+1))
	big.WriteString("x")
	if giveBack(big); big.Len() == 0 {
		t.Error("a large buffer is kept")
	}
}

// Errors are those of the client beneath.
func TestPatchRefused(t *testing.T) {
	status := `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"%","code":400,"details":{"causes":[{"field":"metadata.uid"}]}}`
	for reason, is := range map[string]func(error) bool{"Conflict": apierrors.IsConflict, "Invalid": apierrors.IsInvalid, "NotFound": apierrors.IsNotFound, "Forbidden": apierrors.IsForbidden} {
		c, _, _ := answering(t, http.StatusUnprocessableEntity, strings.Replace(status, "%", reason, 1))
		_, err := c.Patch(t.Context(), "a", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{}, "status")
		var told apierrors.APIStatus
		if !is(err) || !errors.As(err, &told) || !slices.ContainsFunc(told.Status().Details.Causes, func(c metav1.StatusCause) bool { return c.Field == "metadata.uid" }) {
			t.Errorf("%s: %v", reason, err)
		}
	}
	for _, answer := range []string{"", "<html>", object[:len(object)/2], "[]"} {
		c, _, _ := answering(t, http.StatusOK, answer)
		if _, err := c.Patch(t.Context(), "a", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{}); err == nil {
			t.Errorf("%q is taken for an object", answer)
		}
	}
}

// What is no list, watch or patch is read whole.
func TestGetIsWhole(t *testing.T) {
	c, _, _ := answering(t, http.StatusOK, object)
	got, err := c.Get(t.Context(), "a", metav1.GetOptions{})
	if err != nil || !reflect.DeepEqual(got.Object, whole(t, object)) {
		t.Errorf("%v, %v", got, err)
	}
}
