package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/cloud/standin"
	"example.com/mote/testbed/bed"
)

// holder is who holds the site's Lease, or "".
func (s *site) holder() string {
	s.t.Helper()
	who, _, err := unstructured.NestedString(s.get(leases, "mote").Object, "spec", "holderIdentity")
	if err != nil {
		s.t.Fatal(err)
	}
	return who
}

// leads waits until a mote leads.
func (s *site) leads(p *bed.Process) {
	s.t.Helper()
	s.logged(p, `"msg":"leading"`, `"msg":"synced","kind":"PostgresDB"`, `"msg":"synced","kind":"MyApp"`)
}

// TestStopDrains: SIGTERM lets a purchase that is under way come to its end, gives
// the Lease back, and exits with 0; the successor need not wait.
func TestStopDrains(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.fault(standin.Fault{Action: "CreateInstances", Kind: standin.SlowBody, Delay: 5 * time.Second})
	first := s.start("--lease-duration", "60s")
	s.apply(database("db", nil))
	s.in("CreateInstances", true)
	if st := s.state(databases, "db"); st.instance != "" {
		t.Fatalf("too late: the purchase is over already: %s", st)
	}
	s.stop(first) // its exit code has to be 0
	st := s.state(databases, "db")
	if st.instance == "" || st.ready.Reason == "CreateOutcomeUnknown" {
		t.Errorf("the purchase was cut off: %s", st)
	}
	if who := s.holder(); who != "" {
		t.Errorf("the Lease is held by %q after the stop", who)
	}
	if err := says(first.Output(), "the lease is given back"); err != nil {
		t.Error(err)
	}
	second := s.start("--lease-duration", "60s")
	s.leads(second)
	if strings.Contains(second.Output(), "waiting to lead") {
		t.Error("the successor had to wait")
	}
	s.runs(databases, "db")
	s.one(st.uid)
}

// TestStopDoesNotHang: a call that never comes back does not keep mote from ending.
func TestStopDoesNotHang(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.fault(standin.Fault{Action: "CreateInstances", Kind: standin.Hang, After: true})
	p := s.start("--grace-period", "1s", "--cloud-timeout", "10m")
	s.apply(database("db", nil))
	s.in("CreateInstances", true)
	s.stop(p)
	s.heal()
	s.start()
	s.runs(databases, "db")
	s.one(s.state(databases, "db").uid)
}

// TestTwoMotes: one works; the other waits for the Lease, and then takes it.
func TestTwoMotes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first := s.start()
	s.leads(first)
	led := s.holder()
	second := s.start()
	s.logged(second, "waiting to lead", led)
	s.apply(database("a", nil), app("web", nil))
	s.runs(databases, "a")
	s.runs(apps, "web")
	if strings.Contains(second.Output(), `"msg":"synced"`) || s.holder() != led {
		t.Error("the second works although the first leads")
	}
	s.stop(first)
	s.leads(second)
	if who := s.holder(); who == led || who == "" {
		t.Errorf("the Lease is held by %q after the change", who)
	}
	s.apply(database("b", nil))
	s.runs(databases, "a", "b")
	if n := len(s.ledger()); n != 2 {
		t.Errorf("%d instances for 2 objects", n)
	}

	// One that dies without a word is followed when its Lease has run out.
	third := s.start()
	s.logged(third, "waiting to lead")
	second.Kill()
	s.leads(third)
	s.apply(database("c", nil))
	s.runs(databases, "a", "b", "c")
	if n := len(s.ledger()); n != 3 {
		t.Errorf("%d instances for 3 objects", n)
	}
}

// TestLeadershipLost: a mote whose Lease is taken from it stops working, and does
// not end.
func TestLeadershipLost(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.start("--lease-duration", "5s")
	s.leads(p)
	s.patch("lease/mote", `{"spec":{"holderIdentity":"somebody-else","leaseDurationSeconds":5}}`)
	s.logged(p, "leadership was lost")
	s.eventually("it leads again when the other does not renew", func() error {
		if n := strings.Count(p.Output(), `"msg":"leading"`); n != 2 {
			return fmt.Errorf("it led %d times", n)
		}
		return nil
	})
	s.apply(database("db", nil))
	s.runs(databases, "db")
}
