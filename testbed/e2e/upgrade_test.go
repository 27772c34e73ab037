package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/mote/cloud/standin"
)

// TestUpgrade raises the version with kubectl: to a minor, to a major, and to where
// no way leads.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	s := newSite(t, "--upgrade-time=1500ms")
	s.start()
	s.apply(database("db", nil))
	s.runs(databases, "db")
	before := s.state(databases, "db")
	h := s.follow(databases, "db")

	s.patch("pgdb/db", `{"spec":{"engineVersion":"14.12"}}`)
	s.kubectl("wait", "--for=condition=Ready", "pgdb/db", "--timeout=120s")
	if e := s.one(before.uid); e.Version != "14.13" || e.Kernel != "v14.13_r1.1" {
		t.Errorf("kubectl wait ended while the cloud has %s", e.Kernel)
	}
	after := s.state(databases, "db")
	updating := false
	for _, st := range h.upTo(s, after.version) {
		updating = updating || st.phase == "Updating"
	}
	if !updating || after.engineVersion != "14.13" || after.endpoint != before.endpoint {
		t.Errorf("phase Updating was seen: %t; %s at %s", updating, after.engineVersion, after.endpoint)
	}
	s.patch("pgdb/db", `{"spec":{"engineVersion":"16"}}`)
	s.kubectl("wait", "--for=condition=Ready", "pgdb/db", "--timeout=120s")
	if e := s.one(before.uid); e.Version != "16.2" {
		t.Errorf("the cloud has %s", e.Kernel)
	}
	s.patch("pgdb/db", `{"spec":{"engineVersion":"16.7"}}`)
	s.stuck(databases, "db", "Failed", "UpgradeNotPossible", "16.2", "no upgrade to 16.7")
	s.patch("pgdb/db", `{"spec":{"engineVersion":"16"}}`)
	s.runs(databases, "db")
	if minor, major := s.count("UpgradeDBInstanceKernelVersion"), s.count("UpgradeDBInstanceMajorVersion"); minor != 1 || major != 1 {
		t.Errorf("%d minor and %d major upgrades were asked for", minor, major)
	}
	s.eventually("Events tell of both", func() error {
		return says(strings.Join(notes(s.eventsOf(before.uid, "Upgrading")), "\n"), "14.11 becomes 14.13", "14.13 becomes 16.2")
	})
}

// TestUpgradeThatFails: it is told, the database goes on, and the cloud is asked
// again at the pace of what was refused.
func TestUpgradeThatFails(t *testing.T) {
	t.Parallel()
	s := newSite(t, "--upgrade-time=1500ms")
	s.start("--refused-retry", "1h")
	s.apply(database("db", nil))
	s.runs(databases, "db")
	s.fault(standin.Fault{Action: "UpgradeDBInstanceKernelVersion", Kind: standin.TaskFail, Times: 1})
	s.patch("pgdb/db", `{"spec":{"engineVersion":"14.13"}}`)
	st := s.stuck(databases, "db", "Failed", "UpgradeFailed", "14.13")
	s.told(st.uid, "UpgradeFailed", "14.13")
	if e := s.one(st.uid); e.Version != "14.11" || e.Status != "running" || st.endpoint == "" {
		t.Errorf("%+v", e)
	}
	s.kubectl("annotate", "pgdb/db", "mote.example.com/reconcile-requested-at=now")
	s.patch("pgdb/db", `{"spec":{"tags":{"team":"a"}}}`) // another spec: it is tried again
	s.runs(databases, "db")
	if n := s.count("UpgradeDBInstanceKernelVersion"); n != 2 {
		t.Errorf("%d upgrades were asked for, want the one that failed and one more", n)
	}
}

// TestMaintenanceWindow: a change waits for its window, and says so; without the
// window it waits no longer.
func TestMaintenanceWindow(t *testing.T) {
	t.Parallel()
	s := newSite(t, "--upgrade-time=1500ms")
	s.start()
	window := awayFromNow()
	s.apply(database("db", fields{"maintenanceWindow": window}))
	s.runs(databases, "db")
	id := s.state(databases, "db").instance
	s.patch("pgdb/db", `{"spec":{"storageGB":60}}`)
	s.stuck(databases, "db", "Updating", "WaitingForWindow", "60 GB", window)
	if e := s.entry(id); e.StorageGB != 20 || e.Status != "waitSwitch" {
		t.Errorf("%+v", e)
	}
	s.kubectl("patch", "pgdb/db", "--type=json", "-p", `[{"op":"remove","path":"/spec/maintenanceWindow"}]`)
	s.runs(databases, "db")
	if e := s.entry(id); e.StorageGB != 60 {
		t.Errorf("%+v", e)
	}
	if n := s.count("ModifyDBInstanceSpec"); n != 1 {
		t.Errorf("%d resizes were asked for", n)
	}
}

// awayFromNow is a maintenance window that is hours away, by the cloud's clock.
func awayFromNow() string {
	hour := (time.Now().UTC().Hour() + 8 + 6) % 24
	return fmt.Sprintf("%02d:00-%02d:00", hour, (hour+2)%24)
}
