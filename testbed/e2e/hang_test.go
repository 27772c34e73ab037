package e2e

import (
	"fmt"
	"testing"

	"example.com/mote/cloud/standin"
)

// TestHangingCallBlocksNobody: calls that never come back hold up their own
// objects alone, even with few workers, of which purchases may hold half.
func TestHangingCallBlocksNobody(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start("--workers", "6", "--cloud-timeout", "10m")
	s.apply(database("there", nil))
	s.runs(databases, "there")
	for _, name := range []string{"stuck-1", "stuck-2"} {
		s.fault(standin.Fault{Action: "CreateInstances", Instance: "mote-" + s.paused(name, nil), Kind: standin.Hang})
	}
	s.unpause("stuck-1", "stuck-2")
	s.eventually("both calls hang", func() error {
		if n := s.count("CreateInstances"); n != 3 {
			return fmt.Errorf("%d purchases", n)
		}
		return nil
	})
	var names []string
	for i := range 6 {
		names = append(names, fmt.Sprintf("db-%d", i))
		s.apply(database(names[i], nil))
	}
	s.apply(app("web", nil))
	s.patch("pgdb/there", `{"spec":{"storageGB":60}}`)
	s.runs(databases, append(names, "there")...)
	s.runs(apps, "web")
	s.remove("pgdb/there")
	s.gone(databases, "there")
	for _, name := range []string{"stuck-1", "stuck-2"} {
		if st := s.state(databases, name); st.isReady() {
			t.Errorf("%s does not hang: %s", name, st)
		}
	}
}

// TestSilentCloud: when no call comes back at all, apps go on.
func TestSilentCloud(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start("--workers", "2", "--cloud-timeout", "10m")
	s.fault(standin.Fault{Kind: standin.Hang})
	for i := range 4 {
		s.apply(database(fmt.Sprintf("db-%d", i), nil))
	}
	s.called("DescribeSubnets", "hangs", func(c standin.Call) bool { return c.Outcome == "pending" })
	s.apply(app("web", nil))
	s.runs(apps, "web")
	s.kubectl("scale", "mapp", "web", "--replicas=4")
	s.kubectl("wait", "--for=condition=Ready", "mapp/web", "--timeout=120s")
}
