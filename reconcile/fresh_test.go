package reconcile

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	restclient "k8s.io/client-go/rest"

	"example.com/mote/reconcile/lean"
	"example.com/mote/simulation/wire"
)

// skimmer is a hand that looks at what is new of the spec: "size" concerns it.
type skimmer struct {
	hand
	mu     sync.Mutex
	skims  []string
	before func(t *Turn) // what happens at the beginning of a skim
	fail   error
}

func (s *skimmer) Skim(ctx context.Context, t *Turn) (bool, error) {
	size, _, _ := unstructured.NestedInt64(t.Object.Object, "spec", "size")
	s.mu.Lock()
	s.skims = append(s.skims, fmt.Sprint(t.Key.Name, " ", t.Object.GetGeneration(), " ", size))
	before, fail := s.before, s.fail
	s.before, s.fail = nil, nil
	s.mu.Unlock()
	if before != nil {
		before(t)
	}
	if fail != nil || size > 1 {
		return false, fail
	}
	_, err := t.PatchStatus(ctx, thingStatus{Phase: "Running", ObservedGeneration: t.Object.GetGeneration()})
	return true, err
}

func (s *skimmer) skimmed() string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	all := strings.Join(s.skims, ", ")
	s.skims = nil
	return all
}

// startSkimming is an engine whose watch and skims glance at objects, as in the
// product, and that has one steady object.
func startSkimming(t *testing.T, s *stub, h *skimmer) *engine {
	t.Helper()
	s.set("things", steady("a"))
	glance, err := lean.NewClient(&restclient.Config{Host: "http://stub", QPS: -1, Transport: wire.NewLine(s, nil)})
	if err != nil {
		t.Fatal(err)
	}
	e := startEngineWith(t, Clients{Whole: s.client, Glance: glance, Brief: glance}, &h.hand, func(k *Kind) { k.Reconciler = h })
	s.forget()
	return e
}

func specify(s *stub, field string, value any) {
	s.change("things", Key{"ns", "a"}, func(u *unstructured.Unstructured) { unstructured.SetNestedField(u.Object, value, "spec", field) })
}

func TestASpecThatConcernsNothingIsNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := newStub(t), &skimmer{hand: hand{do: bringToRunning}}
		e := startSkimming(t, s, h)
		specify(s, "note", "x")
		if got := h.skimmed(); got != "a 2 1" {
			t.Errorf("skimmed: %s", got)
		}
		if s.asked("GET") != 0 || s.asked("PATCH things/ns/a/status") != 1 {
			t.Errorf("requests: %q", s.requests)
		}
		h.expect(t, "a spec that concerns nothing", "a", 0)
		specify(s, "size", int64(2))
		if got := h.skimmed(); got != "a 3 2" {
			t.Errorf("skimmed: %s", got)
		}
		h.expect(t, "one that does", "a", 1)
		if n := s.asked("GET things/ns/a"); n != 1 {
			t.Errorf("%d reads for the one that has to be read live", n)
		}
		if e.fresh.bytes != 0 || len(e.fresh.kept) != 0 {
			t.Errorf("%d bytes of %d objects are kept", e.fresh.bytes, len(e.fresh.kept))
		}
	})
}

// Whatever else may be the reason of a turn, it is one that begins with a live read.
func TestWhatIsNeverSkimmed(t *testing.T) {
	annotate := func(u *unstructured.Unstructured, k, v string) { u.SetAnnotations(map[string]string{k: v}) }
	for name, change := range map[string]func(s *stub, e *engine){
		"a new object": func(s *stub, e *engine) { s.set("things", plain("b")) },
		"a turn that was asked for, and a new spec": func(s *stub, e *engine) {
			s.change("things", Key{"ns", "a"}, func(u *unstructured.Unstructured) {
				annotate(u, AnnotationReconcile, "now")
				unstructured.SetNestedField(u.Object, "x", "spec", "note")
			})
		},
		"a pause, and a new spec": func(s *stub, e *engine) {
			s.change("things", Key{"ns", "a"}, func(u *unstructured.Unstructured) {
				annotate(u, AnnotationPaused, "true")
				unstructured.SetNestedField(u.Object, "x", "spec", "note")
			})
		},
		"a status that was wiped": func(s *stub, e *engine) {
			s.change("things", Key{"ns", "a"}, func(u *unstructured.Unstructured) { delete(u.Object, "status") })
		},
		"a waking": func(s *stub, e *engine) { e.Wake(Key{"ns", "a"}) },
		"a new spec while a turn is due": func(s *stub, e *engine) {
			e.queue.AddAfter(Key{"ns", "a"}, time.Hour)
			specify(s, "note", "x")
		},
		"a new spec, then a waking": func(s *stub, e *engine) {
			e.fresh.put(Key{"ns", "a"}, []byte(`{"metadata":{"name":"a"}}`), 1, true, func(Key) bool { return false }, func() {})
			e.Wake(Key{"ns", "a"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, h := newStub(t), &skimmer{hand: hand{do: bringToRunning}}
				e := startSkimming(t, s, h)
				change(s, e)
				if got := h.skimmed(); got != "" {
					t.Errorf("skimmed: %s", got)
				}
				if s.asked("GET things/ns/") != 1 {
					t.Errorf("requests: %q", s.requests)
				}
			})
		})
	}
}

// An event that is late shows an object that has changed since: the write does not
// hit it, and it is read live.
func TestASkimOfWhatHasChangedSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := newStub(t), &skimmer{hand: hand{do: bringToRunning}}
		h.before = func(*Turn) { specify(s, "size", int64(5)) }
		startSkimming(t, s, h)
		specify(s, "note", "x")
		h.skimmed()
		h.expect(t, "after the Conflict, and for the change in between", "a", 2)
		u := s.get("things", Key{"ns", "a"})
		if observed, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration"); observed != 3 {
			t.Errorf("observed %d of 3", observed)
		}
	})
}

func TestASkimThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := newStub(t), &skimmer{hand: hand{do: bringToRunning}, fail: errors.New("no")}
		startSkimming(t, s, h)
		specify(s, "note", "x")
		h.skimmed()
		time.Sleep(time.Minute)
		h.expect(t, "it comes back, and is read live", "a", 1)
		h.mu.Lock()
		h.before = func(*Turn) { panic("at a skim") }
		h.mu.Unlock()
		specify(s, "note", "y")
		time.Sleep(time.Minute)
		h.expect(t, "after a panic, too", "a", 2)
	})
}

// Of an object that goes before its turn nothing is kept.
func TestFreshOfWhatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := newStub(t), &skimmer{hand: hand{do: bringToRunning}}
		e := startSkimming(t, s, h)
		k := Key{"ns", "a"}
		e.fresh.put(k, []byte(`{"metadata":{"name":"a"}}`), 1, true, func(Key) bool { return false }, func() {})
		s.remove("things", k)
		synctest.Wait()
		if e.fresh.bytes != 0 || len(e.fresh.kept) != 0 {
			t.Errorf("%d bytes of %d objects are kept", e.fresh.bytes, len(e.fresh.kept))
		}
	})
}

// An object that changes again before its turn is kept as it is then, as long as its
// spec is all that is new.
func TestFreshChangesAgain(t *testing.T) {
	no, yes := func(Key) bool { return false }, func(Key) bool { return true }
	added := 0
	add := func() { added++ }
	k := Key{"ns", "a"}
	name := func(n string) []byte { return []byte(`{"kind":"Thing","metadata":{"name":"` + n + `"}}`) }
	var f fresh
	f.put(k, name("1"), 7, true, no, add)
	f.put(k, name("2"), 7, false, yes, add)
	if u := f.take(k); u == nil || u.GetName() != "2" {
		t.Errorf("kept: %v", u)
	}
	f.put(k, name("3"), 7, false, yes, add)
	if f.take(k) != nil {
		t.Error("its turn has begun, and what follows is taken for the same")
	}
	f.put(k, name("4"), 7, true, no, add)
	f.put(k, name("5"), 8, false, yes, add)
	if f.take(k) != nil {
		t.Error("something else is new of it")
	}
	f.put(k, name("6"), 7, true, yes, add)
	if f.take(k) != nil {
		t.Error("it was pending for another reason")
	}
	if added != 6 || f.bytes != 0 {
		t.Errorf("%d adds, %d bytes", added, f.bytes)
	}
}

func TestFreshIsBounded(t *testing.T) {
	var f fresh
	add := func() {}
	no := func(Key) bool { return false }
	text := make([]byte, mostFresh/4)
	for i := range 10 {
		f.put(Key{"ns", fmt.Sprint(i)}, text, 1, true, no, add)
	}
	if len(f.kept) != 4 || f.bytes != mostFresh {
		t.Errorf("%d objects, %d bytes", len(f.kept), f.bytes)
	}
	f.put(Key{"ns", "0"}, text[:1], 1, true, no, add) // the same object anew
	if len(f.kept) != 4 || f.bytes != mostFresh/4*3+1 {
		t.Errorf("%d objects, %d bytes", len(f.kept), f.bytes)
	}
	for i := range 10 {
		f.take(Key{"ns", fmt.Sprint(i)})
	}
	if len(f.kept) != 0 || f.bytes != 0 {
		t.Errorf("%d objects, %d bytes", len(f.kept), f.bytes)
	}
}
