package postgresdb

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// outcomes remembers what came of purchases until the status says it. An entry
// lives from just before an intent is written until its outcome is; normally that
// is within one turn.
//
// Between the call and its answer there is no entry: nobody knows.
type outcomes struct {
	mu sync.Mutex
	of map[reconcile.Key]remembered
}

// remembered is tied to one intent of one object: an intent that another process
// wrote is never taken for it.
type remembered struct {
	uid     types.UID
	started time.Time
	what    Outcome
}

func (m *outcomes) keep(k reconcile.Key, uid types.UID, intent *databasev1.CreateIntent, what Outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil {
		m.of = map[reconcile.Key]remembered{}
	}
	m.of[k] = remembered{uid, intent.StartedAt.Time, what}
}

func (m *outcomes) drop(k reconcile.Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.of, k)
}

// get is the outcome of the object's open intent, or nil: not known.
func (m *outcomes) get(k reconcile.Key, o *databasev1.PostgresDB) *Outcome {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.of[k]
	if intent := o.Status.Create; !ok || intent == nil || e.uid != o.UID || !e.started.Equal(intent.StartedAt.Time) {
		return nil
	}
	return &e.what
}
