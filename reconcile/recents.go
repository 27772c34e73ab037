package reconcile

import (
	"container/list"
	"maps"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/reconcile/lean"
)

const (
	// mostWaiting bounds the bytes of all that is kept when an object is added that
	// waits for its first turn: some five thousand of usual size.
	mostWaiting = 6 << 20
	// mostRecent bounds the bytes of all that is kept.
	mostRecent = mostWaiting + 256<<10
	// eachRecent is what an object costs beside its text: its entry, and its place in
	// the map.
	eachRecent = 256
	// mostOfOne bounds the bytes of one object; a larger one is read when it matters.
	mostOfOne = 16 << 10
	// recently is how long a child is believed to be as it was last seen: what a watch
	// misses is believed no longer.
	recently = time.Minute
)

// recents keep objects, and what belongs to them, as they were last seen, while a turn
// of theirs is to come: from the event that is the reason of the first one until one
// after which nothing is left to do, or nothing soon. Turns that a change brings begin with them, and
// read nothing. Whatever says that this may not be enough (a failed turn, a Conflict, a
// waking by hand, a child that went) forgets all of an object.
//
// Memory: mostRecent, while so much is on its way; at rest nothing.
type recents struct {
	mu    sync.Mutex
	kept  map[Key]*recent
	bytes int
	begun list.List // of those that had a turn, the longest untouched first
}

// recent is what is kept of one object: its own JSON, and that of its children.
type recent struct {
	key      Key
	self     part
	children []member
	place    *list.Element // among those that had a turn; nil: it waits for its first
	at       time.Time     // when it was last touched
}

// part is one object as it was last seen; of the zero one nothing is known.
type part struct {
	text    []byte
	version uint64
	at      time.Time
}

// member is a child among the parts of its owner.
type member struct {
	sighting
	part
}

// itself stands for the object among its parts.
var itself sighting

// part is the one that was sighted; nil: there is none.
func (o *recent) part(s sighting) *part {
	if s == itself {
		return &o.self
	}
	for i := range o.children {
		if o.children[i].sighting == s {
			return &o.children[i].part
		}
	}
	return nil
}

// version is that of a part; 0: it is not known.
func (o *recent) version(s sighting) uint64 {
	if p := o.part(s); p != nil {
		return p.version
	}
	return 0
}

func newRecents() *recents { return &recents{kept: map[Key]*recent{}} }

// event takes an event of an object: one that gives it a turn begins anew, with
// nothing but the object. Without its text nothing is kept.
func (r *recents) event(k Key, version uint64, wake bool, text []byte) {
	switch {
	case r == nil:
	case text == nil:
		if wake || !r.known(k, itself, version) {
			r.drop(k)
		}
	case wake:
		r.begin(k, version, trimmed(text))
	case !r.known(k, itself, version):
		r.saw(k, itself, version, trimmed(text))
	}
}

// child takes a child as an event (with its text) or a list brought it.
func (r *recents) child(owner Key, s sighting, version uint64, u *unstructured.Unstructured, text []byte) {
	switch {
	case r == nil || r.known(owner, s, version):
	case text != nil:
		r.saw(owner, s, version, trimmed(text))
	default:
		r.saw(owner, s, version, textOf(u))
	}
}

// begin keeps an object as its event brought it, and nothing else of it.
func (r *recents) begin(k Key, version uint64, text []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(k)
	r.expire()
	if version == 0 || text == nil || len(text) > mostOfOne || r.bytes+eachRecent+len(text) > mostWaiting {
		return
	}
	r.add(k).self = part{text, version, time.Now()}
	r.bytes += len(text)
}

// add adds an object of which nothing is known.
func (r *recents) add(k Key) *recent {
	o := &recent{key: Key{strings.Clone(k.Namespace), strings.Clone(k.Name)}}
	r.kept[o.key] = o
	r.bytes += eachRecent
	return o
}

// of is what is kept of an object whose turn begins; room for it, when nothing is.
func (r *recents) of(k Key) *recent {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.kept[k]
	if o == nil {
		o = r.add(k)
	}
	r.touch(o)
	return o
}

// known tells whether a part of an object is kept that is as new as a version, or
// that nothing is kept of the object.
func (r *recents) known(k Key, s sighting, version uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.kept[k]
	return o == nil || o.version(s) >= version
}

// saw keeps a part of an object, if anything of it is kept and no newer one is.
func (r *recents) saw(k Key, s sighting, version uint64, text []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o := r.kept[k]; o != nil {
		r.put(o, s, version, text)
	}
}

// end ends a turn: what it has seen is kept for the next one, or nothing is, unless
// what it began with was forgotten since.
func (r *recents) end(o *recent, seen map[sighting]*unstructured.Unstructured, keep bool) {
	if r == nil {
		return
	}
	if keep {
		r.learn(o, seen)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !keep && r.kept[o.key] == o {
		r.forget(o.key)
	}
	r.expire()
}

func (r *recents) learn(o *recent, seen map[sighting]*unstructured.Unstructured) {
	for s, u := range seen {
		version := versionOf(u)
		r.mu.Lock()
		news := r.kept[o.key] == o && o.version(s) < version
		r.mu.Unlock()
		if !news {
			continue
		}
		text := textOf(u)
		r.mu.Lock()
		if r.kept[o.key] == o {
			r.put(o, s, version, text)
		}
		r.mu.Unlock()
	}
}

func (r *recents) put(o *recent, s sighting, version uint64, text []byte) {
	if version == 0 || version < o.version(s) {
		return
	}
	p := o.part(s)
	if p == nil {
		o.children = append(o.children, member{sighting: s})
		p = &o.children[len(o.children)-1].part
	}
	if len(text) > mostOfOne {
		text = nil
	}
	r.bytes += len(text) - len(p.text)
	*p = part{text, version, time.Now()}
	if o.place != nil {
		r.touch(o)
	}
	for r.bytes > mostRecent && r.begun.Len() > 0 {
		r.forget(r.begun.Front().Value.(*recent).key)
	}
}

// get is a part as it was last seen; nil: it is not known.
func (r *recents) get(o *recent, s sighting) *unstructured.Unstructured {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	var text []byte
	if p := o.part(s); p != nil && r.kept[o.key] == o && (s == itself || time.Since(p.at) < recently) {
		text = p.text
	}
	r.mu.Unlock()
	if text == nil {
		return nil
	}
	u, err := lean.Bare(text)
	if err != nil {
		return nil
	}
	return u
}

// drop forgets an object and all that is kept of its children.
func (r *recents) drop(k Key) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(k)
}

func (r *recents) forget(k Key) {
	o := r.kept[k]
	if o == nil {
		return
	}
	r.bytes -= eachRecent + len(o.self.text)
	for i := range o.children {
		r.bytes -= len(o.children[i].text)
	}
	if o.place != nil {
		r.begun.Remove(o.place)
	}
	delete(r.kept, k)
}

// touch makes an object the last to be forgotten.
func (r *recents) touch(o *recent) {
	o.at = time.Now()
	if o.place == nil {
		o.place = r.begun.PushBack(o)
		return
	}
	r.begun.MoveToBack(o.place)
}

// expire forgets those of which no child is believed any more.
func (r *recents) expire() {
	for e := r.begun.Front(); e != nil && time.Since(e.Value.(*recent).at) >= recently; e = r.begun.Front() {
		r.forget(e.Value.(*recent).key)
	}
}

// trimmed is an object's JSON without its managedFields; nil: it is unreadable.
func trimmed(text []byte) []byte {
	text, err := lean.Trim(text)
	if err != nil {
		return nil
	}
	return text
}

// textOf is the JSON of an object without its managedFields; nil: it cannot be written.
func textOf(u *unstructured.Unstructured) []byte {
	o := maps.Clone(u.Object)
	if meta, ok := o["metadata"].(map[string]any); ok {
		meta = maps.Clone(meta)
		delete(meta, "managedFields")
		o["metadata"] = meta
	}
	text, err := (&unstructured.Unstructured{Object: o}).MarshalJSON()
	if err != nil {
		return nil
	}
	return text
}
