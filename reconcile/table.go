package reconcile

import (
	"hash/maphash"
	"iter"
)

// table finds entries by the keys that they hold themselves. A Go map would hold
// each key a second time and, at worst, twice the room of that: 105 bytes for
// each object; this is 10 to 20. And it gives room back, where a Go map keeps the
// room of the most that it ever held.
//
// It is open addressing with linear probing: an entry stands in the first free
// slot from its home, the slot that its hash names, and a removal closes the gap
// behind it; so a search ends at the first free slot. It is between 13/32 and 13/16
// full, once it has grown beyond tableMin. It is not safe for concurrent use.
type table[E any] struct {
	slots []*E // a power of two of them
	n     int
	key   func(*E) Key
	seed  maphash.Seed
}

const tableMin = 64

func newTable[E any](key func(*E) Key) *table[E] {
	return &table[E]{slots: make([]*E, tableMin), key: key, seed: maphash.MakeSeed()}
}

func (t *table[E]) mask() int { return len(t.slots) - 1 }

func (t *table[E]) home(k Key) int { return int(maphash.Comparable(t.seed, k)) & t.mask() }

// find is the slot of a key, or the free slot where it would be put.
func (t *table[E]) find(k Key) int {
	i := t.home(k)
	for t.slots[i] != nil && t.key(t.slots[i]) != k {
		i = (i + 1) & t.mask()
	}
	return i
}

// get is the entry of a key, or nil.
func (t *table[E]) get(k Key) *E { return t.slots[t.find(k)] }

// put adds an entry whose key is not there.
func (t *table[E]) put(e *E) {
	if t.n >= len(t.slots)/16*13 {
		t.resize(2 * len(t.slots))
	}
	t.slots[t.find(t.key(e))] = e
	t.n++
}

// drop removes the entry of a key, if it is there.
func (t *table[E]) drop(k Key) {
	gap := t.find(k)
	if t.slots[gap] == nil {
		return
	}
	t.n--
	for i := (gap + 1) & t.mask(); t.slots[i] != nil; i = (i + 1) & t.mask() {
		// Only an entry whose home is not behind the gap may move into it.
		if h := t.home(t.key(t.slots[i])); (i-h)&t.mask() >= (i-gap)&t.mask() {
			t.slots[gap], gap = t.slots[i], i
		}
	}
	t.slots[gap] = nil
	t.shrink()
}

// dropFunc removes the entries for which the function says so, each asked once.
func (t *table[E]) dropFunc(drop func(*E) bool) {
	n := t.n
	for i, e := range t.slots {
		if e != nil && drop(e) {
			t.slots[i] = nil
			t.n--
		}
	}
	if t.n < n { // the gaps are open, so every search might end too soon
		t.resize(len(t.slots))
		t.shrink()
	}
}

// all goes over the entries, in no order. The table must not change meanwhile.
func (t *table[E]) all() iter.Seq[*E] {
	return func(yield func(*E) bool) {
		for _, e := range t.slots {
			if e != nil && !yield(e) {
				return
			}
		}
	}
}

// shrink gives room back when less than 3/16 of it is in use. Growing and
// shrinking are far enough apart for an add or removal to cost O(1) over time.
func (t *table[E]) shrink() {
	size := len(t.slots)
	for size > tableMin && t.n < size/16*3 {
		size /= 2
	}
	if size != len(t.slots) {
		t.resize(size)
	}
}

func (t *table[E]) resize(size int) {
	old := t.slots
	t.slots = make([]*E, size)
	for _, e := range old {
		if e != nil {
			t.slots[t.find(t.key(e))] = e
		}
	}
}
