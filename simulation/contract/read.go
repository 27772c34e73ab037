package contract

import (
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// list is a list's names, in order.
func names(l *unstructured.UnstructuredList) []string {
	var out []string
	for _, u := range l.Items {
		out = append(out, u.GetName())
	}
	return out
}

func (r *rig) list(gvr schema.GroupVersionResource, o metav1.ListOptions) *unstructured.UnstructuredList {
	r.Helper()
	l, err := r.in(gvr).List(r.Context(), o)
	if err != nil {
		r.Fatal(err)
	}
	return l
}

func (r *rig) lists(gvr schema.GroupVersionResource, o metav1.ListOptions, want ...string) {
	r.Helper()
	if got := names(r.list(gvr, o)); !slices.Equal(got, want) {
		r.Errorf("%+v lists %v, want %v", o, got, want)
	}
}

// A list in pages shows what was when it began.
func pages(r *rig) {
	for _, name := range []string{"b", "a", "d", "c", "e"} {
		r.make(databases, database(name))
	}
	first := r.list(databases, metav1.ListOptions{Limit: 2})
	r.make(databases, database("bb"))
	if err := r.in(databases).Delete(r.Context(), "d", metav1.DeleteOptions{}); err != nil {
		r.Fatal(err)
	}
	got, version := names(first), first.GetResourceVersion()
	for page := first; page.GetContinue() != ""; {
		page = r.list(databases, metav1.ListOptions{Limit: 2, Continue: page.GetContinue()})
		got = append(got, names(page)...)
		if page.GetResourceVersion() != version {
			r.Errorf("a page of version %s in a list of version %s", page.GetResourceVersion(), version)
		}
	}
	if want := []string{"a", "b", "c", "d", "e"}; !slices.Equal(got, want) {
		r.Errorf("the pages list %v, want %v", got, want)
	}
	r.lists(databases, metav1.ListOptions{Limit: 10}, "a", "b", "bb", "c", "e")
	// From there a watch goes on.
	w := r.watch(databases, metav1.ListOptions{ResourceVersion: version})
	r.sees(w, watch.Added, "bb")
	r.sees(w, watch.Deleted, "d")
}

func selectors(r *rig) {
	for name, spec := range map[string]map[string]any{"a": {"site": "edge-1"}, "b": {"site": "edge-2", "region": "ap-guangzhou"}, "c": {}} {
		u := database(name)
		for k, v := range spec {
			u.Object["spec"].(map[string]any)[k] = v
		}
		u.SetLabels(map[string]string{"n": name})
		r.make(databases, u)
	}
	r.patch(databases, "a", `{"status":{"phase":"Running"}}`, "status")
	r.lists(databases, metav1.ListOptions{FieldSelector: "spec.site=edge-1"}, "a")
	r.lists(databases, metav1.ListOptions{FieldSelector: "spec.site!=edge-1"}, "b", "c")
	r.lists(databases, metav1.ListOptions{FieldSelector: "spec.site="}, "c")
	r.lists(databases, metav1.ListOptions{FieldSelector: "spec.site=edge-2,spec.region=ap-guangzhou"}, "b")
	r.lists(databases, metav1.ListOptions{FieldSelector: "metadata.name=c"}, "c")
	r.lists(databases, metav1.ListOptions{FieldSelector: "metadata.namespace=" + r.namespace + ",status.phase=Running"}, "a")
	r.lists(databases, metav1.ListOptions{LabelSelector: "n in (a,c)"}, "a", "c")
	r.lists(databases, metav1.ListOptions{LabelSelector: "n!=a", FieldSelector: "spec.site="}, "c")
	_, err := r.in(databases).List(r.Context(), metav1.ListOptions{FieldSelector: "spec.storageGB=100"})
	r.answers(err, 400, metav1.StatusReasonBadRequest)
	_, err = r.in(databases).Watch(r.Context(), metav1.ListOptions{FieldSelector: "spec.storageGB=100"})
	r.answers(err, 400, metav1.StatusReasonBadRequest)
}

func (r *rig) watch(gvr schema.GroupVersionResource, o metav1.ListOptions) watch.Interface {
	r.Helper()
	w, err := r.in(gvr).Watch(r.Context(), o)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(w.Stop)
	return w
}

// next is what a watch tells next; nil when it has ended.
func (r *rig) next(w watch.Interface) *watch.Event {
	r.Helper()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	select {
	case e, ok := <-w.ResultChan():
		if !ok {
			return nil
		}
		return &e
	case <-limit.C:
		r.Fatal("nothing comes from the watch")
		return nil
	}
}

func (r *rig) sees(w watch.Interface, kind watch.EventType, name string) *unstructured.Unstructured {
	r.Helper()
	e := r.next(w)
	if e == nil {
		r.Fatalf("the watch has ended before %s %s", kind, name)
	}
	u, ok := e.Object.(*unstructured.Unstructured)
	if !ok || e.Type != kind || u.GetName() != name {
		r.Fatalf("the watch tells %s of %v, want %s %s", e.Type, e.Object, kind, name)
	}
	return u
}

func watchChanges(r *rig) {
	from := r.list(databases, metav1.ListOptions{}).GetResourceVersion()
	w := r.watch(databases, metav1.ListOptions{ResourceVersion: from})
	r.make(databases, database("a"))
	added := r.sees(w, watch.Added, "a")
	r.patch(databases, "a", `{"metadata":{"finalizers":["example.com/x"]},"spec":{"storageGB":200}}`)
	r.holds(r.sees(w, watch.Modified, "a"), "200", "spec", "storageGB")
	now := r.patch(databases, "a", `{"status":{"phase":"Pending"}}`, "status")
	if u := r.sees(w, watch.Modified, "a"); u.GetResourceVersion() != now.GetResourceVersion() {
		r.Errorf("version %s, want %s", u.GetResourceVersion(), now.GetResourceVersion())
	}
	if err := r.in(databases).Delete(r.Context(), "a", metav1.DeleteOptions{}); err != nil {
		r.Fatal(err)
	}
	if r.sees(w, watch.Modified, "a").GetDeletionTimestamp() == nil {
		r.Error("nothing tells that it is being deleted")
	}
	r.patch(databases, "a", `{"metadata":{"finalizers":[]}}`)
	gone := r.sees(w, watch.Deleted, "a")
	if gone.GetResourceVersion() == now.GetResourceVersion() {
		r.Error("the deletion has no version of its own")
	}
	// Another begins where one was.
	w = r.watch(databases, metav1.ListOptions{ResourceVersion: added.GetResourceVersion()})
	r.sees(w, watch.Modified, "a")
	r.sees(w, watch.Modified, "a")
	r.sees(w, watch.Modified, "a")
	r.sees(w, watch.Deleted, "a")
	r.make(databases, database("b"))
	r.sees(w, watch.Added, "b")
}

// What leaves a selection looks like deleted, and what enters it like new.
func watchSelection(r *rig) {
	made := r.make(databases, database("a"))
	r.make(databases, database("other"))
	o := metav1.ListOptions{ResourceVersion: r.list(databases, metav1.ListOptions{}).GetResourceVersion(), FieldSelector: "status.phase=Running"}
	w := r.watch(databases, o)
	o.FieldSelector, o.LabelSelector = "", "x=y"
	l := r.watch(databases, o)
	r.patch(databases, "a", `{"status":{"phase":"Running"}}`, "status")
	r.sees(w, watch.Added, "a")
	r.patch(databases, "a", `{"metadata":{"labels":{"x":"y"}}}`)
	r.sees(w, watch.Modified, "a")
	r.sees(l, watch.Added, "a")
	now := r.patch(databases, "a", `{"status":{"phase":"Failed"}}`, "status")
	left := r.sees(w, watch.Deleted, "a")
	if left.GetDeletionTimestamp() != nil || left.GetUID() != made.GetUID() || left.GetResourceVersion() != now.GetResourceVersion() {
		r.Errorf("it left as %v", left.Object["metadata"])
	}
	r.sees(l, watch.Modified, "a")
	r.patch(databases, "a", `{"metadata":{"labels":null}}`)
	r.sees(l, watch.Deleted, "a")
	r.patch(databases, "a", `{"status":{"phase":"Running"}}`, "status")
	r.sees(w, watch.Added, "a")
}

// What begins before all that the server remembers is refused: as an answer or in
// the stream.
func watchLongAgo(r *rig) {
	r.make(databases, database("a"))
	w, err := r.in(databases).Watch(r.Context(), metav1.ListOptions{ResourceVersion: "1"})
	if err == nil {
		defer w.Stop()
		e := r.next(w)
		if e == nil || e.Type != watch.Error {
			r.Fatalf("the watch tells %v", e)
		}
		err = apierrors.FromObject(e.Object)
	}
	if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
		r.Errorf("it is refused so: %v", err)
	}
}

func bookmarks(r *rig) {
	made := r.make(databases, database("a"))
	r.make(configs, object(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`))
	seconds := int64(8)
	w := r.watch(databases, metav1.ListOptions{ResourceVersion: made.GetResourceVersion(), AllowWatchBookmarks: true, TimeoutSeconds: &seconds})
	n := 0
	for e := r.next(w); e != nil; e = r.next(w) {
		u, ok := e.Object.(*unstructured.Unstructured)
		if !ok || e.Type != watch.Bookmark || u.GetKind() != "PostgresDB" || u.GetResourceVersion() < made.GetResourceVersion() || u.GetName() != "" {
			r.Errorf("the watch tells %s of %v", e.Type, e.Object)
		}
		n++
	}
	if n == 0 {
		r.Error("a watch of 8 seconds ends without a bookmark")
	}
	seconds = 1 // one that does not ask for them gets none
	w = r.watch(databases, metav1.ListOptions{ResourceVersion: made.GetResourceVersion(), TimeoutSeconds: &seconds})
	if e := r.next(w); e != nil {
		r.Errorf("the watch tells %s of %v", e.Type, e.Object)
	}
}
