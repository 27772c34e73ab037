package reconcile

import (
	"maps"
	"slices"
	"sync"
)

// Index is the records of one kind.
//
// Memory for each object: the key (two string headers, 32 bytes; namespaces are
// interned), the record (16 bytes), the name's own bytes, and the map's share.
type Index struct {
	mu      sync.Mutex
	records map[Key]Record
	spaces  map[string]string // interned namespaces
	epoch   uint32
}

// NewIndex makes an empty index.
func NewIndex() *Index {
	return &Index{records: map[Key]Record{}, spaces: map[string]string{}}
}

// See records a glimpse and tells whether the object needs a turn.
func (x *Index) See(k Key, g Glimpse) (wake bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	r, known := x.records[k]
	wake = Triage(r, known, g)
	r.Interest, r.Steady, r.Deleting, r.epoch = g.Interest, g.Steady, g.Deleting, x.epoch
	if !known {
		k = Key{Namespace: x.intern(k.Namespace), Name: k.Name}
	}
	x.records[k] = r
	return wake
}

// Leave forgets an object that was deleted or left the selection.
func (x *Index) Leave(k Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.records, k)
}

// Begin starts a list: what it does not show by End has left.
func (x *Index) Begin() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.epoch++
}

// End closes a list and returns the keys that it did not show; they are forgotten.
func (x *Index) End() (left []Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	maps.DeleteFunc(x.records, func(k Key, r Record) bool {
		if r.epoch == x.epoch {
			return false
		}
		left = append(left, k)
		return true
	})
	return left
}

// Has tells whether an object is in the selection.
func (x *Index) Has(k Key) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, ok := x.records[k]
	return ok
}

// Keys returns all keys, in no order.
func (x *Index) Keys() []Key {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Collect(maps.Keys(x.records))
}

// Len is how many objects there are.
func (x *Index) Len() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.records)
}

func (x *Index) intern(s string) string {
	if i, ok := x.spaces[s]; ok {
		return i
	}
	x.spaces[s] = s
	return s
}
