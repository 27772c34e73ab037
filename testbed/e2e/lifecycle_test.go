package e2e

import (
	"encoding/json"
	"testing"

	"example.com/mote/k3s"
)

// TestNamespaceDeleted: a namespace goes with all that is in it, and nothing is
// left in the cloud.
func TestNamespaceDeleted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	// The Lease is elsewhere, so that it does not go with the namespace.
	s.startEverywhere("--lease-namespace", "kube-system", "--lease-name", s.ns)
	s.apply(database("running", nil), database("kept", fields{"deletionPolicy": "Isolate"}), database("refused", fields{"instanceClass": "3C7G"}),
		app("web", fields{"config": map[string]any{"a": "b"}}))
	s.runs(databases, "running", "kept")
	s.runs(apps, "web")
	s.apply(database("making", nil))
	s.shows(databases, "making", "is bought", func(st state) bool { return st.instance != "" })
	s.kubectl("delete", "namespace", s.ns, "--timeout=120s")
	s.gone(databases, "running", "kept", "refused", "making")
	s.nothingBilled()
	if n := len(s.ledger()); n != 3 {
		t.Errorf("%d instances were bought for 3 objects", n)
	}
}

// TestWatchNamespaceDeleted: who has its rights in a namespace alone loses them with it,
// before its databases are gone; it says so, and goes on as soon as it has them elsewhere.
func TestWatchNamespaceDeleted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.makeNamespace("mote-system")
	flags := append(s.brisk(), "--lease-namespace", "kube-system", "--lease-name", s.ns, "--listen-address", "127.0.0.1:0")
	o := k3s.Options{Name: s.ns, Namespace: "mote-system", Image: "mote", Scope: scopeOf(flags)}
	p := s.startWith(nil, append(flags, "--kubeconfig", s.granted(o, o.Scope))...)
	s.apply(database("db", nil))
	s.runs(databases, "db")
	s.kubectl("delete", "namespace", s.ns, "--wait=false")
	s.logged(p, "turn failed, will try again", "cannot get resource")
	s.get(databases, "db") // it waits
	o.Scope.Serves = ""
	s.granted(o, o.Scope)
	s.gone(databases, "db")
	s.nothingBilled()
	s.rights = nil // what was missing for a while was meant to be
}

// TestReplaced: `kubectl replace --force` makes objects of the same names anew; they
// inherit nothing from those before.
func TestReplaced(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start()
	objects := []manifest{database("db", nil), app("web", fields{"config": map[string]any{"a": "b"}})}
	s.apply(objects...)
	s.runs(databases, "db")
	s.runs(apps, "web")
	before := s.state(databases, "db")
	password := s.connection("db-connection")["password"]
	for _, o := range objects {
		b, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		s.kubectlWith(string(b), "replace", "--force", "-f", "-")
	}
	s.runs(databases, "db")
	s.runs(apps, "web")
	after := s.state(databases, "db")
	if after.uid == before.uid || after.instance == before.instance {
		t.Errorf("the new object has uid %s and instance %s, as the old one", after.uid, after.instance)
	}
	if e := s.one(before.uid); e.Billed || e.Ended.IsZero() {
		t.Errorf("the old instance: %+v", e)
	}
	if e := s.one(after.uid); sha256hex(s.connection("db-connection")["password"]) != e.PasswordSHA256 || s.connection("db-connection")["password"] == password {
		t.Error("the new Secret's password is not that of the new instance alone")
	}
	checkOwned(s, s.get(databases, "db"), secretsResource, "db-connection")
	for r, name := range map[string]string{"deployments": "web", "services": "web", "configmaps": "web-config"} {
		if owner := s.kubectl("get", r, name, "-o", "jsonpath={.metadata.ownerReferences[0].uid}"); owner != s.state(apps, "web").uid {
			t.Errorf("%s %s belongs to %s", r, name, owner)
		}
	}
}
