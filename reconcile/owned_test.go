package reconcile

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var deployments = Owned{
	Resource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"},
	Fingerprint: func(u *unstructured.Unstructured) uint64 {
		n, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
		return uint64(n)
	},
}

// childOf is a Deployment whose controller is a Thing.
func childOf(name, owner string) *unstructured.Unstructured {
	yes := true
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"replicas": int64(3)}}}
	u.SetAPIVersion("apps/v1")
	u.SetKind("Deployment")
	u.SetNamespace("ns")
	u.SetName(name)
	u.SetLabels(map[string]string{OwnedLabel: OwnedBy})
	u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "example.com/v1", Kind: "Thing", Name: owner, UID: "1", Controller: &yes}})
	return u
}

func owning(k *Kind) { k.Owned = []Owned{deployments} }

func TestChildrenWakeTheirOwners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		for _, name := range []string{"a", "b", "c"} {
			s.set("things", steady(name))
		}
		s.set("deployments", childOf("a", "a"))
		h := &hand{do: func(context.Context, *Turn) (Result, error) { return Result{}, nil }}
		e := startEngine(t, s, h, owning)
		<-e.Synced()
		turns := map[string]int{}
		for _, name := range []string{"a", "b", "c"} {
			h.expect(t, "at the start, for what nobody watched", name, 1)
			turns[name] = 1
		}
		expect := func(what string, woken ...string) {
			t.Helper()
			time.Sleep(time.Minute)
			for _, name := range woken {
				turns[name]++
			}
			for name, n := range turns {
				h.expect(t, what, name, n)
			}
		}
		change := func(name string, edit func(u *unstructured.Unstructured)) {
			s.change("deployments", Key{"ns", name}, edit)
		}
		replicas := func(n int64) func(u *unstructured.Unstructured) {
			return func(u *unstructured.Unstructured) { unstructured.SetNestedField(u.Object, n, "spec", "replicas") }
		}
		expect("nothing happened")
		change("a", replicas(5))
		expect("a child that differs", "a")
		change("a", func(u *unstructured.Unstructured) { u.SetAnnotations(map[string]string{"x": "y"}) })
		expect("a child that differs in nothing of interest")
		s.set("deployments", childOf("a-more", "a"))
		expect("a child more", "a")
		s.remove("deployments", Key{"ns", "a-more"})
		expect("a child less", "a")
		change("a", func(u *unstructured.Unstructured) { u.SetLabels(nil) })
		expect("a child that lost our label", "a")
		change("a", func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{OwnedLabel: OwnedBy}) })
		expect("and has it again", "a")
		change("a", func(u *unstructured.Unstructured) { u.SetOwnerReferences(childOf("a", "b").GetOwnerReferences()) })
		expect("a child that goes to another owner", "a", "b")
		change("a", func(u *unstructured.Unstructured) { u.SetOwnerReferences(nil) })
		expect("a child that loses its owner", "b")
		change("a", replicas(6))
		expect("a child of nobody")
		change("a", func(u *unstructured.Unstructured) { u.SetOwnerReferences(childOf("a", "a").GetOwnerReferences()) })
		expect("and has one again", "a")

		// Owners that are none of ours.
		refs := func(edit func(r *metav1.OwnerReference)) *unstructured.Unstructured {
			u := childOf("odd", "a")
			r := u.GetOwnerReferences()
			edit(&r[0])
			u.SetOwnerReferences(r)
			return u
		}
		no := false
		s.set("deployments", refs(func(r *metav1.OwnerReference) { r.Kind = "Other" }))
		expect("an owner of another kind")
		s.set("deployments", refs(func(r *metav1.OwnerReference) { r.APIVersion = "example.net/v1" }))
		expect("a kind of the same name in another group")
		s.set("deployments", refs(func(r *metav1.OwnerReference) { r.Controller = &no }))
		expect("an owner that does not control it")
		s.set("deployments", refs(func(r *metav1.OwnerReference) { r.Name = "unknown" }))
		expect("an owner that is not there, or another shard's")
		s.set("deployments", refs(func(r *metav1.OwnerReference) { r.APIVersion = "example.com/v2" }))
		expect("another version of our kind", "a")
		if e.log.count("level=WARN")+e.log.count("level=ERROR") != 0 {
			t.Errorf("the log says:\n%s", e.log)
		}
	})
}

// What happened to children while the watch was away shows in the next list.
func TestChildrenMissedByTheWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		for _, name := range []string{"changed", "gone", "new", "same"} {
			s.set("things", steady(name))
			if name != "new" {
				s.set("deployments", childOf(name, name))
			}
		}
		h := &hand{}
		startEngine(t, s, h, owning)
		s.setFault(func(r *http.Request) *metav1.Status {
			if strings.HasSuffix(r.URL.Path, "/deployments") && r.URL.Query().Get("watch") != "" {
				return stubStatus(410, metav1.StatusReasonExpired)
			}
			return nil
		})
		time.Sleep(15 * time.Minute)
		s.set("deployments", childOf("new", "new"))
		s.remove("deployments", Key{"ns", "gone"})
		s.change("deployments", Key{"ns", "changed"}, func(u *unstructured.Unstructured) {
			unstructured.SetNestedField(u.Object, int64(9), "spec", "replicas")
		})
		time.Sleep(time.Minute)
		for name, n := range map[string]int{"changed": 2, "gone": 2, "new": 2, "same": 1} {
			h.expect(t, "after the list", name, n)
		}
	})
}

func TestChildWhoseFingerprintPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.set("things", steady("a"))
		s.set("things", steady("b"))
		s.set("deployments", childOf("a", "a"))
		h := &hand{}
		e := startEngine(t, s, h, func(k *Kind) {
			k.Owned = []Owned{{Resource: deployments.Resource, Fingerprint: func(u *unstructured.Unstructured) uint64 {
				if u.GetName() == "a" {
					panic("odd child")
				}
				return deployments.Fingerprint(u)
			}}}
		})
		s.set("deployments", childOf("b", "b"))
		h.expect(t, "the owner of another child", "b", 2)
		if e.log.count("odd child") == 0 {
			t.Errorf("the log says:\n%s", e.log)
		}
	})
}

func TestChildMemory(t *testing.T) {
	c := &Controller{kind: Kind{Name: "Thing", Resource: thingResource}, index: NewIndex(), queue: NewQueue(DefaultBackoff, noJitter)}
	var sink *ownedSink
	children := tableFull + 1
	used := heapGrowth(func() any {
		sink = newOwnedSink(c, deployments)
		for i := range children {
			owner := fmt.Sprintf("orders-%012d", i)
			sink.record(Key{"ns", owner + "-config"}, owner, 1, 1, true)
		}
		return sink
	})
	perChild := float64(used) / float64(children)
	t.Logf("%.1f bytes for each child, names of 26 bytes", perChild)
	if perChild > 64+21.5+32+1 {
		t.Errorf("%.1f bytes for each child", perChild)
	}
	sink.begin()
	sink.end()
	if sink.children.n != 0 || len(sink.children.slots) != tableMin || len(sink.spaces) != 0 {
		t.Errorf("when all are gone, %d children in %d slots are left", sink.children.n, len(sink.children.slots))
	}
	runtime.KeepAlive(sink)
}
