package cloud

import (
	"context"
	"sync"
	"time"
)

// memo remembers answers for a while. Misses of the same key at the same time
// share one call; failures are shared with those who wait but never kept.
type memo[V any] struct {
	action string // what is remembered, for errors
	ttl    time.Duration
	max    int
	now    func() time.Time

	mu   sync.Mutex
	kept map[memoKey]*memoEntry[V]
}

type memoKey struct{ region, name string }

// memoEntry is a call under way or its answer. All but done is guarded by the
// memo's mutex until done is closed, and does not change afterwards.
type memoEntry[V any] struct {
	done      chan struct{} // closed when the call has ended
	ended     bool
	abandoned bool // the caller that made the call went away; the failure is its own
	value     V
	err       error
	until     time.Time
}

func newMemo[V any](action string, o CatalogOptions) *memo[V] {
	return &memo[V]{action: action, ttl: o.TTL, max: o.Max, now: o.Now, kept: map[memoKey]*memoEntry[V]{}}
}

// get answers from memory, or from a call under way, or by fetch.
func (m *memo[V]) get(ctx context.Context, key memoKey, fetch func(context.Context) (V, error)) (V, error) {
	for {
		e, mine := m.entry(key)
		if mine {
			return m.fill(ctx, key, e, fetch)
		}
		select {
		case <-e.done:
		case <-ctx.Done():
			var none V
			return none, &Error{Class: NotSent, Action: m.action, Region: key.region, Code: "mote.GaveUp",
				Message: "gave up waiting for the answer to the same question", Err: ctx.Err()}
		}
		if !e.abandoned {
			return e.value, e.err
		}
	}
}

// entry is the fresh entry of key; mine says that it is new and that the
// caller must fill it.
func (m *memo[V]) entry(key memoKey) (e *memoEntry[V], mine bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if e = m.kept[key]; e != nil && (!e.ended || now.Before(e.until)) {
		return e, false
	}
	delete(m.kept, key)
	m.makeRoom()
	e = &memoEntry[V]{done: make(chan struct{}), until: now.Add(m.ttl)}
	m.kept[key] = e
	return e, true
}

// fill makes the call. The entry leaves the memo again when the call fails or
// panics; one that was forgotten meanwhile has left it already.
func (m *memo[V]) fill(ctx context.Context, key memoKey, e *memoEntry[V], fetch func(context.Context) (V, error)) (V, error) {
	good, abandoned := false, true
	var value V
	var err error
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		e.value, e.err, e.ended, e.abandoned = value, err, true, abandoned
		if !good && m.kept[key] == e {
			delete(m.kept, key)
		}
		close(e.done)
	}()
	value, err = fetch(ctx)
	good = err == nil
	abandoned = !good && ctx.Err() != nil
	return value, err
}

// makeRoom keeps the memo within its size: what is, or will be, out of date
// soonest goes first. Calls under way stay; the workers bound their number.
func (m *memo[V]) makeRoom() {
	for len(m.kept) >= m.max {
		var oldest memoKey
		var found *memoEntry[V]
		for key, e := range m.kept {
			if e.ended && (found == nil || e.until.Before(found.until)) {
				oldest, found = key, e
			}
		}
		if found == nil {
			return
		}
		delete(m.kept, oldest)
	}
}

// forget drops all that is remembered of a region; an answer still under way
// reaches those who wait for it but is not kept.
func (m *memo[V]) forget(region string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key := range m.kept {
		if key.region == region {
			delete(m.kept, key)
		}
	}
}
