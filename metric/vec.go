package metric

import "sync"

// Vec is instruments by a key, made as keys appear. How many there can be is
// bounded, because keys may come from what users write: those that come when it
// is full share one instrument under a key of their own. It is safe for use by
// many goroutines.
type Vec[K comparable, M any] struct {
	most  int
	other K

	mu   sync.RWMutex
	made map[K]*M
}

// NewVec makes a Vec of at most so many instruments, beside the one of all other keys.
func NewVec[K comparable, M any](most int, other K) *Vec[K, M] {
	return &Vec[K, M]{most: most, other: other, made: map[K]*M{}}
}

// With is the instrument of a key.
func (v *Vec[K, M]) With(k K) *M {
	v.mu.RLock()
	m := v.made[k]
	v.mu.RUnlock()
	if m != nil {
		return m
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if m := v.made[k]; m != nil {
		return m
	}
	if len(v.made) >= v.most {
		k = v.other
		if m := v.made[k]; m != nil {
			return m
		}
	}
	m = new(M)
	v.made[k] = m
	return m
}

// Each calls f with every instrument there is, in no order; f must not come back
// to the Vec.
func (v *Vec[K, M]) Each(f func(K, *M)) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for k, m := range v.made {
		f(k, m)
	}
}
