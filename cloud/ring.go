package cloud

import "time"

// tracked is all that is held of an instance that is as its object believes.
type tracked[K comparable] struct {
	id     string
	key    K
	seen   uint64 // the fingerprint last acted upon, or told by a wake since
	asked  bool   // in the page under way; cleared by Track, which knows better
	absent bool   // its absence has been told
}

// ring is a set of instances that are polled page by page, evenly, each about
// once a period. The slots before cursor have had their turn in this round.
type ring[K comparable] struct {
	period time.Duration
	page   int // ids a call, 1 to MaxPage; below MaxPage after a refusal

	slots  []tracked[K]
	cursor int
	called time.Time // when the last page was asked for, or the ring began to fill
	count  int       // ids in that page

	retell    time.Duration // how often an absence that nobody accepted is told again
	retelling bool          // it is, in this round
	retold    time.Time
}

// due is when the next page is due: the time since the last one in proportion
// to its size, so that a round takes a period whatever the sizes are.
func (r *ring[K]) due() time.Time {
	n := len(r.slots)
	return r.called.Add(r.period * time.Duration(min(r.count, n)) / time.Duration(n))
}

// take begins a page.
func (r *ring[K]) take(now time.Time) []string {
	if r.cursor >= len(r.slots) {
		r.cursor = 0
		if r.retelling = now.Sub(r.retold)+r.period/2 >= r.retell; r.retelling {
			r.retold = now
		}
	}
	slots := r.slots[r.cursor:min(r.cursor+r.page, len(r.slots))]
	ids := make([]string, len(slots))
	for i := range slots {
		slots[i].asked = true
		ids[i] = slots[i].id
	}
	r.cursor += len(slots)
	r.called, r.count = now, len(slots)
	return ids
}

// giveBack puts the last page, of n ids, in front again, due at once. When one
// of its ids was forgotten meanwhile, another may lose its turn in this round.
func (r *ring[K]) giveBack(n int) {
	r.cursor = max(0, r.cursor-n)
	r.count = 0
}

// add puts t at the end and says whether the ring's next turn moved forward.
func (r *ring[K]) add(t tracked[K], now time.Time) (sooner bool) {
	if len(r.slots) == 0 {
		r.cursor, r.called, r.count = 0, now, MaxPage
		r.retelling, r.retold = false, now
	}
	r.slots = append(r.slots, t)
	return len(r.slots)%MaxPage == 1
}

// remove takes slot i out. Up to two others move to close the gap, none of them
// across the cursor, so that no turn is lost; moved is told of each.
func (r *ring[K]) remove(i int, moved func(id string, to int)) tracked[K] {
	gone := r.slots[i]
	if i < r.cursor {
		r.cursor--
		if i != r.cursor {
			r.slots[i] = r.slots[r.cursor]
			moved(r.slots[i].id, i)
		}
		i = r.cursor
	}
	last := len(r.slots) - 1
	if i != last {
		r.slots[i] = r.slots[last]
		moved(r.slots[i].id, i)
	}
	r.slots[last] = tracked[K]{}
	r.slots = r.slots[:last]
	return gone
}
