package cloud

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Steady is an instance that is as its object believes.
type Steady[K comparable] struct {
	ID   string
	Key  K
	Seen uint64 // the fingerprint last acted upon; Absent: it is known to be gone
}

// Roster is who remembers the steady instances, so that a Sweep need not. Its
// methods are called by many goroutines.
type Roster[K comparable] interface {
	// Regions are those that have steady instances.
	Regions() []string
	// Count is how many a region has.
	Count(region string) int
	// Page returns up to n instances of a region from a place on, 0 being the
	// beginning, and the place to go on from; 0 ends the round. What joins, leaves
	// or moves meanwhile may be passed over until the next round.
	Page(region string, from, n int) (page []Steady[K], next int)
	// Still tells whether an instance is what a page said of it.
	Still(region string, s Steady[K]) bool
}

// Sweep is the slow side of the cloud's watch: it looks at the steady instances
// of a Roster in pages of MaxPage by id, spread evenly over its period, and wakes
// the key of each that differs. N instances cost N/100 calls a round and no
// memory. A round takes longer than the period where a region has so many
// instances that more than a page a second would be read. Each region has a goroutine of its own, so that a slow one delays no
// other. What it saw of those that differ is held for Take, of at most maxHeld.
type Sweep[K comparable] struct {
	api    Lister
	roster Roster[K]
	period time.Duration
	limit  time.Duration // of one call
	log    *slog.Logger

	mu   sync.Mutex
	held map[string]held // by region/id
}

type held struct {
	Instance
	at time.Time
}

const (
	// maxHeld bounds the instances held whole, at about 1 kB each; who finds none reads live.
	maxHeld = 2048
	// heldFor is how long an observation is good for.
	heldFor = 2 * time.Minute
	// muster is how often the roster is asked for new regions.
	muster = 5 * time.Second
	// leastGap is the time between two pages at least: a page costs 2 to 3 ms of CPU,
	// so the sweep of a region never takes more than 0.3 % of a core.
	leastGap = time.Second
	// recount is how often the roster is counted within a round, at most.
	recount = time.Minute
)

// NewSweep makes a Sweep that does nothing before Run. Of the options it uses
// Sweep, CallTimeout and Log.
func NewSweep[K comparable](api Lister, roster Roster[K], o WatchOptions) *Sweep[K] {
	o = o.withDefaults()
	return &Sweep[K]{api: api, roster: roster, period: o.Sweep, limit: o.CallTimeout, log: o.Log, held: map[string]held{}}
}

// Run sweeps until ctx is done and all its goroutines have ended. wake must not block.
func (s *Sweep[K]) Run(ctx context.Context, wake func(K)) {
	var serving sync.WaitGroup
	defer serving.Wait()
	served := map[string]bool{}
	for {
		for _, region := range s.roster.Regions() {
			if !served[region] {
				served[region] = true
				serving.Go(func() { s.serve(ctx, region, wake) })
			}
		}
		if !pause(ctx, muster) {
			return
		}
	}
}

// serve is a region's goroutine.
func (s *Sweep[K]) serve(ctx context.Context, region string, wake func(K)) {
	place, failures, count := 0, 0, 0
	var counted time.Time
	for {
		if place == 0 || time.Since(counted) > recount {
			count, counted = s.roster.Count(region), time.Now()
		}
		if !pause(ctx, s.gap(count, failures)) {
			return
		}
		page, next := s.roster.Page(region, place, MaxPage)
		if len(page) == 0 {
			place = 0
			continue
		}
		err := s.look(ctx, region, page, wake)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			if failures >= badAfter {
				s.log.Info("the sweep of the cloud goes on", "region", region)
			}
			failures, place = 0, next
		default:
			if failures++; failures == badAfter {
				s.log.Warn("the sweep of the cloud waits: instances at rest are not looked at meanwhile", "region", region, "error", err.Error())
			}
		}
	}
}

// gap is the time between two pages of a round of n: so long that the round takes
// a period, and leastGap at least; after failures a second, doubled up to a minute.
func (s *Sweep[K]) gap(n, failures int) time.Duration {
	gap := s.period
	if n > MaxPage {
		gap = max(s.period*MaxPage/time.Duration(n), min(s.period, leastGap))
	}
	if failures > 0 {
		gap = max(gap, min(time.Second<<min(failures-1, 10), longestProbe))
	}
	return gap
}

// look asks for one page and wakes the keys of those that differ.
func (s *Sweep[K]) look(ctx context.Context, region string, page []Steady[K], wake func(K)) error {
	ids := make([]string, len(page))
	for i := range page {
		ids[i] = page[i].ID
	}
	call, cancel := context.WithTimeout(ctx, s.limit)
	got, err := s.api.List(call, region, ids)
	cancel()
	if c := ClassOf(err); (c == Refused || c == Gone) && len(page) > 1 {
		// One id that the cloud does not stand must not hide the others.
		half := len(page) / 2
		if err := s.look(ctx, region, page[:half], wake); err != nil {
			return err
		}
		return s.look(ctx, region, page[half:], wake)
	} else if err != nil && c != Refused && c != Gone {
		return err
	}
	found := make(map[string]*Instance, len(got))
	for i := range got {
		found[got[i].ID] = &got[i]
	}
	for _, was := range page {
		i := found[was.ID]
		same := i == nil && was.Seen == Absent || i != nil && i.Fingerprint() == was.Seen
		if same || !s.roster.Still(region, was) {
			continue
		}
		if i != nil {
			s.hold(region, *i)
		}
		wake(was.Key)
	}
	return nil
}

func (s *Sweep[K]) hold(region string, i Instance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if len(s.held) >= maxHeld {
		for k, h := range s.held {
			if now.Sub(h.at) > heldFor {
				delete(s.held, k)
			}
		}
	}
	if len(s.held) < maxHeld {
		s.held[region+"/"+i.ID] = held{i, now}
	}
}

// Take returns what the sweep saw of an instance that differed, once, and not
// when it was long ago.
func (s *Sweep[K]) Take(region, id string) (Instance, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.held[region+"/"+id]
	delete(s.held, region+"/"+id)
	return h.Instance, ok && time.Since(h.at) <= heldFor
}

// pause waits, and tells whether ctx is still alive.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
