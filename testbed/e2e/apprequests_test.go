package e2e

import (
	"fmt"
	"testing"
)

// TestAppRequests: what an app with all its children costs the API server until its
// pods run: five requests to make it, and one look at it when they do.
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
	want := fmt.Sprint([]string{"get myapps", "patch configmaps", "patch services", "patch deployments", "patch myapps"})
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
}
