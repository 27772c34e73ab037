package reconcile

import (
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/reconcile/lean"
)

// mostFresh bounds the bytes that are kept, all objects together: some sixty of
// usual size, so that what comes one by one is there when its turn begins, and a
// flood is read from the API server as ever.
const mostFresh = 256 << 10

// fresh keeps a few objects as their last events brought them, from then until their
// turns begin: those that were steady and of which nothing is new but the spec. Such
// a turn can begin without a read. An object is kept only while that event is the
// one reason for its turn; any other reason drops it.
type fresh struct {
	mu    sync.Mutex
	kept  map[Key]kept
	bytes int
}

type kept struct {
	text   []byte
	before uint64 // see Glimpse
}

// put keeps an object, unless its key is pending for another reason or there is no
// room, and then adds the key. One that is kept already may change once more before
// its turn: respec tells of the first such change, before of a further one.
func (f *fresh) put(k Key, text []byte, before uint64, respec bool, pending func(Key) bool, add func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	old, again := f.kept[k]
	again = again && before != 0 && old.before == before
	f.forget(k)
	if (again || respec && !pending(k)) && f.bytes+len(text) <= mostFresh {
		if f.kept == nil {
			f.kept = map[Key]kept{}
		}
		f.kept[Key{strings.Clone(k.Namespace), strings.Clone(k.Name)}] = kept{text, before}
		f.bytes += len(text)
	}
	add()
}

// drop keeps an object no longer, and then adds the key. No put comes in between, so
// that none takes this reason for its own.
func (f *fresh) drop(k Key, add func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(k)
	add()
}

// take is the object that is kept, without most of its metadata, once; nil when none is, or when it is unreadable.
func (f *fresh) take(k Key) *unstructured.Unstructured {
	f.mu.Lock()
	o, ok := f.kept[k]
	f.forget(k)
	f.mu.Unlock()
	if !ok {
		return nil
	}
	u, err := lean.Look(o.text)
	if err != nil {
		return nil
	}
	return u
}

func (f *fresh) forget(k Key) {
	f.bytes -= len(f.kept[k].text)
	delete(f.kept, k)
}
