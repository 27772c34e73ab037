package postgresdb

import (
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// follows knows which instance in transition the cloud's watch follows for an
// object: one at most, so that none is left followed when the object goes. Of
// those at rest it keeps nothing.
type follows struct {
	watch watch

	mu sync.Mutex
	at map[reconcile.Key]place
}

type place struct{ region, id string }

// track follows an instance on behalf of an object, in place of any other.
func (f *follows) track(k reconcile.Key, region, id string, seen uint64, urgent bool) {
	p := place{region, id}
	f.mu.Lock()
	old, ok := f.at[k]
	if f.at == nil {
		f.at = map[reconcile.Key]place{}
	}
	if urgent {
		f.at[k] = p
	} else {
		delete(f.at, k)
	}
	f.mu.Unlock()
	if ok && old != p {
		f.watch.Forget(old.region, old.id)
	}
	f.watch.Track(region, id, k, seen, urgent)
}

// drop ends it.
func (f *follows) drop(k reconcile.Key) {
	f.mu.Lock()
	p, ok := f.at[k]
	delete(f.at, k)
	f.mu.Unlock()
	if ok {
		f.watch.Forget(p.region, p.id)
	}
	f.watch.Left(k)
}

// after tells the watch what a turn that came to rest has acted upon.
func (f *follows) after(k reconcile.Key, v View) {
	id := v.Object.Status.InstanceID
	if v.Instance == nil || id == "" {
		return
	}
	if v.Instance.Gone {
		f.track(k, v.Region(), id, cloud.Absent, false)
		return
	}
	i := v.Instance.Instance
	f.track(k, v.Region(), id, i.Fingerprint(), inTransition(i))
}

// inTransition: more will happen by itself, soon.
func inTransition(i cloud.Instance) bool {
	switch i.State {
	case cloud.StateRunning, cloud.StateLimited:
		return i.Endpoint() == ""
	case cloud.StateIsolated: // it has no address, and waits for a person for days
		return false
	}
	return true
}

// seen follows the instance of an object that needs no turn, from what its status
// says; so a restart reads no instance one by one. The status does not say all of
// what a turn has seen, so what a turn has told stays.
func (f *follows) seen(k reconcile.Key, u *unstructured.Unstructured) {
	st, _, _ := unstructured.NestedMap(u.Object, "status")
	str := func(k string) string { s, _ := st[k].(string); return s }
	if str("phase") != databasev1.PhaseRunning || str("instanceID") == "" || u.GetDeletionTimestamp() != nil {
		return
	}
	f.mu.Lock()
	_, known := f.at[k]
	f.mu.Unlock()
	if known || f.watch.AtRest(k) {
		return
	}
	seen, err := strconv.ParseUint(str("instanceFingerprint"), 16, 64)
	if err != nil {
		seen = 0 // not known: the first look wakes the object
	}
	f.watch.Track(str("region"), str("instanceID"), k, seen, false)
}
