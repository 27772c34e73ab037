package e2e

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestAppRequests: what an app with all its children costs the API server until its
// pods run: four writes to make it, and one when they do.
func TestAppRequests(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	user, kubeconfig := s.audited(s.ns)
	s.start("--kubeconfig", kubeconfig)
	const crowd = 20
	var names []string
	var all []manifest
	for i := range crowd {
		names = append(names, fmt.Sprintf("web-%d", i))
		all = append(all, app(names[i], fields{"config": map[string]any{"a.conf": "one"}}))
	}
	s.apply(all...)
	s.runs(apps, names...)
	verbs := map[string]int{}
	first := map[string][]string{} // what an app was asked for until its first status
	total := 0
	for _, r := range requests(t, user) {
		name := r.ObjectRef.Name
		if name == "" || r.ObjectRef.Resource == "leases" {
			continue
		}
		total++
		verbs[r.Verb+" "+r.ObjectRef.Resource]++
		of := name
		if r.ObjectRef.Resource == "configmaps" {
			of = name[:len(name)-len("-config")]
		}
		if asked := first[of]; len(asked) == 0 || asked[len(asked)-1] != "patch myapps" {
			first[of] = append(asked, r.Verb+" "+r.ObjectRef.Resource)
		}
	}
	t.Logf("%.1f requests an app until it ran: %v", float64(total)/crowd, verbs)
	want := fmt.Sprint([]string{"patch configmaps", "patch services", "patch deployments", "patch myapps"})
	for _, name := range names {
		if got := fmt.Sprint(first[name]); got != want {
			t.Errorf("%s was made by %s, want %s", name, got, want)
		}
	}
	for _, child := range []string{"configmaps", "services", "deployments"} {
		if n := verbs["patch "+child]; n != crowd {
			t.Errorf("%d writes of %s for %d apps", n, child, crowd)
		}
	}
	// Its own writes wake nobody: there is a turn that makes an app and one that sees its
	// pods run, and now and then one in between, of a rollout that is slow to begin.
	if total > 5*crowd+crowd/2 {
		t.Errorf("%d requests for %d apps", total, crowd)
	}
	for verb, n := range verbs {
		if strings.HasPrefix(verb, "get ") && n > crowd/4 {
			t.Errorf("%d times %s, although events show what there is", n, verb)
		}
	}
}

// TestAppStart: a start with apps that are as they should be asks for nothing but the
// lists; of those whose children were changed meanwhile, each is looked at.
func TestAppStart(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	user, kubeconfig := s.audited(s.ns)
	first := s.start("--kubeconfig", kubeconfig)
	var names []string
	var all []manifest
	for i := range 10 {
		names = append(names, fmt.Sprintf("web-%d", i))
		all = append(all, app(names[i], fields{"config": map[string]any{"a.conf": "one"}}))
	}
	s.apply(all...)
	s.runs(apps, names...)
	s.eventually("all say for which children they are so", func() error {
		for _, name := range names {
			if hash, _, _ := unstructured.NestedString(s.get(apps, name).Object, "status", "childrenHash"); hash == "" {
				return errNone
			}
		}
		return nil
	})
	s.stop(first)
	s.kubectl("delete", "configmap", "web-3-config")
	s.kubectl("annotate", "service", "web-5", "example.com/note=x")
	asked := len(requests(t, user))
	s.start("--kubeconfig", kubeconfig)
	s.holds(configMaps, "web-3-config", "one", "data", "a.conf")
	s.kubectl("scale", "mapp", "web-7", "--replicas=1") // when this is done, so is what the start had to do
	s.holds(deployments, "web-7", "1", "spec", "replicas")
	s.runs(apps, names...)
	looked := map[string]int{}
	for _, r := range requests(t, user)[asked:] {
		if r.Verb == "get" && r.ObjectRef.Resource == "deployments" {
			looked[r.ObjectRef.Name]++
		}
	}
	for _, name := range names {
		if n := looked[name]; (n > 0) != (name == "web-3" || name == "web-5" || name == "web-7") {
			t.Errorf("%s was looked at %d times", name, n)
		}
	}
}
