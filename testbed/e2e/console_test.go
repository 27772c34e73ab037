package e2e

import (
	"fmt"
	"testing"

	"example.com/mote/cloud/standin"
)

// sweeps waits until the cloud was asked for its instances so many times more.
func (s *site) sweeps(n int) {
	s.t.Helper()
	before := s.count("DescribeDBInstances")
	s.eventually(digits(int64(n))+" sweeps pass", func() error {
		if have := s.count("DescribeDBInstances") - before; have < n {
			return fmt.Errorf("%d have passed", have)
		}
		return nil
	})
}

// TestConsole: what somebody does in the cloud's console is seen by the sweep;
// storage that grew stays, a class is put right, and what was destroyed is not
// bought again.
func TestConsole(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first := s.start("--sweep-interval", "1s")
	s.apply(database("db", nil))
	s.runs(databases, "db")
	id := s.state(databases, "db").instance
	console := func(c standin.Change) {
		t.Helper()
		if _, err := s.cloud.Console(t.Context(), id, c); err != nil {
			t.Fatal(err)
		}
	}
	status := func(status string) func(standin.Entry) bool {
		return func(e standin.Entry) bool { return e.Status == status }
	}
	console(standin.Change{StorageGB: ptr(300)})
	s.shows(databases, "db", "shows the storage that grew", func(st state) bool { return st.storage == 300 && st.phase == "Running" })
	if n := s.count("ModifyDBInstanceSpec"); n != 0 {
		t.Errorf("%d resizes were asked for because storage grew", n)
	}

	// A successor sweeps from what the status says; it reads no instance by itself.
	s.stop(first)
	asked := len(s.calls(0))
	s.start("--sweep-interval", "1s")
	s.sweeps(3)
	for _, c := range s.calls(0)[asked:] {
		if c.Action != "DescribeDBInstances" {
			t.Errorf("after a restart with all as it should be: %s about %v", c.Action, c.About)
		}
	}

	console(standin.Change{CPU: ptr(8), MemoryGB: ptr(16)})
	s.becomes(id, "is 2C4G again, with its storage", func(e standin.Entry) bool { return e.CPU == 2 && e.MemoryGB == 4 && e.StorageGB == 300 })
	s.runs(databases, "db")

	console(standin.Change{Status: "limited run"})
	s.shows(databases, "db", "is Degraded", func(st state) bool { return st.phase == "Running" && st.degraded })
	s.sweeps(3)
	console(standin.Change{Status: "running"})
	s.shows(databases, "db", "is not Degraded any more", func(st state) bool { return st.isReady() && !st.degraded })

	console(standin.Change{Do: standin.Isolate})
	s.stuck(databases, "db", "Failed", "IsolatedOutside", id)
	s.becomes(id, "is isolated", status("isolated"))
	console(standin.Change{Do: standin.Restore})
	s.runs(databases, "db")

	console(standin.Change{Do: standin.Destroy})
	missing := s.stuck(databases, "db", "Failed", "InstanceMissing", id)
	if n := len(s.bought(missing.uid)); n != 1 {
		t.Errorf("%d instances were bought: one that was destroyed is not replaced", n)
	}
	s.kubectl("delete", "pgdb/db", "--timeout=60s")
}
