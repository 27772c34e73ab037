package e2e

import "testing"

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
