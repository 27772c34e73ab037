package reconcile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var leaseGroup = schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}

// memoryLease is a Lease without a cluster.
type memoryLease struct {
	mu      sync.Mutex
	lease   lease
	version int
	writes  int
	reads   int
}

func (m *memoryLease) look() lease {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	return m.lease
}

func (m *memoryLease) put(version string, l lease) (lease, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case version == "" && m.lease.version != "":
		return lease{}, apierrors.NewAlreadyExists(leaseGroup, "mote")
	case version != "" && m.lease.version == "":
		return lease{}, apierrors.NewNotFound(leaseGroup, "mote")
	case version != m.lease.version:
		return lease{}, apierrors.NewConflict(leaseGroup, "mote", errors.New("changed"))
	}
	m.version++
	m.writes++
	m.lease = l.at(fmt.Sprint(m.version))
	return m.lease, nil
}

func (m *memoryLease) remove() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lease = lease{}
}

func (m *memoryLease) counts() (reads, writes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reads, m.writes
}

// leaseLink is one candidate's way to a memoryLease; weather, if set, is asked
// before each call what becomes of it.
type leaseLink struct {
	to      *memoryLease
	writing sync.WaitGroup // writes under way, those that were given up too
	mu      sync.Mutex
	weather func(write bool) leaseFate
}

// leaseFate is what becomes of one call.
type leaseFate struct {
	err      error         // the answer, whether or not it took effect
	noEffect bool          // it never takes effect, and without err it is never answered
	before   time.Duration // until it takes effect
	after    time.Duration // from then to the answer
	deaf     bool          // it does not come back when its context ends
}

func (f leaseFate) sleep(ctx context.Context, d time.Duration) {
	if f.deaf {
		time.Sleep(d)
		return
	}
	sleep(ctx, d)
}

func (k *leaseLink) fate(write bool) leaseFate {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.weather == nil {
		return leaseFate{}
	}
	return k.weather(write)
}

func (k *leaseLink) set(weather func(write bool) leaseFate) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.weather = weather
}

func (k *leaseLink) read(ctx context.Context) (lease, error) {
	f := k.fate(false)
	f.sleep(ctx, f.before)
	l := k.to.look()
	f.sleep(ctx, f.after)
	if err := ctx.Err(); err != nil {
		return lease{}, err
	}
	return l, f.err
}

func (k *leaseLink) write(ctx context.Context, version string, l lease) (lease, error) {
	f := k.fate(true)
	type answer struct {
		l   lease
		err error
	}
	effect := make(chan answer, 1)
	k.writing.Go(func() { // the network and the server, which go on when the caller has given up
		time.Sleep(f.before)
		var a answer
		if !f.noEffect {
			a.l, a.err = k.to.put(version, l)
		}
		time.Sleep(f.after)
		if f.err != nil || !f.noEffect {
			effect <- a
		}
	})
	if f.deaf {
		time.Sleep(f.before + f.after)
	}
	select {
	case a := <-effect:
		if f.err != nil {
			a.err = f.err
		}
		return a.l, a.err
	case <-ctx.Done():
		return lease{}, ctx.Err()
	}
}

// steady fates.
func always(f leaseFate) func(bool) leaseFate { return func(bool) leaseFate { return f } }

func writesOnly(f leaseFate) func(bool) leaseFate {
	return func(write bool) leaseFate {
		if write {
			return f
		}
		return leaseFate{}
	}
}

// logLines collects what was logged.
type logLines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logLines) count(s string) int { return strings.Count(l.String(), s) }

func (l *logLines) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// runner is a candidate at work in a test.
type runner struct {
	t       *testing.T
	link    *leaseLink
	log     *logLines
	cancel  context.CancelFunc
	over    chan struct{} // closed when run has returned
	mu      sync.Mutex
	leading bool
	terms   int           // how often it led
	ended   error         // the cause of the last end of work
	stopAt  time.Duration // when work was last told to stop, since began
	began   time.Time
	rest    time.Duration // how long work takes to stop
}

func run(t *testing.T, to *memoryLease, name string, change ...func(l *Leadership, c *candidate)) *runner {
	r := &runner{t: t, link: &leaseLink{to: to}, log: &logLines{}, over: make(chan struct{}), began: time.Now()}
	l := &Leadership{Namespace: "mote", Name: "mote", Identity: name, Log: r.log.logger()}
	c, err := l.candidate(r.link)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(l, c)
	}
	t.Cleanup(r.link.writing.Wait)
	ctx, cancel := context.WithCancel(t.Context())
	r.cancel = cancel
	go func() {
		defer close(r.over)
		c.run(ctx, r.lead)
	}()
	synctest.Wait()
	return r
}

func (r *runner) lead(ctx context.Context) {
	r.mu.Lock()
	r.leading = true
	r.terms++
	r.mu.Unlock()
	<-ctx.Done()
	r.mu.Lock()
	r.ended, r.stopAt = context.Cause(ctx), time.Since(r.began)
	d := r.rest
	r.mu.Unlock()
	time.Sleep(d)
	r.mu.Lock()
	r.leading = false
	r.mu.Unlock()
}

func (r *runner) leads() bool {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.leading
}

// end is when work was last told to stop, since the runner began, and why.
func (r *runner) end() (at time.Duration, cause error) {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopAt, r.ended
}

// led is how often it led.
func (r *runner) led() int {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.terms
}

// slowly sets how long work takes to stop.
func (r *runner) slowly(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rest = d
}

func (r *runner) expect(what string, leads bool) {
	r.t.Helper()
	if r.leads() != leads {
		r.t.Errorf("%s: leads is %v, want %v\n%s", what, !leads, leads, r.log)
	}
}

// stop asks it to stop and says how long that took.
func (r *runner) stop() time.Duration {
	began := time.Now()
	r.cancel()
	<-r.over
	return time.Since(began)
}

func TestLeaseIsTakenRenewedAndGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryLease{}
		a := run(t, store, "a")
		a.expect("alone, at once", true)
		day := time.Now()
		time.Sleep(time.Hour)
		a.expect("an hour later", true)
		reads, writes := store.counts()
		if writes != 1+180 {
			t.Errorf("in an hour %d writes, want one every 20 s", writes)
		}
		if reads != 1 {
			t.Errorf("a leader read the lease %d times; its writes tell it enough", reads)
		}
		want := lease{version: "181", holder: "a", duration: time.Minute, acquired: day, renewed: day.Add(time.Hour)}
		if got := store.look(); !got.acquired.Equal(want.acquired) || !got.renewed.Equal(want.renewed) || got.holder != "a" || got.transitions != 0 {
			t.Errorf("the lease is %+v, want %+v", got, want)
		}
		if d := a.stop(); d != 0 {
			t.Errorf("it took %s to stop", d)
		}
		if got := store.look(); got.holder != "" {
			t.Errorf("it was not given back: %+v", got)
		}
		if _, cause := a.end(); !errors.Is(cause, context.Canceled) {
			t.Errorf("work ended because: %v", cause)
		}

		b := run(t, store, "b")
		b.expect("a successor, at once", true)
		if got := store.look(); got.transitions != 1 || got.holder != "b" {
			t.Errorf("the lease is %+v", got)
		}
		b.stop()
	})
}

func TestLeaseOfAKilledProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryLease{}
		store.put("", lease{holder: "killed", duration: time.Minute, transitions: 3})
		// Its clock was an hour ahead, or years behind: no matter.
		for _, ahead := range []time.Duration{time.Hour, -5 * 365 * 24 * time.Hour} {
			l := store.look()
			l.holder, l.renewed = "killed", time.Now().Add(ahead)
			store.put(l.version, l)
			b := run(t, store, "b")
			time.Sleep(time.Minute - 1)
			b.expect("a moment before the lease has run out", false)
			time.Sleep(time.Nanosecond)
			b.expect("when it has run out", true)
			b.stop()
		}
		if got := store.look(); got.transitions != 5 {
			t.Errorf("%d transitions, want 5", got.transitions)
		}
	})
}

func TestLeaseTwoCandidates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryLease{}
		a := run(t, store, "a")
		b := run(t, store, "b")
		time.Sleep(time.Hour)
		a.expect("the first", true)
		b.expect("the second", false)
		reads, writes := store.counts()
		if writes != 181 || reads != 1+361 {
			t.Errorf("in an hour %d reads and %d writes; want a read every 10 s and a write every 20 s", reads, writes)
		}
		if n := b.log.count("waiting to lead"); n != 1 {
			t.Errorf("the second said %d times that it waits", n)
		}
		a.slowly(15 * time.Second)
		if d := a.stop(); d != 15*time.Second {
			t.Errorf("it took %s to stop, want the time that work took", d)
		}
		b.expect("the second, at once", false)
		time.Sleep(10 * time.Second)
		b.expect("the second, at its next look", true)
		b.stop()
	})
}

// While work comes to rest after a SIGTERM, the lease is still renewed.
func TestLeaseIsHeldWhileWorkComesToRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryLease{}
		a := run(t, store, "a")
		b := run(t, store, "b")
		a.slowly(10 * time.Minute)
		a.cancel()
		time.Sleep(10*time.Minute - 1)
		a.expect("at work to the end", true)
		b.expect("meanwhile the other", false)
		<-a.over
		time.Sleep(10 * time.Second)
		b.expect("then the other", true)
		b.stop()
	})
}

func TestLeaseLosses(t *testing.T) {
	broken := apierrors.NewInternalError(errors.New("database is locked"))
	for _, c := range []struct {
		name    string
		weather func(bool) leaseFate
		stopAt  time.Duration // after the last renewal that succeeded
	}{
		{"the API server is away", always(leaseFate{err: broken, noEffect: true}), 40 * time.Second},
		{"calls hang", always(leaseFate{before: time.Hour, noEffect: true}), 40 * time.Second},
		{"calls hang and do not end with their context", always(leaseFate{before: time.Hour, noEffect: true, deaf: true}), 40 * time.Second},
		{"writes are refused", writesOnly(leaseFate{err: apierrors.NewForbidden(leaseGroup, "mote", nil), noEffect: true}), 40 * time.Second},
		{"writes take effect too late", writesOnly(leaseFate{before: 45 * time.Second}), 40 * time.Second},
		// The answer is late, but counts from before it was sent: it extends nothing.
		{"an answer comes after the deadline", writesOnly(leaseFate{after: 30 * time.Second, deaf: true}), 40 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &memoryLease{}
				a := run(t, store, "a")
				time.Sleep(time.Minute + 1) // just after a renewal
				renewed := time.Minute
				a.link.set(c.weather)
				time.Sleep(45 * time.Second)
				if at, cause := a.end(); at != renewed+c.stopAt || !errors.Is(cause, ErrLeadershipLost) {
					t.Errorf("work was stopped %s after the renewal because of %v\n%s", at-renewed, cause, a.log)
				}
				a.link.set(nil)
				time.Sleep(2 * time.Hour) // even the call that hung has come back
				a.expect("when the weather is good again", true)
				if a.log.count("leadership was lost") == 0 {
					t.Errorf("the log says nothing of it:\n%s", a.log)
				}
				a.stop()
			})
		})
	}
}

// A renewal counts from when it was sent, for it may have taken effect then.
func TestLeaseRenewalCountsFromItsStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := run(t, &memoryLease{}, "a")
		a.link.set(writesOnly(leaseFate{after: 4 * time.Second}))
		time.Sleep(25 * time.Second) // one renewal, sent after 20 s and answered after 24
		a.link.set(always(leaseFate{err: errors.New("away"), noEffect: true}))
		time.Sleep(time.Minute)
		if at, _ := a.end(); at != (20+40)*time.Second {
			t.Errorf("work was stopped at %s", at)
		}
		a.stop()
	})
}

func TestLeaseSurvives(t *testing.T) {
	broken := apierrors.NewInternalError(errors.New("database is locked"))
	for _, c := range []struct {
		name    string
		weather func(bool) leaseFate
		during  time.Duration
	}{
		{"an API server that is away for 15 s", always(leaseFate{err: broken, noEffect: true}), 35 * time.Second},
		{"one call that hangs", func() func(bool) leaseFate {
			n := 0
			return func(bool) leaseFate {
				if n++; n == 1 {
					return leaseFate{before: time.Hour, noEffect: true}
				}
				return leaseFate{}
			}
		}(), time.Minute},
		{"a write that takes effect although its answer is lost", func() func(bool) leaseFate {
			n := 0
			return func(write bool) leaseFate {
				if n++; write && n == 1 {
					return leaseFate{err: broken}
				}
				return leaseFate{}
			}
		}(), time.Minute},
		{"writes that take 4 s", writesOnly(leaseFate{before: 2 * time.Second, after: 2 * time.Second}), 10 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &memoryLease{}
				a := run(t, store, "a")
				b := run(t, store, "b")
				time.Sleep(time.Minute + 1)
				a.link.set(c.weather)
				time.Sleep(c.during)
				a.link.set(nil)
				time.Sleep(time.Minute)
				a.expect("the leader", true)
				b.expect("the other", false)
				if a.led() != 1 {
					t.Errorf("it led %d times, want on and on\n%s", a.led(), a.log)
				}
				a.stop()
				b.stop()
			})
		})
	}
}

func TestLeaseMeddling(t *testing.T) {
	t.Run("deleted by somebody, it is made again and work goes on", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := &memoryLease{}
			a := run(t, store, "a")
			b := run(t, store, "b")
			time.Sleep(time.Minute + time.Second)
			store.remove()
			for range 200 {
				time.Sleep(time.Second)
				b.expect("the other", false)
			}
			a.expect("the leader", true)
			if a.led() != 1 || store.look().holder != "a" {
				t.Errorf("it led %d times; the lease is %+v", a.led(), store.look())
			}
			a.stop()
			b.stop()
		})
	})
	t.Run("deleted, and its holder dead: the other waits all the same", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := &memoryLease{}
			store.put("", lease{holder: "killed", duration: time.Minute})
			b := run(t, store, "b")
			time.Sleep(time.Second)
			store.remove()
			time.Sleep(9 * time.Second) // its next look
			time.Sleep(time.Minute - 1)
			b.expect("within the duration", false)
			time.Sleep(time.Nanosecond)
			b.expect("after it", true)
			b.stop()
		})
	})
	t.Run("taken by somebody, work stops at the next renewal", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := &memoryLease{}
			a := run(t, store, "a")
			time.Sleep(time.Minute + time.Second)
			l := store.look()
			l.holder = "thief"
			store.put(l.version, l)
			time.Sleep(19 * time.Second)
			a.expect("then", false)
			if _, cause := a.end(); !errors.Is(cause, ErrLeadershipLost) || a.log.count("holder=thief") == 0 {
				t.Errorf("it ended because of %v\n%s", cause, a.log)
			}
			time.Sleep(50 * time.Second)
			a.expect("while the thief may be at work", false)
			time.Sleep(20 * time.Second)
			a.expect("and after", true)
			a.stop()
		})
	})
	t.Run("emptied by somebody, it is taken again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := &memoryLease{}
			a := run(t, store, "a")
			l := store.look()
			l.holder = ""
			store.put(l.version, l)
			time.Sleep(time.Minute)
			a.expect("then", true)
			if a.led() != 2 {
				t.Errorf("it led %d times", a.led())
			}
			a.stop()
		})
	})
	t.Run("labelled by somebody, it goes on", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := &memoryLease{}
			a := run(t, store, "a")
			for range 20 {
				time.Sleep(15 * time.Second)
				l := store.look()
				store.put(l.version, l)
			}
			a.expect("then", true)
			if a.led() != 1 {
				t.Errorf("it led %d times", a.led())
			}
			a.stop()
		})
	})
}

func TestLeaseTroubleIsToldOnce(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"no namespace", apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "mote"), "namespace does not exist"},
		{"no RBAC", apierrors.NewForbidden(leaseGroup, "mote", nil), "RBAC"},
		{"no credentials", apierrors.NewUnauthorized("who are you"), "credentials"},
		{"no API server", errors.New("connection refused"), "could not reach the lease"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, term := &memoryLease{}, &Term{}
				a := run(t, store, "a", func(_ *Leadership, c2 *candidate) {
					c2.store.(*leaseLink).set(writesOnly(leaseFate{err: c.err, noEffect: true}))
					c2.told = term.Told
				})
				time.Sleep(10 * time.Minute)
				a.expect("in trouble", false)
				if !strings.Contains(told(term.Ready), c.want) {
					t.Errorf("it is ready: %q", told(term.Ready))
				}
				if n := a.log.count(c.want); n != 1 {
					t.Errorf("%q is in the log %d times:\n%s", c.want, n, a.log)
				}
				a.link.set(nil)
				time.Sleep(10 * time.Second)
				a.expect("when it is over", true)
				a.stop()
			})
		})
	}
}

func TestLeaseReleaseInBadWeather(t *testing.T) {
	t.Run("the answer of the last renewal was lost", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := &memoryLease{}
			a := run(t, store, "a")
			time.Sleep(19 * time.Second)
			a.link.set(writesOnly(leaseFate{err: errors.New("cut"), after: time.Millisecond}))
			time.Sleep(2 * time.Second)
			a.link.set(nil)
			a.stop()
			if l := store.look(); l.holder != "" {
				t.Errorf("the lease is %+v\n%s", l, a.log)
			}
		})
	})
	t.Run("the API server is away", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := &memoryLease{}
			a := run(t, store, "a")
			a.link.set(always(leaseFate{before: time.Hour, noEffect: true}))
			if d := a.stop(); d > 10*time.Second {
				t.Errorf("it took %s to give up", d)
			}
			if a.log.count("could not give the lease back") == 0 {
				t.Errorf("the log does not say so:\n%s", a.log)
			}
		})
	})
	t.Run("another took it meanwhile", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := &memoryLease{}
			a := run(t, store, "a")
			l := store.look()
			l.holder = "thief"
			store.put(l.version, l)
			a.stop()
			if l := store.look(); l.holder != "thief" {
				t.Errorf("the lease is %+v", l)
			}
		})
	})
}

func TestLeaseWorkThatEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryLease{}
		l := &Leadership{Namespace: "mote", Name: "mote", Identity: "a", Log: (&logLines{}).logger()}
		c, err := l.candidate(&leaseLink{to: store})
		if err != nil {
			t.Fatal(err)
		}
		c.run(t.Context(), func(context.Context) { time.Sleep(time.Hour) })
		if got := store.look(); got.holder != "" {
			t.Errorf("the lease is %+v", got)
		}
	})
}

func TestLeaseWorkThatDoesNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryLease{}
		a := run(t, store, "a")
		a.slowly(time.Hour)
		a.link.set(always(leaseFate{err: errors.New("away"), noEffect: true}))
		time.Sleep(time.Minute - 1)
		if a.log.count("work did not stop in time") != 0 {
			t.Error("it complains too early")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if a.log.count("work did not stop in time") != 1 {
			t.Errorf("nothing in the log:\n%s", a.log)
		}
		a.link.set(nil)
		time.Sleep(30 * time.Minute)
		if a.led() != 1 {
			t.Error("it leads again although its work has not stopped")
		}
		a.stop()
	})
}

func TestLeaseSettings(t *testing.T) {
	log := (&logLines{}).logger()
	for _, c := range []struct {
		name string
		l    Leadership
		want string // of the error; "" is none
	}{
		{"none", Leadership{Identity: "a"}, ""},
		{"a third and a sixth, as the flags have it", Leadership{Identity: "a", Duration: 15 * time.Second, Renew: 5 * time.Second, Retry: 2500 * time.Millisecond}, ""},
		{"no identity", Leadership{}, "no identity"},
		{"less than nothing", Leadership{Identity: "a", Duration: -time.Second}, "above 0"},
		{"a renewal that comes too late", Leadership{Identity: "a", Duration: time.Minute, Renew: 36 * time.Second}, "too late"},
		{"a call that takes too long", Leadership{Identity: "a", Duration: time.Minute, Retry: time.Minute}, "too late"},
	} {
		c.l.Namespace, c.l.Name, c.l.Log = "mote", "mote", log
		_, err := c.l.candidate(&leaseLink{to: &memoryLease{}})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q", c.name, err, c.want)
		}
	}
	l := Leadership{Identity: "a", Log: log}
	c, err := l.candidate(&leaseLink{to: &memoryLease{}})
	if err != nil || c.election.duration != time.Minute || c.renew != 20*time.Second || c.retry != 10*time.Second {
		t.Errorf("the defaults are %s, %s, %s, %v", c.election.duration, c.renew, c.retry, err)
	}
}

// Two candidates and their successors in any weather: calls that hang, fail, are
// late, take effect after they were given up, or whose answers are lost;
// processes that are killed, stopped and started; clocks that are wrong. Never
// two at work, and somebody leads when the weather is good again.
func TestLeaseNeverTwoAtWork(t *testing.T) {
	storms := uint64(400)
	if underRace {
		storms = 100
	}
	for seed := range storms {
		synctest.Test(t, func(t *testing.T) { stormy(t, seed) })
		if t.Failed() {
			t.Fatalf("the seed was %d", seed)
		}
	}
}

func stormy(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	var mu sync.Mutex // of r and what follows
	random := func(n time.Duration) time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return time.Duration(r.Int64N(int64(n)))
	}
	chance := func(percent int) bool { return random(100) < time.Duration(percent) }
	var working [2]bool
	terms := 0
	store := &memoryLease{}
	type process struct {
		cancel context.CancelFunc
		over   chan struct{}
		link   *leaseLink
		killed bool
	}
	start := func(i, generation int) *process {
		p := &process{link: &leaseLink{to: store}, over: make(chan struct{})}
		l := &Leadership{Namespace: "mote", Name: "mote", Identity: fmt.Sprintf("host-%d_%d", i, generation), Log: slog.New(slog.DiscardHandler)}
		c, err := l.candidate(p.link)
		if err != nil {
			t.Fatal(err)
		}
		off := random(20*time.Minute) - 10*time.Minute
		c.wall = func() time.Time { return time.Now().Add(off) }
		bad := int(random(70))
		p.link.set(func(bool) leaseFate {
			if !chance(bad) {
				return leaseFate{before: random(time.Second), after: random(time.Second)}
			}
			f := leaseFate{before: random(time.Millisecond), after: random(time.Millisecond), noEffect: chance(30)}
			switch random(4) {
			case 0:
				f.err = apierrors.NewInternalError(errors.New("database is locked"))
			case 1:
				f.before = random(2 * time.Minute)
			case 2:
				f.after = random(2 * time.Minute)
			case 3:
				f.before, f.after = random(20*time.Second), random(20*time.Second)
			}
			return f
		})
		var ctx context.Context
		ctx, p.cancel = context.WithCancel(t.Context())
		go func() {
			defer close(p.over)
			c.run(ctx, func(ctx context.Context) {
				mu.Lock()
				working[i] = !p.killed
				terms++
				if working[0] && working[1] {
					t.Errorf("two at work at %s, the lease is %+v", time.Since(c.start), store.look())
				}
				mu.Unlock()
				<-ctx.Done()
				time.Sleep(random(20 * time.Second)) // it comes to rest within a third of the duration
				mu.Lock()
				if !p.killed {
					working[i] = false
				}
				mu.Unlock()
			})
		}()
		return p
	}
	var processes [2]*process
	var old []*process
	for i := range processes {
		processes[i] = start(i, 0)
	}
	for generation := 1; generation <= 8; generation++ {
		time.Sleep(random(3 * time.Minute))
		i := int(random(2))
		p := processes[i]
		if chance(50) { // killed: what is under way stays under way, nothing more is done
			mu.Lock()
			p.killed, working[i] = true, false
			mu.Unlock()
			p.link.set(always(leaseFate{err: errors.New("dead"), noEffect: true}))
			p.cancel()
		} else {
			p.cancel()
			<-p.over
		}
		old = append(old, p)
		time.Sleep(random(time.Minute))
		processes[i] = start(i, generation)
	}
	for _, p := range processes {
		p.link.set(nil)
	}
	time.Sleep(10 * time.Minute)
	synctest.Wait()
	mu.Lock()
	if working[0] == working[1] {
		t.Errorf("when the weather is good again: working are %v", working)
	}
	mu.Unlock()
	for _, p := range append(old, processes[:]...) {
		p.cancel()
		<-p.over
		p.link.writing.Wait()
	}
	if terms == 0 {
		t.Error("nobody ever led")
	}
}
