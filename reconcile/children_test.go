package reconcile

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// writtenFor is a steady object whose status was written for children with these
// fingerprints, by name.
func writtenFor(name string, seed uint64, children map[string]uint64) *unstructured.Unstructured {
	u := steady(name)
	var all Children
	for child, fingerprint := range children {
		all = all.With(deployments.Resource, child, fingerprint)
	}
	unstructured.SetNestedField(u.Object, all.Hash(seed), "status", statusChildren)
	return u
}

// A start looks only at the objects whose children are others than their status was
// written for.
func TestStartWithChildren(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const seed = 7
		s := newStub(t)
		one := func(name string) map[string]uint64 { return map[string]uint64{name: 3} }
		two := func(name string) map[string]uint64 { return map[string]uint64{name: 3, name + "-more": 3} }
		for name, c := range map[string]struct {
			u        *unstructured.Unstructured
			children []string
		}{
			"same":      {writtenFor("same", seed, one("same")), []string{"same"}},
			"same-two":  {writtenFor("same-two", seed, two("same-two")), []string{"same-two", "same-two-more"}},
			"changed":   {writtenFor("changed", seed, map[string]uint64{"changed": 4}), []string{"changed"}},
			"gone":      {writtenFor("gone", seed, one("gone")), nil},
			"one-gone":  {writtenFor("one-gone", seed, two("one-gone")), []string{"one-gone"}},
			"one-more":  {writtenFor("one-more", seed, one("one-more")), []string{"one-more", "one-more-more"}},
			"renamed":   {writtenFor("renamed", seed, one("renamed")), []string{"renamed-more"}},
			"unsaid":    {steady("unsaid"), []string{"unsaid"}},
			"older":     {writtenFor("older", seed+1, one("older")), []string{"older"}},
			"nonsense":  {writtenFor("nonsense", seed, one("nonsense")), []string{"nonsense"}},
			"childless": {writtenFor("childless", seed, nil), nil},
		} {
			if name == "nonsense" {
				unstructured.SetNestedField(c.u.Object, "what?", "status", statusChildren)
			}
			s.set("things", c.u)
			for _, child := range c.children {
				s.set("deployments", childOf(child, name))
			}
		}
		h := &hand{}
		e := startEngine(t, s, h, owning, func(k *Kind) { k.Seed = seed })
		<-e.Synced()
		time.Sleep(time.Minute)
		for name, n := range map[string]int{"same": 0, "same-two": 0, "changed": 1, "gone": 1, "one-gone": 1, "one-more": 1,
			"renamed": 1, "unsaid": 1, "older": 1, "nonsense": 1, "childless": 1} {
			h.expect(t, "at the start", name, n)
		}
		s.change("deployments", Key{"ns", "same"}, func(u *unstructured.Unstructured) {
			unstructured.SetNestedField(u.Object, int64(9), "spec", "replicas")
		})
		time.Sleep(time.Minute)
		h.expect(t, "when its child changes", "same", 1)
	})
}

// What a turn itself writes does not wake its key, whether its event comes before or
// after the answer; what others write meanwhile does.
func TestOwnWritesWakeNobody(t *testing.T) {
	at := Key{"ns", "a"}
	scale := func(s *stub, n int64) *unstructured.Unstructured {
		s.change("deployments", at, func(u *unstructured.Unstructured) { unstructured.SetNestedField(u.Object, n, "spec", "replicas") })
		return s.get("deployments", at)
	}
	pass := func() { time.Sleep(10 * time.Second) } // any event has come by then
	for name, c := range map[string]struct {
		do    func(s *stub, t *Turn)
		turns int
	}{
		"the answer first": {func(s *stub, t *Turn) { t.Wrote(deployments.Resource, scale(s, 5)) }, 1},
		"the event first": {func(s *stub, t *Turn) {
			live := scale(s, 5)
			pass()
			t.Wrote(deployments.Resource, live)
		}, 1},
		"two writes": {func(s *stub, t *Turn) {
			t.Wrote(deployments.Resource, scale(s, 5))
			pass()
			t.Wrote(deployments.Resource, scale(s, 6))
		}, 1},
		"a write that is not told": {func(s *stub, t *Turn) { scale(s, 5) }, 2},
		"another's before the answer": {func(s *stub, t *Turn) {
			live := scale(s, 5)
			scale(s, 6)
			pass()
			t.Wrote(deployments.Resource, live)
		}, 2},
		"another's after the answer": {func(s *stub, t *Turn) {
			t.Wrote(deployments.Resource, scale(s, 5))
			scale(s, 6)
			pass()
		}, 2},
		"another's, at the end": {func(s *stub, t *Turn) {
			t.Wrote(deployments.Resource, scale(s, 5))
			scale(s, 6)
		}, 2},
		"taken away after it": {func(s *stub, t *Turn) {
			t.Wrote(deployments.Resource, scale(s, 5))
			s.remove("deployments", at)
			pass()
		}, 2},
		"an older answer": {func(s *stub, t *Turn) {
			live := scale(s, 5)
			newer := scale(s, 6)
			t.Wrote(deployments.Resource, newer)
			t.Wrote(deployments.Resource, live)
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStub(t)
				s.set("things", writtenFor("a", 0, map[string]uint64{"a": 3}))
				s.set("deployments", childOf("a", "a"))
				first := true
				h := &hand{do: func(_ context.Context, t *Turn) (Result, error) {
					if first {
						first = false
						c.do(s, t)
					}
					return Result{}, nil
				}}
				e := startEngine(t, s, h, owning)
				<-e.Synced()
				pass()
				e.Wake(at)
				time.Sleep(time.Minute)
				h.expect(t, "with its echo", "a", c.turns)
				if n := len(e.echoes.turns); n > 0 {
					t.Errorf("%d turns are remembered", n)
				}
			})
		})
	}
}

// An event that comes late tells of nothing newer than what is known.
func TestLateEvents(t *testing.T) {
	s := newOwnedSink(&Controller{}, deployments)
	k := Key{"ns", "a"}
	for i, c := range []struct {
		fingerprint, version uint64
		list, changed        bool
	}{
		{1, 10, true, true}, {2, 12, false, true}, {1, 11, false, false}, {2, 12, false, false},
		{3, 13, false, true}, {1, 5, true, true}, // an API server that was restored
		{1, 6, false, false}, {4, 0, false, true}, {4, 1, false, false},
	} {
		if _, changed := s.record(k, "a", c.fingerprint, c.version, c.list); changed != c.changed {
			t.Errorf("step %d: changed is %v", i, changed)
		}
	}
}
