package e2e

import (
	"fmt"
	"maps"
	"testing"

	"example.com/mote/cloud/standin"
)

// TestCloudReachable: while the cloud does not answer, the objects that need it say
// so once, nobody calls but a probe now and then, and what runs is left alone; when
// it answers, all catch up by themselves.
func TestCloudReachable(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start("--refused-retry", "1h") // nothing but the end of the outage wakes anybody
	s.apply(database("steady", nil), database("growing", nil), database("leaving", nil))
	s.runs(databases, "steady", "growing", "leaving")
	s.fault(standin.Fault{Kind: standin.Cut})
	steady := s.state(databases, "steady").version

	var names []string
	for i := range 4 {
		names = append(names, fmt.Sprintf("new-%d", i))
		s.apply(database(names[i], nil))
	}
	s.patch("pgdb/growing", `{"spec":{"storageGB":60}}`)
	s.remove("pgdb/leaving")
	for _, name := range append(names, "growing", "leaving") {
		s.kubectl("wait", "--for=condition=CloudReachable=False", "pgdb/"+name, "--timeout=120s")
		if c := s.condition(name, "CloudReachable"); says(fmt.Sprint(c["message"]), "since 2", "mote.NoAnswer") != nil {
			t.Errorf("%s: %v", name, c)
		}
	}
	probes := func() (probes, others int) {
		for _, c := range s.calls(0) {
			if c.Fault == standin.Cut && len(c.About) == 1 && c.About[0] == "postgres-00000000" {
				probes++
			} else if c.Fault == standin.Cut {
				others++
			}
		}
		return probes, others
	}
	versions := s.versions()
	before, others := probes()
	s.eventually("two more probes are made", func() error {
		if n, _ := probes(); n < before+2 {
			return fmt.Errorf("%d", n-before)
		}
		return nil
	})
	if _, now := probes(); now != others {
		t.Errorf("%d calls beside the probes", now-others)
	}
	if now := s.versions(); !maps.Equal(now, versions) {
		t.Errorf("written during the outage: %v became %v", versions, now)
	}
	if now := s.state(databases, "steady"); now.version != steady || !now.isReady() {
		t.Errorf("what runs was written to: %s", now)
	}
	s.heal()
	s.runs(databases, append(names, "growing", "steady")...)
	s.gone(databases, "leaving")
	s.kubectl("wait", "--for=condition=CloudReachable", "pgdb/growing", "--timeout=60s")
	if e := s.entry(s.state(databases, "growing").instance); e.StorageGB != 60 {
		t.Errorf("%+v", e)
	}
	if n := len(s.ledger()); n != 7 {
		t.Errorf("%d instances were ever bought, want 7", n)
	}
}
