package cloud

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// sky is a cloud with instances in regions, whose List can be made slow or fail.
type sky struct {
	mu        sync.Mutex
	start     time.Time
	instances map[string]Instance // by region/id
	takes     map[string]time.Duration
	fails     func(region string, ids []string) error
	calls     []listCall
}

type listCall struct {
	region string
	ids    []string
	after  time.Duration // since the start
}

func newSky() *sky {
	return &sky{start: time.Now(), instances: map[string]Instance{}, takes: map[string]time.Duration{}}
}

func (s *sky) List(ctx context.Context, region string, ids []string) ([]Instance, error) {
	s.mu.Lock()
	s.calls = append(s.calls, listCall{region, slices.Clone(ids), time.Since(s.start)})
	var got []Instance
	for _, id := range ids {
		if i, ok := s.instances[region+"/"+id]; ok {
			got = append(got, i)
		}
	}
	takes, fails := s.takes[region], s.fails
	s.mu.Unlock()
	if takes > 0 {
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			return nil, &Error{Class: Ambiguous, Action: "List", Region: region, Err: ctx.Err()}
		}
	}
	if fails != nil {
		if err := fails(region, ids); err != nil {
			return nil, err
		}
	}
	return got, nil
}

// slow makes lists of a region take a while.
func (s *sky) slow(region string, takes time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takes[region] = takes
}

// fail makes lists fail from now on; nil: not any more.
func (s *sky) fail(how func(region string, ids []string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = how
}

// put sets an instance's storage, which changes its fingerprint, and returns that.
func (s *sky) put(region, id string, storage int) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := Instance{ID: id, Region: region, State: StateRunning, StorageGB: storage}
	s.instances[region+"/"+id] = i
	return i.Fingerprint()
}

func (s *sky) remove(region, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.instances, region+"/"+id)
}

// during returns the calls to a region from one time after the start to another.
func (s *sky) during(region string, from, to time.Duration) (calls []listCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c.region == region && c.after >= from && c.after < to {
			calls = append(calls, c)
		}
	}
	return calls
}

// bench is a Watch that runs over a sky, in a bubble of virtual time.
type bench struct {
	*Watch[string]
	*testing.T
	sky *sky
	log *bytes.Buffer

	mu    sync.Mutex
	wakes []string
}

// watching runs f with a Watch, and sees that all its goroutines end: synctest
// does not let a bubble end before them.
func watching(t *testing.T, o WatchOptions, f func(*bench)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{T: t, sky: newSky(), log: &bytes.Buffer{}}
		o.Log = slog.New(slog.NewTextHandler(b.log, nil))
		b.Watch = NewWatch[string](b.sky, o)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			ended <- b.Watch.Run(ctx, func(key string) {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.wakes = append(b.wakes, key)
			})
		}()
		synctest.Wait()
		f(b)
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

// unreachable tells whether a region's polls fail: since when, and how lately.
func (b *bench) unreachable(region string) (since time.Time, err error, bad bool) {
	b.Watch.mu.Lock()
	defer b.Watch.mu.Unlock()
	r := b.regions[region]
	return r.failing, r.err, r.bad()
}

// after lets d pass and returns the keys that were woken meanwhile, in order.
func (b *bench) after(d time.Duration) string {
	time.Sleep(d)
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	slices.Sort(b.wakes)
	woken := fmt.Sprint(b.wakes)
	b.wakes = nil
	return woken
}

// expect fails the test unless exactly the keys in want (as Sprint prints them)
// are woken while d passes.
func (b *bench) expect(d time.Duration, want string) {
	b.Helper()
	if got := b.after(d); got != want {
		b.Errorf("woken within %s: %s, want %s", d, got, want)
	}
}

// held says what Latest holds.
func (b *bench) held(id string) string {
	i, found, at, ok := b.Latest("r", id)
	switch {
	case !ok:
		return "nothing"
	case !found:
		return "absent"
	default:
		return fmt.Sprintf("%dGB, %s old", i.StorageGB, time.Since(at))
	}
}

func (b *bench) holds(id, want string) {
	b.Helper()
	if got := b.held(id); got != want {
		b.Errorf("of %s is held: %s; want: %s", id, got, want)
	}
}
