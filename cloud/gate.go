package cloud

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Gate is a Postgres that makes no calls to a region that does not answer: a circuit
// breaker for each region. When calls in a row fail for their network it probes the
// region by itself; when that is not answered either, all calls fail at once with
// class NotSent and an Outage, until a probe is answered. So an outage costs a call a
// minute, however many objects wait for its end. What the cloud itself answers
// (throttled, denied, busy, refused) is an answer.
//
// It is safe for use by many goroutines. Without Run it never shuts.
type Gate struct {
	Postgres
	interval, limit time.Duration
	log             *slog.Logger

	mu       sync.Mutex
	regions  map[string]*regionGate
	ctx      context.Context // Run's; nil when it does not run
	opened   func(region string)
	watching sync.WaitGroup
}

// NewGate wraps api. Of the options it uses Interval, the time between the first
// two probes, which doubles up to a minute, CallTimeout and Log.
func NewGate(api Postgres, o WatchOptions) *Gate {
	o = o.withDefaults()
	return &Gate{Postgres: api, interval: o.Interval, limit: o.CallTimeout, log: o.Log, regions: map[string]*regionGate{}}
}

// Run probes regions until ctx ends and all its goroutines have ended. It calls
// opened, which must not block, for each region whose outage is over.
func (g *Gate) Run(ctx context.Context, opened func(region string)) {
	g.mu.Lock()
	g.ctx, g.opened = ctx, opened
	g.mu.Unlock()
	<-ctx.Done()
	g.mu.Lock()
	g.ctx = nil // none begins any more
	g.mu.Unlock()
	g.watching.Wait()
	g.mu.Lock()
	g.regions = map[string]*regionGate{}
	g.mu.Unlock()
}

// Outage tells of a region's outage; nil: calls are made.
func (g *Gate) Outage(region string) *Outage {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r := g.regions[region]; r != nil {
		return r.outage
	}
	return nil
}

// CreateWait is that of the wrapped cloud, zero when it is no Pacer.
func (g *Gate) CreateWait(region string) time.Duration {
	if p, ok := g.Postgres.(Pacer); ok {
		return p.CreateWait(region)
	}
	return 0
}

// note takes down how a call ended.
func (g *Gate) note(region string, began time.Time, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.regions[region]
	switch {
	case answered(err):
		if r != nil && r.outage == nil && !r.watched {
			delete(g.regions, region)
		}
		return
	case network(err) == nil || g.ctx == nil:
		return // it says nothing of the region, or nobody would probe it
	case r == nil:
		r = &regionGate{since: began}
		g.regions[region] = r
	}
	if r.failures++; r.failures >= suspectAfter && !r.watched {
		r.watched = true
		ctx := g.ctx
		g.watching.Go(func() { g.watch(ctx, region, r) })
	}
}

// through makes a call, unless the region is in an outage.
func through[T any](g *Gate, region, action string, call func() (T, error)) (T, error) {
	if o := g.Outage(region); o != nil {
		var none T
		return none, o.refusal(action, region)
	}
	began := time.Now()
	v, err := call()
	g.note(region, began, err)
	return v, err
}

// do is through for calls of which nothing but the error is wanted.
func (g *Gate) do(region, action string, call func() error) error {
	_, err := through(g, region, action, func() (struct{}, error) { return struct{}{}, call() })
	return err
}

// remembered is through for what may be answered from memory (see Catalog): that it
// was answered says nothing of the region.
func remembered[T any](g *Gate, region, action string, call func() (T, error)) (T, error) {
	if o := g.Outage(region); o != nil {
		var none T
		return none, o.refusal(action, region)
	}
	began := time.Now()
	v, err := call()
	if err != nil {
		g.note(region, began, err)
	}
	return v, err
}
