package tencent_test

import (
	"context"
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/cloud/standin"
	"example.com/mote/cloud/tencent"
)

// Whatever happens to the answer of a purchase, it is made once at most, and
// the error never says that it was not made when it may have been.
func TestLostAndMangledAnswers(t *testing.T) {
	for _, c := range []struct {
		fault  standin.Fault
		class  cloud.Class
		code   string
		bought int
	}{
		{standin.Fault{Kind: standin.Cut}, cloud.Ambiguous, "mote.NoAnswer", 0},
		{standin.Fault{Kind: standin.Cut, After: true}, cloud.Ambiguous, "mote.NoAnswer", 1},
		{standin.Fault{Kind: standin.Hang}, cloud.Ambiguous, "mote.NoAnswer", 0},
		{standin.Fault{Kind: standin.Hang, After: true}, cloud.Ambiguous, "mote.NoAnswer", 1},
		{standin.Fault{Kind: standin.Truncated}, cloud.Ambiguous, "mote.NoAnswer", 1},
		{standin.Fault{Kind: standin.BadGateway}, cloud.Ambiguous, "mote.UnreadableAnswer", 0},
		{standin.Fault{Kind: standin.BadGateway, After: true}, cloud.Ambiguous, "mote.UnreadableAnswer", 1},
		{standin.Fault{Kind: standin.ServerErr, After: true}, cloud.Ambiguous, "mote.UnreadableAnswer", 1},
		{standin.Fault{Kind: standin.EmptyBody, After: true}, cloud.Ambiguous, "mote.UnreadableAnswer", 1},
		{standin.Fault{Kind: standin.ErrorCode, Code: "InternalError.FlowError", After: true}, cloud.Ambiguous, "InternalError.FlowError", 1},
		{standin.Fault{Kind: standin.ErrorCode, Code: "FailedOperation.TradePayOrdersError"}, cloud.Ambiguous, "FailedOperation.TradePayOrdersError", 0},
		{standin.Fault{Kind: standin.ErrorCode, Code: "OperationDenied.InsufficientBalanceError"}, cloud.Refused, "OperationDenied.InsufficientBalanceError", 0},
		{standin.Fault{Kind: standin.ErrorCode, Code: "ResourceInsufficient.ResourceNotEnough"}, cloud.SoldOut, "ResourceInsufficient.ResourceNotEnough", 0},
		{standin.Fault{Kind: standin.ErrorCode, Code: "UnauthorizedOperation"}, cloud.Denied, "UnauthorizedOperation", 0},
	} {
		r := newRig(t, nil)
		ctx := t.Context()
		r.ok(get(r, ctx)) // so that there is a connection to be reused
		if c.fault.Message = "no"; c.fault.Kind != standin.ErrorCode {
			c.fault.Message = ""
		}
		r.fault(c.fault)
		if c.fault.Kind == standin.Hang {
			short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
			defer cancel()
			ctx = short
		}
		_, err := r.Create(ctx, region, want("mote-1"))
		r.fails(err, c.class, c.code)
		if calls, bought := r.calls("CreateInstances"), len(r.cloud.Ledger()); calls != 1 || bought != c.bought {
			t.Errorf("%+v: %d calls, %d bought", c.fault, calls, bought)
		}
		r.cloud.ClearFaults()
		found, err := r.Find(t.Context(), region, "mote-1")
		r.ok(err)
		if len(found) != c.bought {
			t.Errorf("%+v: found %d", c.fault, len(found))
		}
	}
}

// get makes a call without an effect.
func get(r *rig, ctx context.Context) error {
	_, err := r.Versions(ctx, region)
	return err
}

func TestSlowAnswersArrive(t *testing.T) {
	r := newRig(t, nil)
	r.fault(standin.Fault{Kind: standin.SlowBody, Delay: 20 * time.Millisecond})
	r.ok(get(r, t.Context()))
}

func TestCallsEndWithTheirContext(t *testing.T) {
	r := newRig(t, nil)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	r.fails(get(r, gone), cloud.NotSent, "mote.GaveUp")
	if r.calls("DescribeDBVersions") != 0 {
		t.Error("a call was made for nobody")
	}

	r.ok(get(r, t.Context()))
	r.fault(standin.Fault{Kind: standin.Hang})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	r.fails(get(r, ctx), cloud.Ambiguous, "mote.NoAnswer")
}

func TestTheCloudsRates(t *testing.T) {
	var limits *cloud.Limits
	r := newRig(t, func(s *standin.Config, o *tencent.Options) {
		s.NoRateLimits = false
		s.RateLimits = map[string]int{"DescribeDBVersions": 3}
		limits = cloud.NewLimits(nil, 1000, o.Now)
		o.Limits = limits
	})
	for range 3 {
		r.ok(get(r, t.Context()))
	}
	if e := r.fails(get(r, t.Context()), cloud.Throttled, "RequestLimitExceeded"); e.RetryAfter != time.Second {
		t.Errorf("retry after %s", e.RetryAfter)
	}
	// The refusal reaches the shared limits, which hold the next call back.
	if limits.Take("DescribeDBVersions", region) == 0 {
		t.Error("the shared rate was not told")
	}
	if limits.Take("DescribeDBVersions", "elsewhere") != 0 {
		t.Error("another region is held back")
	}
	r.pass(time.Second)

	r.fault(standin.Fault{Kind: standin.ErrorCode, Code: "FailedOperation.OperateFrequencyLimitedError", Message: "slower"})
	_, err := r.Find(t.Context(), region, "x")
	r.fails(err, cloud.Throttled, "FailedOperation.OperateFrequencyLimitedError")
	if limits.Take("DescribeDBInstances", region) != 0 {
		t.Error("one instance's limit holds all others back")
	}
}

// Our own rate answers before the cloud's is reached, and nothing is sent.
func TestOurOwnRates(t *testing.T) {
	r := newRig(t, func(s *standin.Config, _ *tencent.Options) { s.NoRateLimits = false })
	sent := 0
	var err error
	for err == nil && sent < 1000 {
		if _, err = r.Create(t.Context(), region, want("mote-1")); err == nil {
			sent++
		}
	}
	e := r.fails(err, cloud.Throttled, "mote.LocalRate")
	if sent != 20 || r.calls("CreateInstances") != sent {
		t.Errorf("%d sent, %d received", sent, r.calls("CreateInstances"))
	}
	if e.RetryAfter <= 0 || e.RetryAfter > time.Second {
		t.Errorf("retry after %s", e.RetryAfter)
	}
	wait := r.CreateWait(region)
	if wait <= e.RetryAfter || wait > time.Second || r.CreateWait("elsewhere") != 0 {
		t.Errorf("a purchase has to wait %s after one that waits %s, elsewhere %s", wait, e.RetryAfter, r.CreateWait("elsewhere"))
	}
	r.pass(wait)
	if wait := r.CreateWait(region); wait != 0 {
		t.Errorf("still to wait %s", wait)
	}
	r.buy("mote-1")
}
