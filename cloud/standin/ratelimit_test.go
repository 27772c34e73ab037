package standin_test

import (
	"testing"
	"time"

	"example.com/mote/cloud/standin"
)

func TestDocumentedRates(t *testing.T) {
	for action, c := range map[string]struct {
		limit int
		p     params
	}{
		"DescribeTasks":                      {20, params{}},
		"ModifyDBInstanceDeletionProtection": {20, params{"DBInstanceId": "postgres-nothere0", "DeletionProtection": false}},
		"DestroyDBInstance":                  {50, params{"DBInstanceId": "postgres-nothere0"}},
		"IsolateDBInstances":                 {100, params{"DBInstanceIdSet": []string{"postgres-nothere0"}}},
		"DescribeDBInstanceAttribute":        {1000, params{"DBInstanceId": "postgres-nothere0"}},
	} {
		r := newRig(t)
		for n := 1; n <= c.limit; n++ {
			if got := r.call(action, c.p).code; got == "RequestLimitExceeded" {
				t.Fatalf("%s: call %d of %d was one too many", action, n, c.limit)
			}
		}
		r.refused("RequestLimitExceeded", action, c.p)
		r.region = "ap-shanghai" // each region has its own
		if got := r.call(action, c.p).code; got == "RequestLimitExceeded" {
			t.Errorf("%s: another region is limited too", action)
		}
		r.region = region
		r.clock.advance(time.Second)
		if got := r.call(action, c.p).code; got == "RequestLimitExceeded" {
			t.Errorf("%s: still limited a second later", action)
		}
	}
}

func TestRatesCanBeChanged(t *testing.T) {
	r := newRig(t, func(c *standin.Config) { c.RateLimits = map[string]int{"DescribeZones": 1} })
	r.refused("", "DescribeZones", params{})
	r.refused("RequestLimitExceeded", "DescribeZones", params{})
	r.server.SetLimits(standin.Limits{PerSecond: map[string]int{"DescribeZones": 2, "DescribeTasks": 0}})
	r.refused("", "DescribeZones", params{})
	r.refused("", "DescribeZones", params{})
	r.refused("RequestLimitExceeded", "DescribeZones", params{})
	for range 50 {
		r.ok("DescribeTasks", params{})
	}
	r.server.SetLimits(standin.Limits{Off: true})
	for range 150 {
		r.ok("DescribeZones", params{})
	}
	if !r.server.Limits().Off {
		t.Error("the limits do not say that they are off")
	}
}

func TestCallsAreCounted(t *testing.T) {
	r := newRig(t)
	id := r.create(nil)
	r.refused("MissingParameter", "DescribeDBInstanceAttribute", params{})
	r.region = "ap-shanghai"
	r.ok("DescribeDBInstances", params{})
	r.refused("InvalidAction", "Nonsense", params{})

	calls := r.server.Calls(0)
	if calls.Count("CreateInstances") != 1 || calls.Count("Nonsense") != 1 || len(calls.Counts) != 4 || len(calls.Recent) != 4 {
		t.Fatalf("calls %+v", calls)
	}
	first, second := calls.Recent[0], calls.Recent[1]
	if first.Seq != 1 || first.Action != "CreateInstances" || first.Region != region || first.Outcome != "ok" || !first.Effect ||
		first.About[0] != "mote-1" || first.RequestID != r.entry(id).RequestID || !first.At.Equal(r.clock.now()) {
		t.Errorf("first call %+v", first)
	}
	if second.Outcome != "MissingParameter" || second.Effect {
		t.Errorf("second call %+v", second)
	}
	if later := r.server.Calls(2).Recent; len(later) != 2 || later[0].Seq != 3 {
		t.Errorf("calls since the second: %+v", later)
	}
	r.server.ResetCalls()
	r.ok("DescribeDBInstances", params{})
	if calls = r.server.Calls(0); len(calls.Counts) != 1 || calls.Recent[0].Seq != 5 {
		t.Errorf("after a reset: %+v", calls)
	}
}
