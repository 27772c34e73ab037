package lean

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

const deployment = `{"metadata":{"name":"a","resourceVersion":"3","managedFields":[{"manager":"m","fieldsV1":{"f:spec":{}}}],"labels":{"managedFields":"x"}},
 "spec":{"replicas":3,"ratio":1.0,"big":9007199254740993,"template":{"spec":{"containers":[{"name":"c","args":["a",null,true]}],"volumes":[]}}},"status":{}}`

var typed = `{"apiVersion":"apps/v1","kind":"Deployment",` + deployment[1:]

// What a client of bare objects reads is what the dynamic client reads, but for
// managedFields: of lists, whose items have no kind of their own, and of events.
func TestBareClient(t *testing.T) {
	answer := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(answer))
	}))
	defer server.Close()
	config := &rest.Config{Host: server.URL}
	lean, err := NewBareClient(config)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	of := func(c dynamic.Interface) dynamic.ResourceInterface {
		return c.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace("ns")
	}
	same := func(what string, got, want *unstructured.Unstructured) {
		t.Helper()
		want = want.DeepCopy()
		want.SetManagedFields(nil)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got  %v\nwant %v", what, got, want)
		}
	}
	answer = `{"apiVersion":"apps/v1","kind":"DeploymentList","metadata":{"resourceVersion":"9"},"items":[` + deployment + `,` + typed + `]}`
	got, err := of(lean).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := of(whole).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(got.Items) != 2 || len(want.Items) != 2 {
		t.Fatalf("%v, %v, %v", got, want, err)
	}
	for i := range want.Items {
		same("list", &got.Items[i], &want.Items[i])
	}
	answer = `{"type":"MODIFIED","object":` + typed + "}\n"
	fast, err := of(lean).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer fast.Stop()
	slow, err := of(whole).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Stop()
	glance := (<-fast.ResultChan()).Object.(*Glance)
	same("event", &glance.Unstructured, (<-slow.ResultChan()).Object.(*unstructured.Unstructured))
	again, err := Bare(glance.Text)
	if err != nil || !reflect.DeepEqual(again, &glance.Unstructured) {
		t.Errorf("its text is read as %v, %v", again, err)
	}
	if string(glance.Text) != typed {
		t.Errorf("the event's text is %s", glance.Text)
	}
}
