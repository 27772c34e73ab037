package cloud

import (
	"math/rand/v2"
	"testing"
	"time"
)

// clock is a clock that a test moves.
type clock struct{ t time.Time }

func newClock() *clock                   { return &clock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }
func (c *clock) now() time.Time          { return c.t }
func (c *clock) advance(d time.Duration) { c.t = c.t.Add(d) }

// granted asks for calls as fast as it is let until d has passed and returns
// the times at which they were granted.
func granted(l *Limits, c *clock, d time.Duration) (at []time.Time) {
	for end := c.t.Add(d); c.t.Before(end); {
		if wait := l.Take("Buy", "here"); wait > 0 {
			c.advance(wait)
		} else {
			at = append(at, c.t)
		}
	}
	return at
}

func TestLimitsNeverExceedTheRateInAnyWindow(t *testing.T) {
	for _, rate := range []int{20, 50, 100, 1000} {
		c := newClock()
		l := NewLimits(map[string]int{"Buy": rate}, 1, c.now)
		at := granted(l, c, 3*time.Second)
		for i := range at {
			n := 0
			for j := i; j < len(at) && at[j].Sub(at[i]) < time.Second; j++ {
				n++
			}
			if n > rate {
				t.Fatalf("rate %d: %d calls within a second from %s on", rate, n, at[i])
			}
		}
		if len(at) < rate*2 {
			t.Errorf("rate %d: only %d calls in 3 s", rate, len(at))
		}
	}
}

func TestLimitsCountByActionAndRegion(t *testing.T) {
	c := newClock()
	l := NewLimits(map[string]int{"Buy": 10}, 5, c.now)
	drain := func(action, region string) (n int) {
		for l.Take(action, region) == 0 {
			n++
		}
		return n
	}
	if n := drain("Buy", "a"); n != 2 {
		t.Errorf("burst of %d, want a fifth of the rate", n)
	}
	if n := drain("Buy", "b"); n != 2 {
		t.Errorf("region b got %d after region a was drained", n)
	}
	if n := drain("Unheard", "a"); n != 1 {
		t.Errorf("an action without a rate of its own got %d", n)
	}
}

func TestLimitsSpreadThoseTurnedAway(t *testing.T) {
	c := newClock()
	l := NewLimits(map[string]int{"Buy": 20}, 1, c.now)
	// 100 callers arrive at once, and each returns when it was told to.
	due := make([]time.Time, 100)
	for i := range due {
		due[i] = c.t
	}
	start, takes := c.t, 0
	for len(due) > 0 {
		first := 0
		for i := range due {
			if due[i].Before(due[first]) {
				first = i
			}
		}
		if due[first].After(c.t) {
			c.t = due[first]
		}
		takes++
		if wait := l.Take("Buy", "here"); wait > 0 {
			due[first] = c.t.Add(wait)
		} else {
			due = append(due[:first], due[first+1:]...)
		}
	}
	if takes > 200 {
		t.Errorf("100 calls took %d attempts: those turned away return too early", takes)
	}
	if took := c.t.Sub(start); took > 7*time.Second {
		t.Errorf("100 calls at 20/s took %s", took)
	}
}

func TestLimitsReadyTakesNothing(t *testing.T) {
	c := newClock()
	l := NewLimits(map[string]int{"Buy": 10}, 1, c.now)
	for range 100 {
		if wait := l.Ready("Buy", "here"); wait != 0 {
			t.Fatalf("a fresh rate is ready in %s", wait)
		}
	}
	for l.Take("Buy", "here") == 0 {
	}
	first, second := l.Ready("Buy", "here"), l.Ready("Buy", "here")
	if first <= 0 || second <= first {
		t.Errorf("told to wait %s, then %s: they would return together", first, second)
	}
	c.advance(second)
	if l.Ready("Buy", "here") != 0 || l.Take("Buy", "here") != 0 {
		t.Error("not ready when it was said to be")
	}
}

func TestLimitsWaitIsBounded(t *testing.T) {
	c := newClock()
	l := NewLimits(map[string]int{"Buy": 1}, 1, c.now)
	for range 1000 {
		if wait := l.Take("Buy", "here"); wait > 30*time.Second {
			t.Fatalf("told to wait %s", wait)
		}
	}
}

func TestLimitsHalveAndRecover(t *testing.T) {
	c := newClock()
	l := NewLimits(map[string]int{"Buy": 100}, 1, c.now)
	rate := func() float64 { return float64(len(granted(l, c, time.Second))) }
	granted(l, c, time.Second) // use up the burst
	full := rate()
	for range 10 { // one burst of refusals
		l.Throttled("Buy", "here")
	}
	if got := rate(); got < full*0.4 || got > full*0.6 {
		t.Errorf("after a burst of refusals %.0f/s of %.0f, want about half", got, full)
	}
	for range 100 {
		c.advance(time.Second)
		l.Throttled("Buy", "here")
	}
	if got := rate(); got < 1 || got > full/16 {
		t.Errorf("under lasting refusals %.0f/s of %.0f, want little but not nothing", got, full)
	}
	c.advance(2 * time.Minute)
	if got := rate(); got < full*0.4 || got > full*0.8 {
		t.Errorf("half way back %.0f/s of %.0f", got, full)
	}
	c.advance(3 * time.Minute)
	granted(l, c, time.Second)
	if got := rate(); got != full {
		t.Errorf("recovered to %.0f/s, want %.0f", got, full)
	}
}

func TestLimitsBearAClockThatJumps(t *testing.T) {
	c := newClock()
	l := NewLimits(map[string]int{"Buy": 100}, 1, c.now)
	r := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		c.advance(time.Duration(r.Int64N(int64(time.Hour))) - 30*time.Minute)
		if wait := l.Take("Buy", "here"); wait < 0 || wait > 30*time.Second {
			t.Fatalf("wait %s", wait)
		}
	}
	c.advance(time.Minute)
	if len(granted(l, c, time.Second)) < 80 {
		t.Error("slow for ever after the clock jumped")
	}
}

func TestLimitsDoNotGrowWithoutBound(t *testing.T) {
	c := newClock()
	l := NewLimits(nil, 20, c.now)
	for i := range 5000 {
		l.Take("Buy", string(rune(i)))
		c.advance(time.Second)
	}
	if n := len(l.buckets); n > maxBuckets {
		t.Errorf("%d buckets", n)
	}
}
