package standin_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/mote/cloud/standin"
)

func (r *rig) faults(faults ...standin.Fault) {
	r.t.Helper()
	if _, err := r.server.SetFaults(faults...); err != nil {
		r.t.Fatal(err)
	}
}

// strikes is every way in which an answer can go wrong, with what an HTTP
// client sees of it.
func strikes() []struct {
	fault standin.Fault
	sees  func(*http.Response, []byte, error) bool
} {
	cut := func(_ *http.Response, _ []byte, err error) bool { return errors.Is(err, io.EOF) }
	status := func(want int, text string) func(*http.Response, []byte, error) bool {
		return func(resp *http.Response, b []byte, err error) bool {
			return err == nil && resp.StatusCode == want && strings.Contains(string(b), text)
		}
	}
	return []struct {
		fault standin.Fault
		sees  func(*http.Response, []byte, error) bool
	}{
		{standin.Fault{Kind: standin.ErrorCode, Code: "InternalError.SystemError", Message: "oops"}, status(200, `"Code":"InternalError.SystemError","Message":"oops"`)},
		{standin.Fault{Kind: standin.Cut}, cut},
		{standin.Fault{Kind: standin.BadGateway}, status(502, "<html>")},
		{standin.Fault{Kind: standin.ServerErr}, status(500, `{"Response":{"RequestId":`)},
		{standin.Fault{Kind: standin.EmptyBody}, func(resp *http.Response, b []byte, err error) bool {
			return err == nil && resp.StatusCode == 200 && len(b) == 0
		}},
		{standin.Fault{Kind: standin.Hang}, func(_ *http.Response, _ []byte, err error) bool {
			return errors.Is(err, context.DeadlineExceeded) || os.IsTimeout(err)
		}},
		{standin.Fault{Kind: standin.Truncated}, func(resp *http.Response, b []byte, err error) bool {
			return errors.Is(err, io.ErrUnexpectedEOF) && resp.StatusCode == 200 && len(b) > 0
		}},
		{standin.Fault{Kind: standin.SlowBody, Delay: 50 * time.Millisecond}, status(200, "DBInstanceIdSet")},
	}
}

func TestFaultsOnTheWire(t *testing.T)           { everyStrike(t, onTheWire) }
func TestFaultsThroughTheTransport(t *testing.T) { everyStrike(t, newRig) }

func everyStrike(t *testing.T, rigged func(*testing.T, ...func(*standin.Config)) *rig) {
	for _, c := range strikes() {
		for _, after := range []bool{false, true} {
			f := c.fault
			f.After, f.Action, f.Times = after, "CreateInstances", 1
			when := map[bool]string{false: " before", true: " after"}[after]
			t.Run(string(f.Kind)+when, func(t *testing.T) {
				r := rigged(t)
				r.ok("DescribeDBInstances", params{}) // a connection that is reused
				r.faults(f)
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				defer cancel()
				var body []byte
				resp, err := r.http.Do(r.request(ctx, "postgres", "CreateInstances", order(nil)))
				if err == nil {
					body, err = io.ReadAll(resp.Body)
					resp.Body.Close()
				}
				if !c.sees(resp, body, err) {
					t.Errorf("the client sees %v, %q, %v", resp, body, err)
				}
				effect := after || f.Kind == standin.SlowBody || f.Kind == standin.Truncated
				if bought := len(r.server.Ledger()) == 1; bought != effect {
					t.Errorf("bought: %v, want %v", bought, effect)
				}
				r.awaitCall(func(c standin.Call) bool {
					return c.Action == "CreateInstances" && c.Outcome == "fault" && c.Fault == f.Kind && c.Effect == effect
				})
				r.create(nil) // used up, and the client recovers
			})
		}
	}
}

// awaitCall waits until the newest call is as wanted.
func (r *rig) awaitCall(want func(standin.Call) bool) {
	r.t.Helper()
	var last standin.Call
	for range 200 {
		recent := r.server.Calls(0).Recent
		if last = recent[len(recent)-1]; want(last) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	r.t.Errorf("the last call is %+v", last)
}

func TestSlowBodyOutlastsTheCaller(t *testing.T) {
	r := onTheWire(t)
	r.faults(standin.Fault{Kind: standin.SlowBody, Delay: time.Minute})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := r.do(r.request(ctx, "postgres", "CreateInstances", order(nil))); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if len(r.server.Ledger()) != 1 {
		t.Error("nothing was bought")
	}
}

// A caller that gives up during the latency has bought all the same.
func TestLatencyComesBeforeTheEffect(t *testing.T) {
	r := newRig(t, func(c *standin.Config) { c.Latency = time.Second })
	r.faults(standin.Fault{Kind: standin.Latency, Delay: 2 * time.Second}, standin.Fault{Kind: standin.Latency, Action: "CreateInstances", Delay: 4 * time.Second})
	start := r.clock.now()
	id := r.create(nil)
	if e := r.entry(id); e.Bought.Sub(start) != 7*time.Second {
		t.Errorf("bought after %s", e.Bought.Sub(start))
	}

	w := onTheWire(t)
	w.faults(standin.Fault{Kind: standin.Latency, Delay: time.Minute})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := w.do(w.request(ctx, "postgres", "CreateInstances", order(nil))); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	w.awaitCall(func(c standin.Call) bool { return c.Effect })
}

func TestCloseReleasesWaitingCalls(t *testing.T) {
	r := onTheWire(t)
	r.faults(standin.Fault{Kind: standin.Latency, Delay: time.Minute})
	result := make(chan error)
	q := r.request(t.Context(), "postgres", "CreateInstances", order(nil))
	go func() {
		_, err := r.do(q)
		result <- err
	}()
	for len(r.server.Calls(0).Recent) == 0 {
		time.Sleep(time.Millisecond)
	}
	r.server.Close()
	if err := <-result; err == nil || len(r.server.Ledger()) != 0 {
		t.Errorf("error %v, %d bought", err, len(r.server.Ledger()))
	}
}

func TestFaultMatching(t *testing.T) {
	const code = "ServiceUnavailable"
	fault := func(f standin.Fault) standin.Fault { f.Kind, f.Code = standin.ErrorCode, code; return f }
	r := newRig(t)
	id := r.create(params{"Name": "one"})
	for _, c := range []struct {
		name    string
		fault   standin.Fault
		strikes bool
	}{
		{"everything", standin.Fault{}, true},
		{"the action", standin.Fault{Action: "DescribeDBInstanceAttribute"}, true},
		{"another action", standin.Fault{Action: "DescribeDBInstances"}, false},
		{"the region", standin.Fault{Region: region}, true},
		{"another region", standin.Fault{Region: "ap-shanghai"}, false},
		{"the instance", standin.Fault{Instance: id}, true},
		{"another instance", standin.Fault{Instance: "postgres-other000"}, false},
	} {
		r.faults(fault(c.fault))
		if got := r.status(id); (got == code) != c.strikes {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	r.faults(fault(standin.Fault{Instance: "two"}))
	r.refused("", "CreateInstances", order(params{"Name": "one"}))
	r.refused(code, "CreateInstances", order(params{"Name": "two"}))
	r.refused(code, "DescribeDBInstances", params{"Filters": []params{{"Name": "db-instance-name", "Values": []string{"two"}}}})

	r.faults(fault(standin.Fault{Times: 2}))
	r.refused(code, "DescribeZones", params{})
	if left := r.server.Faults(); len(left) != 1 || left[0].Times != 1 {
		t.Errorf("left: %+v", left)
	}
	r.refused(code, "DescribeZones", params{})
	r.refused("", "DescribeZones", params{})

	// The oldest that shapes the answer strikes alone; the next waits its turn.
	ids, err := r.server.SetFaults(fault(standin.Fault{Times: 1}), standin.Fault{Kind: standin.EmptyBody})
	if err != nil {
		t.Fatal(err)
	}
	r.refused(code, "DescribeZones", params{})
	if _, err := r.do(r.request(t.Context(), "postgres", "DescribeZones", params{})); err == nil {
		t.Error("the second fault did not strike")
	}
	r.server.ClearFaults(ids[1])
	r.refused("", "DescribeZones", params{})
}

func TestFaultProbabilityIsSeeded(t *testing.T) {
	run := func(seed uint64) (pattern string) {
		r := newRig(t, func(c *standin.Config) { c.Seed, c.NoRateLimits = seed, true })
		r.faults(standin.Fault{Kind: standin.ErrorCode, Code: "DBError", Probability: 0.3})
		for range 200 {
			pattern += map[bool]string{true: "x", false: "."}[r.call("DescribeZones", params{}).code == "DBError"]
		}
		return pattern
	}
	a := run(1)
	if a != run(1) || a == run(2) {
		t.Error("the pattern does not follow from the seed")
	}
	if n := strings.Count(a, "x"); n < 40 || n > 80 {
		t.Errorf("%d of 200 struck with probability 0.3", n)
	}
}

func TestSenselessFaultsAreRefused(t *testing.T) {
	r := newRig(t)
	for _, f := range []standin.Fault{
		{}, {Kind: "explode"}, {Kind: standin.Cut, Action: "Nothing"}, {Kind: standin.Latency}, {Kind: standin.SlowBody},
		{Kind: standin.ErrorCode}, {Kind: standin.TaskFail, After: true}, {Kind: standin.Cut, Times: -1}, {Kind: standin.Cut, Probability: 1.5},
	} {
		if _, err := r.server.AddFaults(standin.Fault{Kind: standin.Cut}, f); err == nil {
			t.Errorf("%+v was accepted", f)
		}
	}
	if left := r.server.Faults(); len(left) != 0 {
		t.Errorf("a refused set left %v", left)
	}
}

func TestFaultAsJSON(t *testing.T) {
	in := standin.Fault{ID: 3, Kind: standin.SlowBody, After: true, Delay: 1500 * time.Millisecond, Times: 2, Probability: 0.5, Action: "DescribeZones"}
	b, err := json.Marshal(in)
	if err != nil || !strings.Contains(string(b), `"delay":"1.5s"`) {
		t.Fatalf("%s %v", b, err)
	}
	var out standin.Fault
	if err := json.Unmarshal(b, &out); err != nil || out != in {
		t.Errorf("%+v %v", out, err)
	}
	for _, bad := range []string{`{"kind":"cut","tiems":1}`, `{"kind":"latency","delay":"soon"}`} {
		if json.Unmarshal([]byte(bad), &out) == nil {
			t.Errorf("%s was understood", bad)
		}
	}
}
