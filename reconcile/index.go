package reconcile

import (
	"strings"
	"sync"
)

// Index is the records of one kind.
//
// Memory for each object: a known (64 bytes, the kind's memo included), its share of the table (10 to 20
// bytes), and the name's own bytes, rounded up by the allocator to 8, 16, 24, 32,
// 48, 64, ...; for a name of up to 32 bytes that is at most 117 all told. A
// namespace is held once. Nothing of an object itself is kept alive.
type Index struct {
	mu      sync.Mutex
	objects *table[known]
	spaces  spaces
	epoch   uint32
	census  census
}

// known is an object's record under its key.
type known struct {
	space  *space
	name   string
	record Record
	memo   Memo
	// children are those of its status, less those that a start has met; in the end 0.
	children Children
}

func (o *known) key() Key { return Key{Namespace: o.space.name, Name: o.name} }

// NewIndex makes an empty index.
func NewIndex() *Index {
	return &Index{objects: newTable((*known).key), spaces: spaces{}}
}

// See records a glimpse and tells whether the object needs a turn, and whether its
// spec alone is the reason.
func (x *Index) See(k Key, g Glimpse) (wake, respec bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	o := x.objects.get(k)
	if o == nil {
		wake = Triage(Record{}, false, g)
		o = &known{space: x.spaces.take(k.Namespace), name: strings.Clone(k.Name)}
		x.objects.put(o)
		x.census.add(o.record, 1)
	} else {
		wake, respec = Triage(o.record, true, g), respecified(o.record, g)
	}
	o.children = g.Children
	x.census.add(o.record, -1)
	o.record = Record{Interest: g.Interest, Steady: g.Steady, Deleting: g.Deleting, epoch: x.epoch, tally: tallyOf(x.census.place(g.Phase), o.record.tally.marks())}
	x.census.add(o.record, 1)
	return wake, respec
}

// Leave forgets an object that was deleted or left the selection.
func (x *Index) Leave(k Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if o := x.objects.get(k); o != nil {
		x.census.add(o.record, -1)
		x.objects.drop(k)
		x.spaces.release(o.space)
	}
}

// Begin starts a list: what it does not show by End has left. A list that is
// given up is simply begun anew.
func (x *Index) Begin() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.epoch++
}

// End closes a list and returns the keys that it did not show; they are forgotten.
func (x *Index) End() (left []Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.objects.dropFunc(func(o *known) bool {
		if o.record.epoch == x.epoch {
			return false
		}
		left = append(left, o.key())
		x.census.add(o.record, -1)
		x.spaces.release(o.space)
		return true
	})
	return left
}

// Has tells whether an object is in the selection.
func (x *Index) Has(k Key) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.objects.get(k) != nil
}

// own is the index's own copy of a key, while its object is in the selection.
func (x *Index) own(k Key) (Key, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if o := x.objects.get(k); o != nil {
		return o.key(), true
	}
	return Key{}, false
}

// meet takes a child off those of an object's status; the same again puts it back.
func (x *Index) meet(k Key, child Children) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if o := x.objects.get(k); o != nil {
		o.children ^= child
		o.record.met = true
	}
}

// unmet calls a function with every key whose status has no children, or others than
// were met; it must not come back to the index.
func (x *Index) unmet(f func(Key)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for o := range x.objects.all() {
		if !o.record.met || o.children != 0 {
			f(o.key())
		}
	}
}

// Len is how many objects there are.
func (x *Index) Len() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.objects.n
}
