package e2e

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/mote/cloud/standin"
	"example.com/mote/cloud/standin/control"
)

// untouched checks that nobody has served an object.
func (s *site) untouched(r schema.GroupVersionResource, name string) {
	s.t.Helper()
	u := s.get(r, name)
	if st := stateOf(u); st.phase != "" || len(u.GetFinalizers()) > 0 {
		s.t.Errorf("%s is served: %s", name, st)
	}
}

// TestSites: two controllers with a cloud each divide the objects of a namespace,
// and leave those of no site.
func TestSites(t *testing.T) {
	t.Parallel()
	s := siteOn(t, cluster, client)
	clouds := map[string]*control.Client{}
	for _, name := range []string{"edge-1", "edge-2"} {
		s.startCloud("--seed", digits(int64(len(clouds)+1)))
		clouds[name] = s.cloud
		s.startWith(nil, "--namespace", s.ns, "--lease-namespace", s.ns, "--poll-interval", "500ms", "--site", name)
	}
	uids := map[string]string{}
	for _, name := range []string{"edge-1", "edge-2"} {
		s.apply(database("db-"+name, fields{"site": name}), app("web-"+name, fields{"site": name}))
	}
	s.apply(database("db-nowhere", nil), app("web-nowhere", nil), database("db-elsewhere", fields{"site": "edge-3"}))
	for name := range clouds {
		s.runs(databases, "db-"+name)
		s.runs(apps, "web-"+name)
		uids[name] = s.state(databases, "db-"+name).uid
	}
	for name, c := range clouds {
		ledger, err := c.Ledger(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(ledger) != 1 || ledger[0].Name != "mote-"+uids[name] {
			t.Errorf("the cloud of %s sold %+v", name, ledger)
		}
	}
	s.untouched(databases, "db-nowhere")
	s.untouched(databases, "db-elsewhere")
	s.untouched(apps, "web-nowhere")
	if n := len(s.list(leases, "")); n != 2 {
		t.Errorf("%d Leases for two sites", n)
	}
	out := s.kubectl("get", "pgdb", "--field-selector", "spec.site=edge-2", "-o", "name")
	if out != "postgresdb.database.example.com/db-edge-2\n" {
		t.Errorf("kubectl with a field selector: %q", out)
	}
}

// TestLeavingTheSelection: an object that leaves the label selector looks like a
// deleted one, and is not destroyed.
func TestLeavingTheSelection(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start("--label-selector", "tier=gold", "--sweep-interval", "1s")
	gold := map[string]any{"tier": "gold"}
	s.apply(database("db", nil).with("labels", gold), app("web", nil).with("labels", gold), database("other", nil))
	s.runs(databases, "db")
	s.runs(apps, "web")
	s.untouched(databases, "other")
	before := s.state(databases, "db")

	s.kubectl("label", "pgdb/db", "mapp/web", "tier=silver", "--overwrite")
	s.patch("pgdb/db", `{"spec":{"storageGB":500}}`)
	s.kubectl("scale", "mapp", "web", "--replicas=5")
	s.remove("pgdb/db") // of which nobody takes notice now
	s.apply(database("next", nil).with("labels", gold), app("after", nil).with("labels", gold))
	s.runs(databases, "next")
	s.runs(apps, "after")
	if e := s.one(before.uid); !e.Billed || e.Status != "running" || e.StorageGB == 500 {
		t.Errorf("after its object left the selection: %+v", e)
	}
	s.holds(deployments, "web", "2", "spec", "replicas")

	s.kubectl("label", "pgdb/db", "mapp/web", "tier=gold", "--overwrite")
	s.gone(databases, "db")
	s.runs(apps, "web")
	s.holds(deployments, "web", "5", "spec", "replicas")
	if e := s.one(before.uid); e.Billed || e.Ended.IsZero() {
		t.Errorf("after the deletion: %+v", e)
	}
}

// TestOneNamespace: objects elsewhere are none of its business.
func TestOneNamespace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start()
	elsewhere := *s
	elsewhere.ns = s.ns + "-elsewhere"
	elsewhere.makeNamespace(elsewhere.ns)
	elsewhere.apply(database("db", nil), app("web", nil))
	s.apply(database("db", nil), app("web", nil))
	s.runs(databases, "db")
	s.runs(apps, "web")
	elsewhere.untouched(databases, "db")
	elsewhere.untouched(apps, "web")
	if n := len(s.ledger()); n != 1 {
		t.Errorf("%d instances were bought", n)
	}
}

// TestUndeclaredField: a selector that the CRDs do not know is said to be so, and
// does not end mote.
func TestUndeclaredField(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	p := s.start("--field-selector", "spec.storageGB=20")
	s.logged(p, "the API server refuses the request: are the selectors declared by the CRD?")
}

// TestPaused: an object with the annotation is left alone, deletion included.
func TestPaused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start()
	s.apply(database("db", nil), app("web", nil))
	s.runs(databases, "db")
	s.runs(apps, "web")
	before := s.state(databases, "db")
	s.kubectl("annotate", "pgdb/db", "mapp/web", "mote.example.com/paused=true")
	s.kubectl("wait", "--for=condition=Paused", "pgdb/db", "mapp/web", "--timeout=120s")
	s.patch("pgdb/db", `{"spec":{"storageGB":70}}`)
	s.kubectl("scale", "mapp", "web", "--replicas=5")
	s.kubectl("delete", "service", "web")
	s.apply(database("next", nil), app("after", nil))
	s.runs(databases, "next")
	s.runs(apps, "after")
	if e := s.entry(before.instance); e.StorageGB != 20 {
		t.Errorf("a paused object was resized: %+v", e)
	}
	if _, err := s.fetch(services, "web"); err == nil {
		t.Error("a paused app got its Service back")
	}
	s.holds(deployments, "web", "2", "spec", "replicas")

	s.kubectl("annotate", "pgdb/db", "mapp/web", "mote.example.com/paused-")
	s.becomes(before.instance, "has grown", func(e standin.Entry) bool { return e.StorageGB == 70 })
	s.runs(databases, "db")
	s.runs(apps, "web")
	if out := s.kubectl("get", "pgdb/db", "mapp/web", "-o", "jsonpath={.items[*].status.conditions[?(@.type=='Paused')]}"); out != "" {
		t.Errorf("what is not paused any more shows %s", out)
	}
	s.holds(deployments, "web", "5", "spec", "replicas")

	s.kubectl("annotate", "pgdb/db", "mote.example.com/paused=true")
	s.remove("pgdb/db", "pgdb/next")
	s.gone(databases, "next")
	if e := s.entry(before.instance); !e.Billed || e.Status != "running" {
		t.Errorf("a paused object's instance was touched by a deletion: %+v", e)
	}
	s.kubectl("annotate", "pgdb/db", "mote.example.com/paused-")
	s.gone(databases, "db")
	s.nothingBilled()
}

// TestReconcileRequested: a changed annotation asks for a turn, long before any
// sweep would.
func TestReconcileRequested(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start("--sweep-interval", "24h")
	s.apply(database("db", nil))
	s.runs(databases, "db")
	id := s.state(databases, "db").instance
	for i, cores := range []int{8, 16} {
		if _, err := s.cloud.Console(t.Context(), id, standin.Change{CPU: ptr(cores), MemoryGB: ptr(2 * cores)}); err != nil {
			t.Fatal(err)
		}
		s.kubectl("annotate", "pgdb/db", fmt.Sprintf("mote.example.com/reconcile-requested-at=%d", i), "--overwrite")
		s.becomes(id, "is 2C4G again", func(e standin.Entry) bool { return e.CPU == 2 && e.MemoryGB == 4 })
		s.runs(databases, "db")
	}
}
