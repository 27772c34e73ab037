package e2e

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestListsAndWatches: a crowd of objects that is there at the start is listed in
// pages, and then followed by one watch for each kind, narrowed to what is ours.
func TestListsAndWatches(t *testing.T) {
	t.Parallel()
	const crowd = 300
	s := newSiteWithoutCloud(t)
	var making sync.WaitGroup
	room := make(chan struct{}, 8)
	for i := range crowd {
		making.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			m := app(fmt.Sprintf("app-%d", i), fields{"replicas": int64(1), "port": int64(80)}).
				with("annotations", map[string]any{"mote.example.com/paused": "true"})
			if _, err := s.client.Resource(apps).Namespace(s.ns).Create(context.Background(),
				&unstructured.Unstructured{Object: m}, metav1.CreateOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	making.Wait()
	user, kubeconfig := s.audited(s.ns)
	p := s.start("--kubeconfig", kubeconfig)
	s.logged(p, fmt.Sprintf(`"msg":"synced","kind":"MyApp","objects":%d`, crowd))
	s.kubectl("annotate", "mapp", "app-0", "app-299", "mote.example.com/paused-")
	s.runs(apps, "app-0", "app-299")

	lists, pages, followed := 0, 0, map[string]url.Values{}
	for _, r := range requests(t, user) {
		u, err := url.ParseRequestURI(r.URI)
		if err != nil {
			t.Fatal(err)
		}
		switch query := u.Query(); {
		case r.Verb == "list" && query.Get("limit") == "":
			t.Errorf("a list without a limit: %s", r.URI)
		case r.Verb == "list" && r.ObjectRef.Resource == "myapps" && query.Get("continue") == "":
			lists++
		case r.Verb == "list" && r.ObjectRef.Resource == "myapps":
			pages++
		case r.Verb == "watch":
			// An API server ends the stream of a watcher that it finds too slow; the next
			// goes on where that one ended, without a list.
			before, again := followed[r.ObjectRef.Resource]
			if again && r.Stage == "ResponseStarted" && query.Get("resourceVersion") == before.Get("resourceVersion") {
				t.Errorf("%s are watched twice from the same place: %s", r.ObjectRef.Resource, r.URI)
			}
			followed[r.ObjectRef.Resource] = query
			if query.Get("allowWatchBookmarks") != "true" || query.Get("resourceVersion") == "" || query.Get("timeoutSeconds") == "" {
				t.Errorf("a watch without bookmarks, a place to begin or a limit: %s", r.URI)
			}
			if !strings.Contains(r.URI, "/namespaces/"+s.ns+"/") {
				t.Errorf("a watch beyond the namespace: %s", r.URI)
			}
		}
	}
	if lists != 1 || pages != 1 {
		t.Errorf("%d lists of myapps with %d further pages, want one of each", lists, pages)
	}
	for _, resource := range []string{"postgresdbs", "myapps", "deployments", "services", "configmaps"} {
		query, ok := followed[resource]
		if !ok {
			t.Errorf("%s are not watched", resource)
		}
		owned := resource != "postgresdbs" && resource != "myapps"
		if narrowed := query.Get("labelSelector") == "app.kubernetes.io/managed-by=mote"; narrowed != owned {
			t.Errorf("the watch of %s has label selector %q", resource, query.Get("labelSelector"))
		}
	}
	if len(followed) != 5 {
		t.Errorf("%d resources are watched, want 5: Secrets least of all", len(followed))
	}
}
