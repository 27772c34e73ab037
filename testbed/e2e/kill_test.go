package e2e

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"example.com/mote/cloud/standin"
)

// moment is when mote is killed.
type moment struct {
	name string
	// faults make the moment long enough to be hit; they end with the kill.
	faults []standin.Fault
	// come waits for the moment.
	come func(s *site, uid string)
	spec fields
}

// in is a call of an action that has arrived at the cloud; effect tells whether it
// has changed something by then.
func in(action string, effect bool) func(*site, string) {
	return func(s *site, _ string) {
		s.t.Helper()
		s.called(action, fmt.Sprintf("is in work, effect %t", effect), func(c standin.Call) bool { return c.Effect == effect })
	}
}

// unknown is when the object says that the outcome of its purchase is not known.
func unknown(s *site, _ string) {
	s.t.Helper()
	s.shows(databases, "db", "does not know what came of its purchase", func(st state) bool { return st.ready.Reason == "CreateOutcomeUnknown" })
}

const long = 30 * time.Second

var moments = []moment{
	{name: "before-the-purchase", faults: []standin.Fault{{Action: "DescribeClasses", Kind: standin.Hang}}, come: in("DescribeClasses", false)},
	{name: "call-on-its-way", faults: []standin.Fault{{Action: "CreateInstances", Kind: standin.Latency, Delay: long}}, come: in("CreateInstances", false)},
	{name: "call-without-effect", faults: []standin.Fault{{Action: "CreateInstances", Kind: standin.Hang}}, come: in("CreateInstances", false)},
	{name: "call-with-effect", faults: []standin.Fault{{Action: "CreateInstances", Kind: standin.Hang, After: true}}, come: in("CreateInstances", true)},
	{name: "half-an-answer", faults: []standin.Fault{{Action: "CreateInstances", Kind: standin.SlowBody, Delay: long}}, come: in("CreateInstances", true)},
	{name: "truncated-answer", faults: []standin.Fault{{Action: "CreateInstances", Kind: standin.Truncated}}, come: in("CreateInstances", true)},
	{name: "html-answer", faults: []standin.Fault{{Action: "CreateInstances", Kind: standin.BadGateway, After: true}}, come: in("CreateInstances", true)},
	{name: "error-500", faults: []standin.Fault{{Action: "CreateInstances", Kind: standin.ServerErr, After: true}}, come: in("CreateInstances", true)},
	{name: "throttled", faults: []standin.Fault{{Action: "CreateInstances", Kind: standin.ErrorCode, Code: "RequestLimitExceeded"}}, come: in("CreateInstances", false)},
	{name: "lost-without-effect", faults: []standin.Fault{{Action: "CreateInstances", Kind: standin.Cut}}, come: unknown},
	{name: "lost-and-not-listed-yet", faults: []standin.Fault{
		{Action: "CreateInstances", Kind: standin.Cut, After: true}, {Kind: standin.Lag, Delay: long}}, come: unknown},
	{name: "answered-and-not-listed-yet", faults: []standin.Fault{{Kind: standin.Lag, Delay: 3 * time.Second}}, come: in("CreateInstances", true)},
	{name: "provisioning", come: func(s *site, _ string) {
		s.t.Helper()
		s.shows(databases, "db", "is being made", func(st state) bool { return st.instance != "" })
	}},
	{name: "prepaid-ordered", come: in("CreateInstances", true), spec: prepaid},
	{name: "prepaid-with-effect", faults: []standin.Fault{{Action: "CreateInstances", Kind: standin.Hang, After: true}}, come: in("CreateInstances", true), spec: prepaid},
}

// TestKilledWhileBuying: whenever mote dies, its successor finds what was bought,
// buys what was not, and nothing twice.
func TestKilledWhileBuying(t *testing.T) {
	for _, m := range moments {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.fault(m.faults...)
			first := s.start("--lease-duration", "5s")
			s.apply(database("db", m.spec))
			uid := string(s.get(databases, "db").GetUID())
			m.come(s, uid)
			first.Kill()
			s.heal()
			s.start("--lease-duration", "5s")
			s.runs(databases, "db")
			s.one(uid)
			s.remove("pgdb/db")
			s.gone(databases, "db")
			s.one(uid)
			s.nothingBilled()
			s.childless()
		})
	}
}

// TestKilledLater: a resize and a deletion go on where the dead mote left them.
func TestKilledLater(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mote := s.start("--lease-duration", "5s")
	s.apply(database("db", nil))
	s.runs(databases, "db")
	uid := s.state(databases, "db").uid
	killedIn := func(action string) {
		t.Helper()
		in(action, true)(s, uid)
		mote.Kill()
		s.heal()
		mote = s.start("--lease-duration", "5s")
	}
	hang := func(action string) { s.fault(standin.Fault{Action: action, Kind: standin.Hang, After: true}) }

	hang("ModifyDBInstanceSpec")
	s.patch("pgdb/db", `{"spec":{"instanceClass":"4C8G"}}`)
	killedIn("ModifyDBInstanceSpec")
	s.runs(databases, "db")
	if e := s.one(uid); e.CPU != 4 {
		t.Errorf("the instance has %d cores", e.CPU)
	}
	hang("IsolateDBInstances")
	s.remove("pgdb/db")
	killedIn("IsolateDBInstances")
	hang("DestroyDBInstance")
	killedIn("DestroyDBInstance")
	s.gone(databases, "db")
	s.one(uid)
	s.nothingBilled()
	s.childless()
}

// TestKilledAgainAndAgain: a crowd of objects, and a mote that dies in the middle
// of them many times, on the way up and on the way down.
func TestKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	const crowd = 12
	s := newSite(t, "--latency=150ms")
	var names, objects []string
	var all []manifest
	for i := range crowd {
		name := fmt.Sprintf("db-%d", i)
		names, objects, all = append(names, name), append(objects, "pgdb/"+name), append(all, database(name, nil))
	}
	// Without a Lease a successor starts at once; there is never more than one.
	flags := []string{"--leader-elect=false", "--workers", "4"}
	mote := s.start(flags...)
	killedAt := func(what string, count func(standin.Entry) bool, counts ...int) {
		t.Helper()
		for _, n := range counts {
			s.eventually(fmt.Sprintf("%d instances are %s", n, what), func() error {
				have := 0
				for _, e := range s.ledger() {
					if count(e) {
						have++
					}
				}
				if have < n {
					return errors.New(digits(int64(have)))
				}
				return nil
			})
			mote.Kill()
			mote = s.start(flags...)
		}
	}
	s.apply(all...)
	killedAt("bought", func(standin.Entry) bool { return true }, 1, 3, 6, 9, 12)
	s.runs(databases, names...)
	if n := len(s.ledger()); n != crowd {
		t.Errorf("%d instances were bought for %d objects", n, crowd)
	}
	s.remove(objects...)
	killedAt("not billed", func(e standin.Entry) bool { return !e.Billed }, 1, 4, 8)
	s.gone(databases, names...)
	if n := len(s.ledger()); n != crowd {
		t.Errorf("%d instances were bought for %d objects", n, crowd)
	}
	s.nothingBilled()
	s.childless()
}
