package reconcile

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ownedSink turns changes of children into keys of their owners.
type ownedSink struct {
	controller *Controller
	owned      Owned

	mu       sync.Mutex
	children map[Key]child
	epoch    uint32
}

// child is what is kept of one: 32 bytes beside its key.
type child struct {
	owner       string
	fingerprint uint64
	epoch       uint32
}

func (s *ownedSink) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.epoch++
}

func (s *ownedSink) seen(u *unstructured.Unstructured, fromList bool) {
	owner := controllerOf(u, s.controller.kind.Name)
	if owner == "" { // it may have had one until now
		s.left(u)
		return
	}
	k, f := Key{u.GetNamespace(), u.GetName()}, s.owned.Fingerprint(u)
	s.mu.Lock()
	old, known := s.children[k]
	s.children[k] = child{owner: owner, fingerprint: f, epoch: s.epoch}
	s.mu.Unlock()
	if !known || old.fingerprint != f || old.owner != owner {
		s.wake(k.Namespace, owner, fromList)
	}
}

func (s *ownedSink) left(u *unstructured.Unstructured) {
	k := Key{u.GetNamespace(), u.GetName()}
	s.mu.Lock()
	old, known := s.children[k]
	delete(s.children, k)
	s.mu.Unlock()
	if known {
		s.wake(k.Namespace, old.owner, false)
	}
}

func (s *ownedSink) end() {
	var owners []Key
	s.mu.Lock()
	for k, c := range s.children {
		if c.epoch != s.epoch {
			delete(s.children, k)
			owners = append(owners, Key{k.Namespace, c.owner})
		}
	}
	s.mu.Unlock()
	for _, k := range owners {
		s.wake(k.Namespace, k.Name, true)
	}
}

// wake gives the owner a turn, if it is in the selection: a child of an object
// that another shard serves is none of our business. An owner that the kind's
// own watch has yet to show gets its turn when all first lists are whole.
func (s *ownedSink) wake(namespace, owner string, fromList bool) {
	k := Key{namespace, owner}
	if !s.controller.index.Has(k) {
		return
	}
	p := Live
	if fromList {
		p = Flood
	}
	s.controller.queue.Add(k, p)
}

// controllerOf is the name of an object's controlling owner of a kind, or "".
func controllerOf(u *unstructured.Unstructured, kind string) string {
	if ref := metav1.GetControllerOf(u); ref != nil && ref.Kind == kind {
		return ref.Name
	}
	return ""
}
