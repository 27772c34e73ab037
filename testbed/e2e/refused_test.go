package e2e

import (
	"testing"

	"example.com/mote/cloud/standin"
)

// TestRefused: what the cloud refuses is Failed with the cloud's own words, costs
// nothing, and heals when the spec does.
func TestRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start()
	s.apply(
		database("lost", fields{"subnetID": "subnet-deadbeef"}),
		database("odd", fields{"instanceClass": "3C7G"}),
		database("ancient", fields{"engineVersion": "9.6"}),
		database("nowhere", fields{"region": "mars-north"}),
	)
	lost := s.stuck(databases, "lost", "Failed", "CloudRefused", "ResourceNotFound", "subnet-deadbeef")
	s.told(lost.uid, "CloudRefused", "ResourceNotFound", "subnet-deadbeef")
	s.stuck(databases, "nowhere", "Failed", "CloudRefused", "UnsupportedRegion")
	odd := s.shows(databases, "odd", "is Failed and says what is for sale", func(st state) bool {
		return st.phase == "Failed" && says(st.ready.Message, "3C7G", "2C4G") == nil
	})
	s.told(odd.uid, odd.ready.Reason, "3C7G")
	s.shows(databases, "ancient", "is Failed and says why", func(st state) bool {
		return st.phase == "Failed" && says(st.ready.Message, "9") == nil
	})
	if n := s.count("CreateInstances"); n != 0 {
		t.Errorf("%d purchases were tried", n)
	}

	s.patch("pgdb/odd", `{"spec":{"instanceClass":"1C2G"}}`)
	s.patch("pgdb/ancient", `{"spec":{"engineVersion":"16"}}`)
	s.runs(databases, "odd", "ancient")
	s.one(odd.uid)

	// Nothing was bought for these, so they go without a word to the cloud.
	s.fault(standin.Fault{Kind: standin.Hang})
	s.kubectl("delete", "pgdb/lost", "pgdb/nowhere", "--timeout=60s")
	if len(s.bought(lost.uid)) != 0 {
		t.Error("something was bought in a subnet that does not exist")
	}
	s.heal()
}

// TestPurchaseRefused: a refusal of the purchase itself is told once, however
// often it is tried, also by a successor.
func TestPurchaseRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first := s.start("--refused-retry", "1s")
	s.fault(standin.Fault{Action: "CreateInstances", Kind: standin.ErrorCode,
		Code: "OperationDenied.InsufficientBalanceError", Message: "Your balance of 0.42 yuan does not suffice."})
	s.apply(database("poor", nil))
	tries := func(n int) {
		t.Helper()
		s.eventually("the purchase is tried again", func() error {
			if have := s.count("CreateInstances"); have < n {
				return errNone
			}
			return nil
		})
	}
	const code, words = "OperationDenied.InsufficientBalanceError", "does not suffice"
	poor := s.stuck(databases, "poor", "Failed", "CloudRefused", code, words)
	s.told(poor.uid, "CloudRefused", code, words)
	tries(4)
	if st := s.state(databases, "poor"); st.phase != "Failed" {
		t.Errorf("after more tries: %s", st)
	}
	if seriesOf(s.told(poor.uid, "CloudRefused")) != 0 {
		t.Error("repeats within minutes were written to the disk")
	}
	s.stop(first)
	s.start("--refused-retry", "1s")
	tries(6)
	s.eventually("the successor counts the same Event", func() error {
		if seriesOf(s.told(poor.uid, "CloudRefused")) < 2 {
			return errNone
		}
		return nil
	})
	if n := len(s.bought(poor.uid)); n != 0 {
		t.Errorf("%d instances were bought", n)
	}
	s.heal()
	s.runs(databases, "poor")
	s.one(poor.uid)
}
