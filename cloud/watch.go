package cloud

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Absent is the fingerprint of an instance that is not there: what a
// reconciler passes to Track when it has acted upon the absence.
const Absent uint64 = 1

// Lister is the one call that a Watch makes; see Postgres.List.
type Lister interface {
	List(ctx context.Context, region string, ids []string) ([]Instance, error)
}

// WatchOptions are the paces of a Watch, a Sweep and a Gate; zero values stand for
// the defaults.
type WatchOptions struct {
	// Interval is how often an instance in transition is looked at; default 10 s. A
	// failing region is probed after one interval, then after two, four and so
	// on up to a minute.
	Interval time.Duration
	// Sweep is how often any other instance is looked at; default 5 min.
	Sweep time.Duration
	// CallTimeout bounds one call; default 30 s.
	CallTimeout time.Duration
	// Log is told when a region stops and starts answering; default: nowhere.
	Log *slog.Logger
}

// Watch is the quick side of the cloud's watch: it polls the instances in transition
// that it tracks, in pages of MaxPage by id every Interval, and turns differences
// into keys. Each region has one goroutine while it has instances, so that a slow
// one delays no other. (Those at rest are swept; see Sweep.)
//
// A whole Instance is held of each, but of at most maxSnapshots in a region; a caller
// that finds none reads live. It is safe for use by many goroutines.
type Watch[K comparable] struct {
	api Lister
	o   WatchOptions

	mu      sync.Mutex
	regions map[string]*watchRegion[K] // those with instances, and goroutines that are about to end
	ctx     context.Context            // Run's; nil when it does not run
	wake    func(K)                    // Run's
	serving sync.WaitGroup             // the goroutines of regions
}

// NewWatch makes a Watch that does nothing before Run.
func NewWatch[K comparable](api Lister, o WatchOptions) *Watch[K] {
	return &Watch[K]{api: api, o: o.withDefaults(), regions: map[string]*watchRegion[K]{}}
}

func (o WatchOptions) withDefaults() WatchOptions {
	if o.Interval <= 0 {
		o.Interval = 10 * time.Second
	}
	if o.Sweep <= 0 {
		o.Sweep = 5 * time.Minute
	}
	if o.CallTimeout <= 0 {
		o.CallTimeout = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Run polls until ctx is done and all its goroutines have ended, and returns
// nil then; an error says that it runs already. It calls wake with the key of
// an instance once for each change that it sees, from several goroutines; wake
// must not block.
func (w *Watch[K]) Run(ctx context.Context, wake func(K)) error {
	w.mu.Lock()
	if w.ctx != nil {
		w.mu.Unlock()
		return errors.New("the watch of the cloud runs already")
	}
	w.ctx, w.wake = ctx, wake
	for _, r := range w.regions {
		w.start(r)
	}
	w.mu.Unlock()

	<-ctx.Done()
	w.serving.Wait()
	w.mu.Lock()
	w.ctx, w.wake = nil, nil
	w.mu.Unlock()
	return nil
}

// start begins a region's goroutine; the caller holds the mutex. None begins
// once Run waits for them to end.
func (w *Watch[K]) start(r *watchRegion[K]) {
	if w.ctx == nil || w.ctx.Err() != nil {
		return
	}
	ctx := w.ctx
	w.serving.Go(func() { w.serve(ctx, r) })
}

// Track watches an instance on behalf of key, or updates how it is watched. An
// instance has one key: the latest. A new one is first looked at after an Interval:
// the caller has just seen it.
//
// seen is the fingerprint that the reconciler last acted upon; the next
// observation that differs wakes the key. 0 is "not known": any observation
// wakes. Absent is "acted upon its absence": being found wakes. After a
// request to change the instance pass 0, because what was observed before it
// no longer counts: an observation asked for before this call is not used, and
// any snapshot is dropped, except one with the same fingerprint.
func (w *Watch[K]) Track(region, id string, key K, seen uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.regions[region]
	if r == nil {
		r = newWatchRegion[K](region, w.o)
		w.regions[region] = r
		w.start(r)
	}
	if r.track(tracked[K]{id: id, key: key, seen: seen}, time.Now()) {
		r.stir()
	}
}

// Forget stops watching an instance; one that is not watched is no error.
func (w *Watch[K]) Forget(region, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.regions[region]
	if r == nil {
		return
	}
	r.forget(id)
	if len(r.index) > 0 {
		return
	}
	if w.ctx == nil {
		delete(w.regions, region)
	}
	r.stir()
}

// Latest is what the last poll saw of an instance, as of the time at, when the
// poll was asked for. found false: the list did not have it. ok false: nothing
// is held (nothing was observed yet, or it was acted upon, or forgotten); then
// read it live.
func (w *Watch[K]) Latest(region, id string) (inst Instance, found bool, at time.Time, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.regions[region]; r != nil {
		s, held := r.snapshots[id]
		return s.instance, s.found, s.at, held
	}
	return Instance{}, false, time.Time{}, false
}
