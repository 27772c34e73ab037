package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestAppDeletionModes: deleting an app does what kubectl says of each mode.
func TestAppDeletionModes(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	config := fields{"config": map[string]any{"a.conf": "one"}}
	s.apply(app("background", config), app("foreground", config), app("orphan", config))
	s.runs(apps, "background", "foreground", "orphan")

	s.kubectl("delete", "mapp", "foreground", "--cascade=foreground", "--timeout=120s")
	for _, child := range childrenOf("foreground") {
		if _, err := s.fetch(child.r, child.name); err == nil {
			t.Errorf("foreground: %s %s outlived its app", child.r.Resource, child.name)
		}
	}
	s.kubectl("delete", "mapp", "background", "--cascade=background", "--timeout=120s")
	for _, child := range childrenOf("background") {
		s.gone(child.r, child.name)
	}

	before := map[string]string{}
	for _, child := range childrenOf("orphan") {
		before[child.r.Resource] = string(s.get(child.r, child.name).GetUID())
	}
	s.kubectl("delete", "mapp", "orphan", "--cascade=orphan", "--timeout=120s")
	s.gone(apps, "orphan")
	for _, child := range childrenOf("orphan") {
		u := s.get(child.r, child.name)
		if string(u.GetUID()) != before[child.r.Resource] || u.GetDeletionTimestamp() != nil || len(u.GetOwnerReferences()) > 0 {
			t.Errorf("orphan: %s %s is another, goes, or has owners %v", child.r.Resource, child.name, u.GetOwnerReferences())
		}
	}
	// They are nobody's now: an app of the same name takes them back as they are.
	pods := s.podsOf("orphan")
	s.apply(app("orphan", config))
	s.runs(apps, "orphan")
	s.areOf("orphan", before)
	if now := s.podsOf("orphan"); fmt.Sprint(now) != fmt.Sprint(pods) {
		t.Errorf("the pods are %v, they were %v", now, pods)
	}
	s.kubectl("delete", "mapp", "orphan", "--cascade=foreground", "--timeout=120s")
	s.childless()
}

// TestAppDeletionHangs: what keeps an app that is being deleted is told, by the status
// and by the commands, and nothing of it is touched.
func TestAppDeletionHangs(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start()
	s.apply(app("web", nil))
	s.runs(apps, "web")
	s.patch("service/web", `{"metadata":{"finalizers":["example.com/hold"]}}`)
	s.kubectl("delete", "mapp", "web", "--cascade=foreground", "--wait=false")
	why := `Service "web" (its finalizer example.com/hold)`
	s.stuck(apps, "web", "Deleting", "Deleting", "being deleted; waits for "+why)
	for _, command := range []string{"explain", "plan", "status"} {
		out, complaint, _ := s.onlyLooked(command, "mapp/web")
		if !strings.Contains(out, why) {
			t.Errorf("%s does not say what is waited for: %s%s", command, out, complaint)
		}
	}
	s.patch("service/web", `{"metadata":{"finalizers":null}}`)
	s.gone(apps, "web")
	s.childless()
}

// areOf checks that an app's children are those of before, by resource, and belong
// to the app of now.
func (s *site) areOf(app string, before map[string]string) {
	s.t.Helper()
	owner := s.get(apps, app).GetUID()
	for _, child := range childrenOf(app) {
		u := s.get(child.r, child.name)
		if ref := metav1.GetControllerOf(u); ref == nil || ref.UID != owner || len(u.GetOwnerReferences()) != 1 {
			s.t.Errorf("%s %s has the owners %v, and not %s alone", child.r.Resource, child.name, u.GetOwnerReferences(), owner)
		}
		if uid := string(u.GetUID()); uid != before[child.r.Resource] {
			s.t.Errorf("%s %s is another", child.r.Resource, child.name)
		}
	}
}

// aChild is where a child is.
type aChild struct {
	r    schema.GroupVersionResource
	name string
}

func childrenOf(app string) []aChild {
	return []aChild{{deployments, app}, {services, app}, {configMaps, app + "-config"}}
}

// TestAppNamespaceDeleted: in a namespace that is being deleted nothing is made,
// and nothing is complained of.
func TestAppNamespaceDeleted(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	there := *s
	there.ns = s.ns + "-there"
	there.makeNamespace(there.ns)
	p := s.startEverywhere("--namespace", there.ns)
	// A finalizer holds the app, and so the namespace, up for a while.
	there.apply(app("web", fields{"config": map[string]any{"a.conf": "one"}}).with("finalizers", []string{"example.com/hold"}), app("other", nil))
	there.runs(apps, "web", "other")
	s.kubectl("delete", "namespace", there.ns, "--wait=false")
	for _, child := range childrenOf("web") {
		there.gone(child.r, child.name)
	}
	// A change of an app in it does not bring its children back.
	there.patch("mapp/web", `{"metadata":{"annotations":{"mote.example.com/reconcile-requested-at":"now"}}}`)
	there.patch("mapp/web", `{"metadata":{"finalizers":null}}`)
	s.eventually("the namespace is gone", func() error {
		_, err := s.client.Resource(namespaces).Get(t.Context(), there.ns, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("it is there"))
	})
	if strings.Contains(p.Output(), "turn failed") {
		t.Error("a turn failed because of the namespace")
	}
}
