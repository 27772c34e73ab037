package e2e

import (
	"strings"
	"testing"
	"time"

	"example.com/mote/cloud/standin"
)

// mishap is something that goes wrong with a purchase.
type mishap struct {
	name string
	kind standin.Kind
	// after: the instance was bought all the same.
	after bool
	delay time.Duration
	code  string
	times int
	spec  fields
}

// prepaid purchases are answered with an order, which names its instance later.
var prepaid = fields{"chargeType": "Prepaid"}

var mishaps = []mishap{
	{name: "cut-before", kind: standin.Cut, times: 1},
	{name: "cut-after", kind: standin.Cut, after: true, times: 1},
	{name: "html-502-before", kind: standin.BadGateway, times: 1},
	{name: "html-502-after", kind: standin.BadGateway, after: true, times: 1},
	{name: "500-before", kind: standin.ServerErr, times: 1},
	{name: "500-after", kind: standin.ServerErr, after: true, times: 1},
	{name: "empty-after", kind: standin.EmptyBody, after: true, times: 1},
	{name: "truncated", kind: standin.Truncated, times: 1},
	{name: "slow-body", kind: standin.SlowBody, delay: 2 * time.Second, times: 1},
	{name: "slow-body-too-slow", kind: standin.SlowBody, delay: 20 * time.Second, times: 1},
	{name: "hang-before", kind: standin.Hang, times: 1},
	{name: "hang-after", kind: standin.Hang, after: true, times: 1},
	{name: "latency", kind: standin.Latency, delay: 2 * time.Second, times: 1},
	{name: "latency-too-long", kind: standin.Latency, delay: 20 * time.Second, times: 1},
	{name: "throttled", kind: standin.ErrorCode, code: "RequestLimitExceeded", times: 2},
	{name: "internal-error-after", kind: standin.ErrorCode, code: "InternalError", after: true, times: 1},
	{name: "refused-once", kind: standin.ErrorCode, code: "ResourceInsufficient.ResourceNotEnough", times: 1},
	{name: "prepaid-cut-before", kind: standin.Cut, times: 1, spec: prepaid},
	{name: "prepaid-cut-after", kind: standin.Cut, after: true, times: 1, spec: prepaid},
}

// fault strikes the purchase for one object.
func (m mishap) fault(uid string) standin.Fault {
	return standin.Fault{Action: "CreateInstances", Instance: "mote-" + uid, Kind: m.kind, After: m.after, Delay: m.delay, Code: m.code, Times: m.times}
}

// paused makes an object that mote leaves alone, so that its uid is known before
// anything is bought for it.
func (s *site) paused(name string, changes fields) (uid string) {
	s.t.Helper()
	s.apply(database(name, changes).with("annotations", map[string]any{"mote.example.com/paused": "true"}))
	return string(s.get(databases, name).GetUID())
}

// unpause lets mote begin with it.
func (s *site) unpause(names ...string) {
	s.t.Helper()
	s.kubectl(append(append([]string{"annotate", "pgdb"}, names...), "mote.example.com/paused-")...)
}

// TestOneOfEach: every mishap at once, each to an object of its own. Each gets
// exactly one instance, and leaves nothing behind.
func TestOneOfEach(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start("--cloud-timeout", "4s", "--create-grace", "6s")
	uids := map[string]string{}
	var names, objects []string
	for _, m := range mishaps {
		uid := s.paused(m.name, m.spec)
		uids[m.name] = uid
		names, objects = append(names, m.name), append(objects, "pgdb/"+m.name)
		s.fault(m.fault(uid))
	}
	// Instances that the cloud is slow to list, beside a purchase that went well
	// and one whose answer was lost.
	for _, name := range []string{"list-lag", "list-lag-lost", "tag-lag-lost"} {
		uid := s.paused(name, nil)
		uids[name] = uid
		names, objects = append(names, name), append(objects, "pgdb/"+name)
		kind := standin.Lag
		if strings.HasPrefix(name, "tag") {
			kind = standin.LagTags
		}
		s.fault(standin.Fault{Kind: kind, Instance: "mote-" + uid, Delay: 3 * time.Second})
		if strings.HasSuffix(name, "-lost") {
			s.fault(standin.Fault{Action: "CreateInstances", Instance: "mote-" + uid, Kind: standin.Cut, After: true, Times: 1})
		}
	}
	s.unpause(names...)
	s.runs(databases, names...)
	for name, uid := range uids {
		if n := len(s.bought(uid)); n != 1 {
			t.Errorf("%s: %d instances were bought", name, n)
		}
	}
	if left, err := s.cloud.Faults(t.Context()); err != nil || len(left) != 3 { // the lags have no end
		t.Errorf("faults that never struck: %+v, %v", left, err)
	}
	s.remove(objects...)
	s.gone(databases, names...)
	s.nothingBilled()
	s.childless()
}
