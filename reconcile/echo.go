package reconcile

import (
	"math"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// echoes keep the events of what a turn itself writes to children from waking its
// key again. An event may come before the answer to the write that it tells of; so
// while a turn is in work, its key's wakes are held, and at its end only those count
// that tell of something newer than what it wrote. What a turn wrote, it wrote to
// the version that it had seen, so nothing older is news.
//
// Memory: an entry for each turn in work.
type echoes struct {
	mu    sync.Mutex
	turns map[Key]*echo
}

type echo struct {
	wrote map[sighting]uint64 // by child, its version then
	held  map[sighting]uint64 // by child, the newest version seen
}

// sighting is one child that was seen or written.
type sighting struct {
	sink *ownedSink
	name string
}

// gone is the version of a child that is not there any more: always news.
const gone = math.MaxUint64

func newEchoes() *echoes { return &echoes{turns: map[Key]*echo{}} }

// begin starts the turn of a key.
func (e *echoes) begin(k Key) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.turns[k] = &echo{}
}

// wrote takes down what the turn of a key made of a child.
func (e *echoes) wrote(k Key, s sighting, version uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if t := e.turns[k]; t != nil {
		if t.wrote == nil {
			t.wrote = map[sighting]uint64{}
		}
		t.wrote[s] = max(t.wrote[s], version)
	}
}

// hold keeps a wake until the turn of its key ends; false: there is none in work.
func (e *echoes) hold(k Key, s sighting, version uint64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	t := e.turns[k]
	if t == nil {
		return false
	}
	if t.held == nil {
		t.held = map[sighting]uint64{}
	}
	t.held[s] = max(t.held[s], version)
	return true
}

// end ends the turn of a key and tells whether anything was seen meanwhile that is
// news.
func (e *echoes) end(k Key) (news bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t := e.turns[k]
	delete(e.turns, k)
	for s, version := range t.held {
		news = news || version > t.wrote[s]
	}
	return news
}

// versionOf is an object's resourceVersion as a number, which grows with each change
// of a resource's objects; 0: it is none, and tells nothing.
func versionOf(u *unstructured.Unstructured) uint64 {
	v, err := strconv.ParseUint(u.GetResourceVersion(), 10, 64)
	if err != nil || v == gone {
		return 0
	}
	return v
}
