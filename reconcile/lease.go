package reconcile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/dynamic"
)

// ErrLeadershipLost is the cause (context.Cause) with which the context of a
// leader's work ends when the lease was lost or could not be renewed in time.
var ErrLeadershipLost = errors.New("leadership was lost")

// Leadership lets one process at a time work, by a Lease in the cluster; see
// election for why there are never two.
//
// A process that is killed without a word leaves its lease behind, and its
// successor waits until that has stood unchanged for Duration; even where there
// is only one replica, for nobody can tell a dead holder from one that is cut
// off and at work. That wait is the price of never two at work. One that is
// asked to stop (SIGTERM) gives the lease back, and its successor starts at once.
//
// Whoever deletes the Lease by hand takes that protection away for as long as a
// Renew: a process that starts just then finds nobody who leads.
type Leadership struct {
	Client          dynamic.Interface
	Namespace, Name string
	// Identity names this process; no other may ever have the same, this one's
	// own successor included: a host's name and a random part.
	Identity string
	// Duration is how long the lease holds after its last renewal; 0: a minute.
	// Renew is the time from one renewal, the only writes, to the next; 0: a third
	// of Duration. Retry is the time between two looks at a lease that somebody
	// else holds, and twice the limit of one call; 0: a sixth of Duration.
	// Renew and half of Retry together must be less than two thirds of Duration.
	Duration, Renew, Retry time.Duration
	Log                    *slog.Logger
	// Told, unless it is nil, is called with "" when the Lease is held or somebody else
	// holds it, and with what is the matter when it cannot be read or written.
	Told func(trouble string)
}

// Run waits until this process may lead, and then calls lead with a context that
// ends, at the latest, at two thirds of Duration after the begin of the last
// renewal that succeeded; lead has to return within the last third. When it was
// lost, Run waits for lead to return and tries again.
//
// When ctx ends, or when lead returns by itself, Run renews the lease until lead
// has returned, gives it back and returns nil. The only error is that of settings
// that make no sense.
func (l *Leadership) Run(ctx context.Context, lead func(ctx context.Context)) error {
	c, err := l.candidate(clusterLease{leases: l.Client.Resource(leaseResource).Namespace(l.Namespace), name: l.Name})
	if err != nil {
		return err
	}
	c.run(ctx, lead)
	return nil
}

func (l *Leadership) candidate(store leaseStore) (*candidate, error) {
	duration := l.Duration
	if duration == 0 {
		duration = time.Minute
	}
	c := &candidate{
		store: store, election: election{identity: l.Identity, duration: duration},
		renew: l.Renew, retry: l.Retry, wall: time.Now, start: time.Now(),
		log: l.Log.With("lease", Key{l.Namespace, l.Name}.String()), told: l.Told,
	}
	if c.told == nil {
		c.told = func(string) {}
	}
	if c.renew == 0 {
		c.renew = duration / 3
	}
	if c.retry == 0 {
		c.retry = duration / 6
	}
	c.call = c.retry / 2
	switch {
	case l.Identity == "":
		return nil, fmt.Errorf("lease %s/%s: no identity", l.Namespace, l.Name)
	case c.renew <= 0 || c.call <= 0:
		return nil, fmt.Errorf("lease %s/%s: times must be above 0 (renew %s, retry %s)", l.Namespace, l.Name, c.renew, c.retry)
	case c.renew+c.call >= duration/3*2:
		return nil, fmt.Errorf("lease %s/%s: to renew it every %s within %s is too late for a duration of %s", l.Namespace, l.Name, c.renew, c.call, duration)
	}
	return c, nil
}

// candidate is the shell around an election: it reads, writes and waits.
type candidate struct {
	store       leaseStore
	election    election
	renew       time.Duration // from one renewal to the next
	retry       time.Duration // between two looks at somebody else's lease
	call        time.Duration // limit of one call
	wall        func() time.Time
	start       time.Time // zero of the election's clock
	log         *slog.Logger
	told        func(trouble string)
	said, other string // the last trouble, and the last holder, that the log was told of
}

func (c *candidate) now() time.Duration { return time.Since(c.start) }

func (c *candidate) run(ctx context.Context, lead func(context.Context)) {
	for ctx.Err() == nil {
		if c.campaign(ctx) && c.reign(ctx, lead) {
			return
		}
		pause := c.retry
		if e, now := c.election, c.now(); e.known && e.choose(now) == wait { // exactly when it may be taken, if that is sooner
			pause = min(pause, e.since+e.patient-now)
		}
		sleep(ctx, pause)
	}
}

// campaign looks at the lease once, takes it if it may, and tells whether we lead.
func (c *candidate) campaign(ctx context.Context) bool {
	if err := c.look(ctx); err != nil {
		c.trouble(ctx, err)
		return false
	}
	if c.election.choose(c.now()) != acquire {
		c.told("")
		if holder := c.election.lease.holder; c.other != holder || c.said != "" {
			c.other, c.said = holder, ""
			c.log.Info("waiting to lead", "holder", holder, "atMost", c.election.patient.String())
		}
		return false
	}
	before := c.election.lease.holder
	if err := c.put(ctx); err != nil {
		if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) { // else another was faster
			c.trouble(ctx, err)
		}
		return false
	}
	if c.election.choose(c.now()) != renew { // the answer took too long
		c.election = c.election.ended()
		return false
	}
	c.other, c.said = "", ""
	c.told("")
	c.log.Info("leading", "identity", c.election.identity, "before", before, "transitions", c.election.lease.transitions)
	return true
}

// reign works for as long as the lease is renewed. It tells whether the whole
// campaign is over, with the lease given back.
func (c *candidate) reign(ctx context.Context, lead func(context.Context)) bool {
	work, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// The deadline does not depend on any call coming back.
	deadline := time.AfterFunc(c.election.deadline()-c.now(), func() { stop(ErrLeadershipLost) })
	defer deadline.Stop()
	over := make(chan struct{})
	go func() {
		defer close(over)
		lead(work)
	}()
	calls := context.WithoutCancel(ctx) // while work comes to rest, the lease is still renewed
	next := time.NewTimer(c.election.renewed + c.renew - c.now())
	defer next.Stop()
	for {
		select {
		case <-over:
			c.election = c.election.ended()
			if errors.Is(context.Cause(work), ErrLeadershipLost) {
				c.log.Warn("leadership was lost, work has stopped", "renewed", (c.now()-c.election.renewed).Round(time.Second).String()+" ago")
				return false
			}
			c.release(calls)
			return true
		case <-next.C:
		}
		if wait := c.extend(calls, deadline); wait > 0 {
			next.Reset(wait)
			continue
		}
		stop(ErrLeadershipLost)
		c.log.Warn("leadership was lost, stopping work", "holder", c.election.lease.holder)
		select {
		case <-over:
		case <-time.After(c.election.renewed + c.election.duration - c.now()):
			c.log.Error("work did not stop in time: another process may be at work as well")
			<-over
		}
		c.election = c.election.ended()
		return ctx.Err() != nil
	}
}

// extend renews the lease and tells how long to wait before it is called again;
// 0 when the lease is lost.
func (c *candidate) extend(ctx context.Context, deadline *time.Timer) time.Duration {
	const races = 3 // writes of ours that took effect although their answers were lost
	for range races {
		if c.election.choose(c.now()) != renew {
			return 0
		}
		err := c.put(ctx)
		if err == nil {
			if !deadline.Stop() { // too late: work was told to stop
				return 0
			}
			deadline.Reset(c.election.deadline() - c.now())
			c.told("")
			if c.said != "" {
				c.said = ""
				c.log.Info("the lease is renewed again")
			}
			return max(c.election.renewed+c.renew-c.now(), 1)
		}
		if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || c.election.lease.version != "" && apierrors.IsNotFound(err) {
			if err = c.look(ctx); err == nil {
				continue
			}
		}
		c.trouble(ctx, err)
		break
	}
	// Its turn comes again soon, and no later than the deadline, which ends it.
	return max(min(c.retry/5, c.election.deadline()-c.now()), 1)
}

// release gives the lease back, so that a successor starts at once.
func (c *candidate) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*c.call)
	defer cancel()
	for ctx.Err() == nil {
		if c.election.lease.holder != c.election.identity {
			return
		}
		l, err := c.write(ctx, c.election.released(c.wall()))
		if err == nil {
			c.election.lease = l
			c.log.Info("the lease is given back")
			return
		}
		if err = c.look(ctx); err != nil {
			c.log.Warn("could not give the lease back: a successor waits until it has run out", "error", err.Error())
			sleep(ctx, c.retry/10)
		}
	}
}

// look reads the lease.
func (c *candidate) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.call)
	defer cancel()
	l, err := c.store.read(ctx)
	if err == nil {
		c.election = c.election.observed(l, c.now())
	}
	return err
}

// put writes the lease as ours.
func (c *candidate) put(ctx context.Context) error {
	began := c.now()
	l, err := c.write(ctx, c.election.bid(c.wall()))
	if err == nil {
		c.election = c.election.written(l, began)
	}
	return err
}

func (c *candidate) write(ctx context.Context, l lease) (lease, error) {
	ctx, cancel := context.WithTimeout(ctx, c.call)
	defer cancel()
	return c.store.write(ctx, c.election.lease.version, l)
}

// trouble tells the log of a failed call, once for each kind of trouble.
func (c *candidate) trouble(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	reason := "could not reach the lease, will try again"
	switch {
	case apierrors.IsNotFound(err):
		reason = "the lease's namespace does not exist, will try again (kubectl create namespace)"
	case apierrors.IsForbidden(err):
		reason = "not allowed to get, create and patch leases in this namespace: check the ServiceAccount's RBAC"
	case apierrors.IsUnauthorized(err):
		reason = "the API server does not accept the credentials"
	}
	c.told(reason)
	if reason != c.said {
		c.said = reason
		c.log.Warn(reason, "error", err.Error())
	}
}
