package contract

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// Test is one of the suite. Run may be called in a testing/synctest bubble.
type Test struct {
	Name string
	Run  func(t *testing.T, server *rest.Config)
}

// Tests are all of them. The API server serves both of Mote's kinds; its garbage
// collector runs. Each test works in a namespace of its own, which it makes.
func Tests() []Test {
	var all []Test
	for _, t := range []struct {
		name string
		run  func(*rig)
	}{
		{"create", create},
		{"what is not there", missing},
		{"another uid", anotherUID},
		{"an old version", oldVersion},
		{"status apart", statusApart},
		{"generation", generation},
		{"a write that changes nothing", noChange},
		{"merge patch", mergePatch},
		{"finalizers", finalizers},
		{"preconditions of a delete", preconditions},
		{"pages", pages},
		{"selectors", selectors},
		{"watch", watchChanges},
		{"watch a selection", watchSelection},
		{"watch from long ago", watchLongAgo},
		{"bookmarks", bookmarks},
		{"secret", secret},
		{"lease", lease},
		{"event", event},
		{"apply makes", applyMakes},
		{"apply takes back", applyTakesBack},
		{"apply meets another", applyMeetsAnother},
		{"apply ports", applyPorts},
		{"apply a deployment", applyDeployment},
		{"json patch", jsonPatch},
		{"garbage", garbage},
		{"garbage in the foreground", foreground},
	} {
		all = append(all, Test{t.name, func(tt *testing.T, c *rest.Config) { t.run(newRig(tt, t.name, c)) }})
	}
	return all
}

// rig is one test's way to the server.
type rig struct {
	*testing.T
	client    dynamic.Interface
	namespace string
}

func newRig(t *testing.T, name string, c *rest.Config) *rig {
	c = rest.CopyConfig(c)
	c.QPS = -1
	client, err := dynamic.NewForConfig(c)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, client: client, namespace: "contract-" + strings.ReplaceAll(name, " ", "-")}
	home := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": r.namespace}}}
	if _, err := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Create(t.Context(), home, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return r
}

var (
	databases   = schema.GroupVersionResource{Group: "database.example.com", Version: "v1", Resource: "postgresdbs"}
	apps        = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "myapps"}
	secrets     = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	configs     = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	services    = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	leases      = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
	events      = schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}
)

const manager = "contract"

func (r *rig) in(gvr schema.GroupVersionResource) dynamic.ResourceInterface {
	return r.client.Resource(gvr).Namespace(r.namespace)
}

// database is one as a person would apply it.
func database(name string) *unstructured.Unstructured {
	return object(`{"apiVersion":"database.example.com/v1","kind":"PostgresDB","metadata":{"name":%q},
		"spec":{"engineVersion":"14","instanceClass":"2C4G","storageGB":100,"subnetID":"subnet-mote0001"}}`, name)
}

func object(format string, a ...any) *unstructured.Unstructured {
	var u unstructured.Unstructured
	if err := u.UnmarshalJSON(fmt.Appendf(nil, format, a...)); err != nil {
		panic(err)
	}
	return &u
}

// make makes an object.
func (r *rig) make(gvr schema.GroupVersionResource, u *unstructured.Unstructured) *unstructured.Unstructured {
	r.Helper()
	made, err := r.in(gvr).Create(r.Context(), u, metav1.CreateOptions{FieldManager: manager})
	if err != nil {
		r.Fatal(err)
	}
	return made
}

func (r *rig) get(gvr schema.GroupVersionResource, name string) *unstructured.Unstructured {
	r.Helper()
	u, err := r.in(gvr).Get(r.Context(), name, metav1.GetOptions{})
	if err != nil {
		r.Fatal(err)
	}
	return u
}

// gone waits until an object is gone.
func (r *rig) gone(gvr schema.GroupVersionResource, name string) {
	r.Helper()
	r.until("gone: "+name, func() bool {
		_, err := r.in(gvr).Get(r.Context(), name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}

func (r *rig) until(what string, is func() bool) {
	r.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			r.Fatalf("a minute later it is not so: %s", what)
		}
	}
}

// try sends a merge patch.
func (r *rig) try(gvr schema.GroupVersionResource, name, patch string, sub ...string) (*unstructured.Unstructured, error) {
	return r.in(gvr).Patch(r.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: manager}, sub...)
}

// patch sends a merge patch that has to succeed.
func (r *rig) patch(gvr schema.GroupVersionResource, name, patch string, sub ...string) *unstructured.Unstructured {
	r.Helper()
	u, err := r.try(gvr, name, patch, sub...)
	if err != nil {
		r.Fatalf("%s: %v", patch, err)
	}
	return u
}

// apply sends a server-side apply.
func (r *rig) apply(gvr schema.GroupVersionResource, by string, force bool, u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return r.in(gvr).Apply(r.Context(), u.GetName(), u, metav1.ApplyOptions{FieldManager: by, Force: force})
}

func (r *rig) applied(gvr schema.GroupVersionResource, by string, u *unstructured.Unstructured) *unstructured.Unstructured {
	r.Helper()
	now, err := r.apply(gvr, by, true, u)
	if err != nil {
		r.Fatal(err)
	}
	return now
}

// answers sees that an error is an answer with that code and reason.
func (r *rig) answers(err error, code int32, reason metav1.StatusReason) metav1.Status {
	r.Helper()
	st, ok := err.(apierrors.APIStatus)
	if !ok {
		r.Fatalf("%v is no answer of an API server; want %d %s", err, code, reason)
	}
	if got := st.Status(); got.Code != code || got.Reason != reason {
		r.Errorf("%d %s (%s), want %d %s", got.Code, got.Reason, got.Message, code, reason)
	}
	return st.Status()
}

// same sees that an object has not been written since.
func (r *rig) same(gvr schema.GroupVersionResource, since *unstructured.Unstructured) {
	r.Helper()
	if now := r.get(gvr, since.GetName()); now.GetResourceVersion() != since.GetResourceVersion() {
		r.Errorf("it was written: version %s, before %s", now.GetResourceVersion(), since.GetResourceVersion())
	}
}

// holds sees that a field has a value, given as JSON; "" is that it is absent.
func (r *rig) holds(u *unstructured.Unstructured, want string, path ...string) {
	r.Helper()
	v, there, err := unstructured.NestedFieldNoCopy(u.Object, path...)
	if err != nil {
		r.Error(err)
	}
	got := ""
	if there {
		text, err := json.Marshal(v)
		if err != nil {
			r.Fatal(err)
		}
		got = string(text)
	}
	if got != want {
		r.Errorf("%s is %s, want %s", strings.Join(path, "."), got, want)
	}
}
