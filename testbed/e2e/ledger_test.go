package e2e

import (
	"fmt"
	"slices"
	"strings"

	"example.com/mote/cloud/standin"
)

// ledger is every instance ever bought.
func (s *site) ledger() []standin.Entry {
	s.t.Helper()
	l, err := s.cloud.Ledger(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return l
}

// bought are the instances that were ever bought for an object, by its uid.
func (s *site) bought(uid string) []standin.Entry {
	s.t.Helper()
	return slices.DeleteFunc(s.ledger(), func(e standin.Entry) bool { return e.Name != "mote-"+uid })
}

// one is the only instance that was ever bought for an object.
func (s *site) one(uid string) standin.Entry {
	s.t.Helper()
	l := s.bought(uid)
	if len(l) != 1 {
		s.t.Fatalf("%d instances were bought for one object: %+v", len(l), l)
	}
	return l[0]
}

// entry is the ledger's entry of an instance.
func (s *site) entry(id string) standin.Entry {
	s.t.Helper()
	e, err := s.cloud.Instance(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return e
}

// becomes waits until an instance is as wanted; what says so in words.
func (s *site) becomes(id, what string, wanted func(standin.Entry) bool) {
	s.t.Helper()
	s.eventually("instance "+id+" "+what, func() error {
		if e := s.entry(id); !wanted(e) {
			return fmt.Errorf("%+v", e)
		}
		return nil
	})
}

// nothingBilled checks that no instance costs money any more.
func (s *site) nothingBilled() {
	s.t.Helper()
	var billed []string
	for _, e := range s.ledger() {
		if e.Billed {
			billed = append(billed, e.ID+" ("+e.Status+")")
		}
	}
	if len(billed) > 0 {
		s.t.Errorf("still billed: %s", strings.Join(billed, ", "))
	}
}

// calls are the calls that the cloud has had since a sequence number.
func (s *site) calls(since int) []standin.Call {
	s.t.Helper()
	c, err := s.cloud.Calls(s.t.Context(), since)
	if err != nil {
		s.t.Fatal(err)
	}
	return c.Recent
}

// count is how often an action was called.
func (s *site) count(action string) int {
	s.t.Helper()
	n := 0
	for _, c := range s.calls(0) {
		if c.Action == action {
			n++
		}
	}
	return n
}

// called waits until a call of an action was as wanted.
func (s *site) called(action, what string, wanted func(standin.Call) bool) {
	s.t.Helper()
	s.eventually(action+" "+what, func() error {
		var seen []standin.Call
		for _, c := range s.calls(0) {
			if c.Action == action {
				if wanted(c) {
					return nil
				}
				seen = append(seen, c)
			}
		}
		return fmt.Errorf("calls: %+v", seen)
	})
}

// fault lets the cloud go wrong from now on.
func (s *site) fault(faults ...standin.Fault) {
	s.t.Helper()
	if _, err := s.cloud.AddFaults(s.t.Context(), faults...); err != nil {
		s.t.Fatal(err)
	}
}

// heal ends all faults.
func (s *site) heal() {
	s.t.Helper()
	if err := s.cloud.ClearFaults(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// keys replaces the credentials that the cloud accepts.
func (s *site) keys(id, secret string) {
	s.t.Helper()
	s.keysWith(id, secret, "")
}

// keysWith does so with temporary ones, which need a token.
func (s *site) keysWith(id, secret, token string) {
	s.t.Helper()
	if err := s.cloud.SetKeys(s.t.Context(), standin.Key{ID: id, Secret: secret, Token: token}); err != nil {
		s.t.Fatal(err)
	}
	s.secrets = append(s.secrets, secret)
}

// in waits until a call of an action has arrived at the cloud; effect tells whether
// it has changed something by then.
func (s *site) in(action string, effect bool) {
	s.t.Helper()
	s.called(action, fmt.Sprintf("is in work, effect %t", effect), func(c standin.Call) bool { return c.Effect == effect })
}
