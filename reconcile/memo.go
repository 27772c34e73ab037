package reconcile

// Memo is what a kind keeps of an object: 16 bytes in the object's own record,
// whose meaning is the kind's. The zero Memo is none. It goes with the record
// when the object is deleted or leaves the selection.
type Memo [2]uint64

// Memo is an object's memo; the zero Memo when the object is not there.
func (x *Index) Memo(k Key) Memo {
	x.mu.Lock()
	defer x.mu.Unlock()
	if o := x.objects.get(k); o != nil {
		return o.memo
	}
	return Memo{}
}

// SetMemo sets an object's memo; it is dropped when the object is not there.
func (x *Index) SetMemo(k Key, m Memo) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if o := x.objects.get(k); o != nil {
		o.memo = m
	}
}

// Memos returns up to n keys with their memos, those that want accepts, from a
// place on, 0 being the beginning, and the place to go on from; 0 when there are
// no more. Objects that come, or that move because others do, may be passed over
// or come twice in one round. want must not come back to the index.
func (x *Index) Memos(from, n int, want func(Memo) bool) (keys []Key, memos []Memo, next int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := from; i < len(x.objects.slots); i++ {
		o := x.objects.slots[i]
		if o == nil || o.memo == (Memo{}) || !want(o.memo) {
			continue
		}
		if len(keys) == n {
			return keys, memos, i
		}
		keys, memos = append(keys, o.key()), append(memos, o.memo)
	}
	return keys, memos, 0
}

// EachMemo calls f with each memo; f must not come back to the index.
func (x *Index) EachMemo(f func(Memo)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for o := range x.objects.all() {
		if o.memo != (Memo{}) {
			f(o.memo)
		}
	}
}
