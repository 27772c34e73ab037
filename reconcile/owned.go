package reconcile

import (
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ownedSink turns changes of children into keys of their owners.
//
// Memory for each child: 64 bytes, its share of the table (10 to 20), its name's
// bytes, and its owner's name's unless its own begins with that.
type ownedSink struct {
	controller *Controller
	owned      Owned

	mu       sync.Mutex
	children *table[child]
	spaces   spaces
	epoch    uint32
}

// child is what is kept of one.
type child struct {
	space       *space
	name, owner string
	fingerprint uint64
	version     uint64 // that has the fingerprint; 0: unknown
	epoch       uint32 // of the list that last showed it
}

func (c *child) key() Key { return Key{Namespace: c.space.name, Name: c.name} }

func newOwnedSink(c *Controller, o Owned) *ownedSink {
	return &ownedSink{controller: c, owned: o, children: newTable((*child).key), spaces: spaces{}}
}

func (s *ownedSink) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.epoch++
}

func (s *ownedSink) seen(u *unstructured.Unstructured, text []byte, fromList bool) {
	owner := s.ownerOf(u)
	if owner == "" { // it may have had one until now
		s.left(u)
		return
	}
	k := Key{u.GetNamespace(), u.GetName()}
	var f uint64
	s.controller.guard(k, func() { f = s.owned.Fingerprint(u) })
	version := versionOf(u)
	before, changed := s.record(k, owner, f, version, fromList)
	s.controller.recents.child(Key{k.Namespace, owner}, sighting{s, k.Name}, version, u, text)
	if before != "" && before != owner {
		s.controller.recents.drop(Key{k.Namespace, before})
		s.wake(k, before, version, fromList)
	}
	if changed {
		s.wake(k, owner, version, fromList)
	}
}

// wrote takes down what a turn made of a child: its event, if it is still to come,
// differs in nothing.
func (s *ownedSink) wrote(turn Key, live *unstructured.Unstructured) {
	owner, version := s.ownerOf(live), versionOf(live)
	if owner != turn.Name || version == 0 || live.GetLabels()[OwnedLabel] != OwnedBy {
		return
	}
	k := Key{live.GetNamespace(), live.GetName()}
	s.record(k, owner, s.owned.Fingerprint(live), version, false)
	s.controller.echoes.wrote(turn, sighting{s, k.Name}, version)
}

// record takes down what was seen of a child. It tells whose child it was before
// ("": nobody's), and whether anything is different now. What an event tells of a
// version before the one that is known is no news; a list is always right.
func (s *ownedSink) record(k Key, owner string, fingerprint, version uint64, fromList bool) (before string, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.children.get(k)
	if c == nil {
		c = &child{space: s.spaces.take(k.Namespace), name: strings.Clone(k.Name)}
		s.children.put(c)
	}
	if !fromList && version != 0 && version < c.version {
		return "", false
	}
	before, changed = c.owner, c.owner != owner || c.fingerprint != fingerprint
	if c.owner != owner {
		if strings.HasPrefix(c.name, owner) {
			c.owner = c.name[:len(owner)]
		} else {
			c.owner = strings.Clone(owner)
		}
	}
	c.fingerprint, c.version, c.epoch = fingerprint, version, s.epoch
	return before, changed
}

func (s *ownedSink) left(u *unstructured.Unstructured) {
	k := Key{u.GetNamespace(), u.GetName()}
	s.mu.Lock()
	c := s.children.get(k)
	if c != nil {
		s.children.drop(k)
		s.spaces.release(c.space)
	}
	s.mu.Unlock()
	if c != nil {
		s.controller.recents.drop(Key{k.Namespace, c.owner})
		s.wake(k, c.owner, gone, false)
	}
}

func (s *ownedSink) end() {
	type lost struct {
		child Key
		owner string
	}
	var all []lost
	s.mu.Lock()
	s.children.dropFunc(func(c *child) bool {
		if c.epoch == s.epoch {
			return false
		}
		all = append(all, lost{c.key(), c.owner})
		s.spaces.release(c.space)
		return true
	})
	s.mu.Unlock()
	for _, l := range all {
		s.controller.recents.drop(Key{l.child.Namespace, l.owner})
		s.wake(l.child, l.owner, gone, true)
	}
}

// wake gives the owner of a child a turn, if it is in the selection: a child of an
// object that another shard serves is none of our business. What the first lists
// show wakes nobody: when they are all whole, every owner whose children differ from
// what its status was written for has a turn.
func (s *ownedSink) wake(child Key, owner string, version uint64, fromList bool) {
	if fromList {
		select {
		case <-s.controller.synced:
		default:
			return
		}
	}
	k := Key{child.Namespace, owner}
	if s.controller.echoes.hold(k, sighting{s, child.Name}, version) {
		return
	}
	s.controller.add(k, priorityOf(fromList))
}

// each calls a function with every child, its owner and its fingerprint, in no order.
func (s *ownedSink) each(f func(child, owner Key, fingerprint uint64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.children.all() {
		f(c.key(), Key{c.space.name, c.owner}, c.fingerprint)
	}
}

// ownerOf is the name of a child's controlling owner, if that is of our kind (its
// group too: another's kind may have the same name), or "".
func (s *ownedSink) ownerOf(u *unstructured.Unstructured) string {
	ref := metav1.GetControllerOf(u)
	if ref == nil || ref.Kind != s.controller.kind.Name {
		return ""
	}
	if gv, err := schema.ParseGroupVersion(ref.APIVersion); err != nil || gv.Group != s.controller.kind.Resource.Group {
		return ""
	}
	return ref.Name
}
