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

func (s *ownedSink) seen(u *unstructured.Unstructured, _ []byte, fromList bool) {
	owner := s.ownerOf(u)
	if owner == "" { // it may have had one until now
		s.left(u)
		return
	}
	k := Key{u.GetNamespace(), u.GetName()}
	var f uint64
	s.controller.guard(k, func() { f = s.owned.Fingerprint(u) })
	before, changed := s.record(k, owner, f)
	if before != "" && before != owner {
		s.wake(k.Namespace, before, fromList)
	}
	if changed {
		s.wake(k.Namespace, owner, fromList)
	}
}

// record takes down what was seen of a child. It tells whose child it was before
// ("": nobody's), and whether anything is different now.
func (s *ownedSink) record(k Key, owner string, fingerprint uint64) (before string, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.children.get(k)
	if c == nil {
		c = &child{space: s.spaces.take(k.Namespace), name: strings.Clone(k.Name)}
		s.children.put(c)
	}
	before, changed = c.owner, c.owner != owner || c.fingerprint != fingerprint
	if c.owner != owner {
		if strings.HasPrefix(c.name, owner) {
			c.owner = c.name[:len(owner)]
		} else {
			c.owner = strings.Clone(owner)
		}
	}
	c.fingerprint, c.epoch = fingerprint, s.epoch
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
		s.wake(k.Namespace, c.owner, false)
	}
}

func (s *ownedSink) end() {
	var owners []Key
	s.mu.Lock()
	s.children.dropFunc(func(c *child) bool {
		if c.epoch == s.epoch {
			return false
		}
		owners = append(owners, Key{c.space.name, c.owner})
		s.spaces.release(c.space)
		return true
	})
	s.mu.Unlock()
	for _, k := range owners {
		s.wake(k.Namespace, k.Name, true)
	}
}

// wake gives the owner a turn, if it is in the selection: a child of an object
// that another shard serves is none of our business. What the first lists show
// wakes nobody: when they are all whole, every owner has a turn.
func (s *ownedSink) wake(namespace, owner string, fromList bool) {
	if fromList {
		select {
		case <-s.controller.synced:
		default:
			return
		}
	}
	s.controller.add(Key{namespace, owner}, priorityOf(fromList))
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
