package standin_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/mote/cloud/standin"
)

// In a bubble the server runs on virtual time with its defaults: real clock,
// real timers, no socket, and no goroutine that is left over.
func TestInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *standin.Config) { c.Now, c.Sleep, c.Latency = nil, nil, 100*time.Millisecond })
		r.now = time.Now
		start := time.Now()
		id := r.create(nil)
		if took := time.Since(start); took != 100*time.Millisecond {
			t.Errorf("a call took %s", took)
		}
		time.Sleep(8 * time.Second)
		if got := r.status(id); got != "running" {
			t.Errorf("status %s", got)
		}

		r.faults(standin.Fault{Kind: standin.Hang, After: true, Times: 1}, standin.Fault{Kind: standin.SlowBody, Delay: time.Hour, Times: 1})
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			at := time.Now()
			_, err := r.do(r.request(ctx, "postgres", "CreateInstances", order(nil)))
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(at) != time.Minute {
				t.Errorf("after %s: %v", time.Since(at), err)
			}
		}
		if n := len(r.server.Ledger()); n != 3 {
			t.Errorf("%d bought", n)
		}
	})
}

func TestManyAtOnce(t *testing.T) {
	r := onTheWire(t, func(c *standin.Config) { c.Timing = standin.Timing{RecyclePostpaid: time.Hour}; c.NoRateLimits = true })
	r.faults(standin.Fault{Kind: standin.Latency, Delay: time.Millisecond, Probability: 0.5})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				id := r.create(nil)
				r.ok("DescribeDBInstances", params{"Limit": 100})
				r.ok("ModifyDBInstanceName", params{"DBInstanceId": id, "InstanceName": "n"})
				r.server.Calls(0)
				r.ok("IsolateDBInstances", params{"DBInstanceIdSet": []string{id}})
				r.ok("DestroyDBInstance", params{"DBInstanceId": id})
			}
		})
	}
	all.Wait()
	ids := map[string]bool{}
	for _, e := range r.server.Ledger() {
		ids[e.ID] = true
		if !e.Gone || e.Billed {
			t.Errorf("not gone: %+v", e)
		}
	}
	if len(ids) != 40 {
		t.Errorf("%d instances", len(ids))
	}
}

func TestAnswersTellTheServersTime(t *testing.T) {
	r := newRig(t)
	resp, err := r.http.Do(r.request(t.Context(), "postgres", "DescribeZones", params{}))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := resp.Header.Get("Date"); got != "Sun, 01 Mar 2026 04:00:00 GMT" {
		t.Errorf("Date %q", got)
	}
}
