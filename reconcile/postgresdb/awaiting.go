package postgresdb

import (
	"sync"

	"example.com/mote/reconcile"
)

// awaiting are the objects that wait for the end of an outage, by region. They have
// no turns meanwhile but one now and then.
type awaiting struct {
	mu sync.Mutex
	of map[string]map[reconcile.Key]struct{}
}

func (a *awaiting) add(region string, k reconcile.Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil {
		a.of = map[string]map[reconcile.Key]struct{}{}
	}
	if a.of[region] == nil {
		a.of[region] = map[reconcile.Key]struct{}{}
	}
	a.of[region][k] = struct{}{}
}

// drop forgets an object.
func (a *awaiting) drop(k reconcile.Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, keys := range a.of {
		delete(keys, k)
	}
}

// wake wakes and forgets all that wait for a region.
func (a *awaiting) wake(region string, wake func(reconcile.Key)) {
	a.mu.Lock()
	keys := a.of[region]
	delete(a.of, region)
	a.mu.Unlock()
	for k := range keys {
		wake(k)
	}
}
