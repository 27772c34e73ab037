package e2e

import (
	"testing"

	"example.com/mote/cloud/standin"
)

// TestResize changes class and storage of a running instance with kubectl.
func TestResize(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start()
	s.apply(database("db", nil))
	s.runs(databases, "db")
	before := s.state(databases, "db")
	h := s.follow(databases, "db")

	s.patch("pgdb/db", `{"spec":{"instanceClass":"4C8G","storageGB":120}}`)
	// Ready is still True here, for the earlier generation: the wait must not end by it.
	s.kubectl("wait", "--for=condition=Ready", "pgdb/db", "--timeout=120s")
	if e := s.one(before.uid); e.CPU != 4 || e.MemoryGB != 8 || e.StorageGB != 120 {
		t.Errorf("kubectl wait ended while the cloud has %dC%dG with %d GB", e.CPU, e.MemoryGB, e.StorageGB)
	}
	after := s.state(databases, "db")
	if after.class != "4C8G" || after.storage != 120 || after.endpoint != before.endpoint || after.instance != before.instance {
		t.Errorf("the status says %s with %d GB at %s", after.class, after.storage, after.endpoint)
	}
	updating := false
	for _, st := range h.upTo(s, after.version) {
		updating = updating || st.phase == "Updating"
		if st.generation > before.generation && st.isReady() && st.class != "4C8G" {
			t.Errorf("ready too early: %s", st)
		}
	}
	if !updating {
		t.Error("phase Updating was never seen")
	}
	s.told(before.uid, "Resizing", "2C4G", "4C8G")
	if n := s.count("ModifyDBInstanceSpec"); n != 1 {
		t.Errorf("%d resizes were asked for", n)
	}
}

// TestConsole: what somebody does in the cloud's console is seen by the sweep;
// storage that grew stays, a class is put right.
func TestConsole(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start("--sweep-interval", "1s")
	s.apply(database("db", nil))
	s.runs(databases, "db")
	id := s.state(databases, "db").instance
	console := func(c standin.Change) {
		t.Helper()
		if _, err := s.cloud.Console(t.Context(), id, c); err != nil {
			t.Fatal(err)
		}
	}
	console(standin.Change{StorageGB: ptr(300)})
	s.shows(databases, "db", "shows the storage that grew", func(st state) bool { return st.storage == 300 && st.phase == "Running" })
	if n := s.count("ModifyDBInstanceSpec"); n != 0 {
		t.Errorf("%d resizes were asked for because storage grew", n)
	}

	console(standin.Change{CPU: ptr(8), MemoryGB: ptr(16)})
	s.becomes(id, "is 2C4G again, with its storage", func(e standin.Entry) bool { return e.CPU == 2 && e.MemoryGB == 4 && e.StorageGB == 300 })
	s.runs(databases, "db")

	console(standin.Change{Status: "limited run"})
	s.shows(databases, "db", "is Degraded", func(st state) bool { return st.phase == "Running" && st.degraded })
	console(standin.Change{Status: "running"})
	s.shows(databases, "db", "is not Degraded any more", func(st state) bool { return st.isReady() && !st.degraded })

	console(standin.Change{Do: standin.Isolate})
	s.stuck(databases, "db", "Failed", "IsolatedOutside", id)
	console(standin.Change{Do: standin.Restore})
	s.runs(databases, "db")

	console(standin.Change{Do: standin.Destroy})
	missing := s.stuck(databases, "db", "Failed", "InstanceMissing", id)
	if n := len(s.bought(missing.uid)); n != 1 {
		t.Errorf("%d instances were bought: one that was destroyed is not replaced", n)
	}
	s.kubectl("delete", "pgdb/db", "--timeout=60s")
}
