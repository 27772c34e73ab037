package e2e

import (
	"net/url"
	"testing"

	"example.com/mote/testbed/bed"
)

// TestClusterOfItsOwn needs a control plane without CRDs, of which mote serves
// all, and which goes away for a while.
func TestClusterOfItsOwn(t *testing.T) {
	t.Parallel()
	own, err := bed.New(cluster.Paths)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.Close(); err != nil {
			t.Error(err)
		}
	})
	control, err := own.StartControlPlane(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at, err := own.Config()
	if err != nil {
		t.Fatal(err)
	}
	client, err := own.Client()
	if err != nil {
		t.Fatal(err)
	}
	s := siteOn(t, own, client)
	s.startCloud()
	flags := []string{"--poll-interval", "500ms", "--slow-retry", "2s", "--lease-duration", "9s"}

	// A missing CRD is waited for.
	p := s.startWith(nil, flags...)
	for _, resource := range []string{"postgresdbs", "myapps"} {
		s.logged(p, "is its CRD installed? (mote crds | kubectl apply -f -)", `"resource":"`+resource+`"`)
	}
	if err := own.InstallCRDs(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Without --namespace, all are served; by the Lease of that name.
	second := *s
	second.ns = "another"
	second.makeNamespace(second.ns)
	for _, in := range []*site{s, &second} {
		in.apply(database("db", nil), app("web", nil))
	}
	for _, in := range []*site{s, &second} {
		in.runs(databases, "db")
		in.runs(apps, "web")
	}
	if n := len(s.ledger()); n != 2 {
		t.Errorf("%d instances for 2 objects", n)
	}
	system := *s
	system.ns = "kube-system"
	if system.holder() == "" {
		t.Error("nobody holds the Lease kube-system/mote")
	}

	// The API server dies and comes back: mote stays, and goes on.
	address, err := url.Parse(at.Host)
	if err != nil {
		t.Fatal(err)
	}
	control.Kill()
	s.logged(p, "could not reach")
	if _, err := own.StartControlPlane(t.Context(), "--port", address.Port()); err != nil {
		t.Fatal(err)
	}
	s.kubectl("scale", "mapp", "web", "--replicas=4")
	s.patch("pgdb/db", `{"spec":{"storageGB":40}}`)
	s.apply(database("later", nil))
	s.runs(databases, "db", "later")
	s.runs(apps, "web")
	s.holds(deployments, "web", "4", "spec", "replicas")
	if n := len(s.ledger()); n != 3 {
		t.Errorf("%d instances for 3 objects", n)
	}
	second.remove("pgdb/db", "mapp/web")
	second.gone(databases, "db")
	second.childless()
}
