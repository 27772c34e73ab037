package postgresdb

import (
	"strings"
	"sync"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/reconcile"
)

// paces follows instances at two paces: those in transition by the cloud's watch,
// which holds what it saw of them; those at rest by its sweep, with no more memory
// than the 16 bytes of the object's memo.
//
// A memo is the eight characters of an id behind "postgres-", and 48 bits of
// fingerprint, 12 of region and 4 of flags. It is the sweep's cloud.Roster.
type paces struct {
	watch *Watch
	sweep *cloud.Sweep[reconcile.Key]
	index *reconcile.Index

	mu      sync.Mutex
	regions []string                 // a memo has a region's place in here
	odd     map[reconcile.Key]string // ids of another form, of objects at rest
}

const (
	idPrefix = "postgres-"
	idLength = len(idPrefix) + 8

	memoUsed    = 1 << 0 // so that no memo in use is zero
	memoOdd     = 1 << 1 // the id is in odd
	memoFlags   = 4
	memoRegion  = 12
	regionLimit = 1<<memoRegion - 1
)

// newPaces makes both; Run starts them.
func newPaces(api cloud.Lister, index *reconcile.Index, o cloud.WatchOptions) *paces {
	p := &paces{watch: cloud.NewWatch[reconcile.Key](api, o), index: index, odd: map[reconcile.Key]string{}}
	p.sweep = cloud.NewSweep[reconcile.Key](api, p, o)
	return p
}

// Track follows an instance at one pace or the other.
func (p *paces) Track(region, id string, k reconcile.Key, seen uint64, urgent bool) {
	if urgent {
		p.Left(k)
		p.index.SetMemo(k, reconcile.Memo{})
		p.watch.Track(region, id, k, seen)
		return
	}
	p.watch.Forget(region, id)
	p.index.SetMemo(k, p.memo(region, id, k, seen))
}

// Forget ends what the watch does; a memo goes with its record.
func (p *paces) Forget(region, id string) { p.watch.Forget(region, id) }

// Left forgets what is kept of an object beside its memo.
func (p *paces) Left(k reconcile.Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.odd, k)
}

// AtRest tells whether the sweep follows an instance for an object.
func (p *paces) AtRest(k reconcile.Key) bool { return p.index.Memo(k) != (reconcile.Memo{}) }

// Latest is what either saw of an instance, if that was lately.
func (p *paces) Latest(region, id string) (cloud.Instance, bool, time.Time, bool) {
	if i, found, at, ok := p.watch.Latest(region, id); ok {
		return i, found, at, ok
	}
	i, ok := p.sweep.Take(region, id)
	return i, ok, time.Now(), ok
}

// memo packs.
func (p *paces) memo(region, id string, k reconcile.Key, seen uint64) reconcile.Memo {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := reconcile.Memo{0, seen<<(memoFlags+memoRegion) | p.number(region)<<memoFlags | memoUsed}
	if len(id) != idLength || !strings.HasPrefix(id, idPrefix) {
		p.odd[reconcile.Key{Namespace: strings.Clone(k.Namespace), Name: strings.Clone(k.Name)}] = strings.Clone(id)
		m[1] |= memoOdd
		return m
	}
	delete(p.odd, k)
	for i := len(idPrefix); i < idLength; i++ {
		m[0] = m[0]<<8 | uint64(id[i])
	}
	return m
}

// number is a region's place, a new one if it has none yet.
func (p *paces) number(region string) uint64 {
	for i, r := range p.regions {
		if r == region {
			return uint64(i)
		}
	}
	if len(p.regions) == regionLimit { // more than any cloud has: the last ones share a place and are read live
		return regionLimit
	}
	p.regions = append(p.regions, strings.Clone(region))
	return uint64(len(p.regions) - 1)
}

// steady unpacks.
func (p *paces) steady(k reconcile.Key, m reconcile.Memo) cloud.Steady[reconcile.Key] {
	s := cloud.Steady[reconcile.Key]{Key: k, Seen: m[1] >> (memoFlags + memoRegion)}
	if m[1]&memoOdd != 0 {
		p.mu.Lock()
		defer p.mu.Unlock()
		s.ID = p.odd[k]
		return s
	}
	id := []byte(idPrefix + "........")
	for i, c := idLength-1, m[0]; i >= len(idPrefix); i, c = i-1, c>>8 {
		id[i] = byte(c)
	}
	s.ID = string(id)
	return s
}

func memoRegionOf(m reconcile.Memo) uint64 { return m[1] >> memoFlags & regionLimit }

// Regions is part of cloud.Roster.
func (p *paces) Regions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.regions...)
}

// Count is part of cloud.Roster.
func (p *paces) Count(region string) (n int) {
	of := p.of(region)
	p.index.EachMemo(func(m reconcile.Memo) {
		if of(m) {
			n++
		}
	})
	return n
}

// Page is part of cloud.Roster.
func (p *paces) Page(region string, from, n int) (page []cloud.Steady[reconcile.Key], next int) {
	keys, memos, next := p.index.Memos(from, n, p.of(region))
	for i, k := range keys {
		page = append(page, p.steady(k, memos[i]))
	}
	return page, next
}

// Still is part of cloud.Roster.
func (p *paces) Still(region string, s cloud.Steady[reconcile.Key]) bool {
	m := p.index.Memo(s.Key)
	return m != (reconcile.Memo{}) && p.of(region)(m) && p.steady(s.Key, m) == s
}

func (p *paces) of(region string) func(reconcile.Memo) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	number := p.number(region)
	return func(m reconcile.Memo) bool { return memoRegionOf(m) == number }
}
