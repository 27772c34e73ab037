package reconcile

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// hand is a Reconciler of which a test writes what it does, and which takes down
// what it is told.
type hand struct {
	do   func(ctx context.Context, t *Turn) (Result, error)
	seen func(k Key, u *unstructured.Unstructured)
	left func(k Key)

	mu     sync.Mutex
	turns  map[Key]int
	busy   map[Key]bool
	most   int // turns at once
	leaves map[Key]int
	wrong  string
}

func (h *hand) Reconcile(ctx context.Context, t *Turn) (Result, error) {
	h.mu.Lock()
	if h.busy[t.Key] {
		h.wrong = fmt.Sprintf("%s is worked twice at once", t.Key)
	}
	h.turns[t.Key]++
	h.busy[t.Key] = true
	h.most = max(h.most, len(h.busy))
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.busy, t.Key)
	}()
	if h.do == nil {
		return Result{}, nil
	}
	return h.do(ctx, t)
}

func (h *hand) Seen(k Key, u *unstructured.Unstructured) {
	if h.seen != nil {
		h.seen(k, u)
	}
}

func (h *hand) Left(k Key) {
	h.mu.Lock()
	h.leaves[k]++
	h.mu.Unlock()
	if h.left != nil {
		h.left(k)
	}
}

func (h *hand) turnsOf(name string) int {
	synctest.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.turns[Key{"ns", name}]
}

func (h *hand) expect(t *testing.T, what, name string, turns int) {
	t.Helper()
	if n := h.turnsOf(name); n != turns {
		t.Errorf("%s: %s had %d turns, want %d", what, name, n, turns)
	}
}

// engine is a controller at work on a stub.
type engine struct {
	*Controller
	log    *logLines
	cancel context.CancelFunc
	over   chan struct{}
}

// startEngine runs a controller of Things until the test ends, or stop.
func startEngine(t *testing.T, s *stub, h *hand, change ...func(k *Kind)) *engine {
	return startEngineWith(t, Clients{Whole: s.client}, h, change...)
}

func startEngineWith(t *testing.T, clients Clients, h *hand, change ...func(k *Kind)) *engine {
	h.turns, h.busy, h.leaves = map[Key]int{}, map[Key]bool{}, map[Key]int{}
	k := Kind{Name: "Thing", Resource: thingResource, SteadyPhases: []string{"Running"}, Workers: 4, TurnLimit: time.Minute, Reconciler: h}
	for _, f := range change {
		f(&k)
	}
	e := &engine{log: &logLines{}, over: make(chan struct{})}
	log := e.log.logger()
	e.Controller = NewController(clients, k, NewRecorder(clients.Whole, "host", log), log)
	var ctx context.Context
	ctx, e.cancel = context.WithCancel(t.Context())
	go func() {
		defer close(e.over)
		e.Run(ctx, 10*time.Second)
	}()
	t.Cleanup(func() {
		e.stop()
		synctest.Wait()
		if h.wrong != "" {
			t.Error(h.wrong)
		}
	})
	synctest.Wait()
	return e
}

// stop asks it to stop, and tells how long that took.
func (e *engine) stop() time.Duration {
	began := time.Now()
	e.cancel()
	<-e.over
	return time.Since(began)
}

// bringToRunning is what a good reconciler does.
func bringToRunning(ctx context.Context, t *Turn) (Result, error) {
	_, err := t.PatchStatus(ctx, thingStatus{Phase: "Running", ObservedGeneration: t.Object.GetGeneration()})
	return Result{}, err
}

// steady is a Thing that needs nothing.
func steady(name string) *unstructured.Unstructured {
	u := plain(name)
	u.Object["status"] = map[string]any{"phase": "Running", "observedGeneration": int64(1)}
	return u
}

func TestStartOfSteadyObjectsIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		for i := range 600 {
			s.set("things", steady(fmt.Sprint("a", i)))
		}
		h := &hand{}
		e := startEngine(t, s, h)
		<-e.Synced()
		time.Sleep(time.Hour)
		if lists, watches := s.asked("GET"), s.asked("WATCH"); lists != 3 || watches < 6 || watches > 13 || s.writes() != 0 {
			t.Errorf("%d pages, %d watches, %d writes", lists, watches, s.writes())
		}
		if e.index.Len() != 600 {
			t.Errorf("%d objects", e.index.Len())
		}
	})
}

func TestObjectsGetTheirTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.set("things", plain("listed"))
		h := &hand{do: bringToRunning}
		startEngine(t, s, h)
		h.expect(t, "at the start", "listed", 1)
		s.set("things", plain("made"))
		h.expect(t, "when it is made", "made", 1)
		time.Sleep(time.Hour)
		h.expect(t, "our own echo wakes nothing", "made", 1)
		if n := s.asked("PATCH"); n != 2 {
			t.Errorf("%d writes", n)
		}
		k := Key{"ns", "made"}
		s.change("things", k, func(u *unstructured.Unstructured) { unstructured.SetNestedField(u.Object, int64(2), "spec", "size") })
		h.expect(t, "a new spec", "made", 2)
		s.change("things", k, func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"a": "b"}) })
		h.expect(t, "a label", "made", 2)
		s.change("things", k, func(u *unstructured.Unstructured) { u.SetAnnotations(map[string]string{AnnotationReconcile: "now"}) })
		h.expect(t, "a turn that is asked for", "made", 3)
		s.change("things", k, func(u *unstructured.Unstructured) { delete(u.Object, "status") })
		h.expect(t, "a status that somebody wiped", "made", 4)
		s.remove("things", k)
		s.set("things", plain("made"))
		h.expect(t, "made anew under the same name", "made", 5)
		time.Sleep(time.Hour)
		h.expect(t, "in the end", "made", 5)
		h.expect(t, "the other, all the while", "listed", 1)
	})
}

func TestResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		for _, name := range []string{"after", "retry", "error", "both", "once"} {
			s.set("things", plain(name))
		}
		h := &hand{do: func(_ context.Context, t *Turn) (Result, error) {
			switch t.Key.Name {
			case "after":
				return Result{After: time.Minute}, nil
			case "retry":
				return Result{Retry: true}, nil
			case "error":
				return Result{}, errors.New("no luck")
			case "both":
				return Result{After: time.Minute}, errors.New("no luck")
			}
			return Result{}, nil
		}}
		e := startEngine(t, s, h)
		time.Sleep(10*time.Minute + 30*time.Second)
		h.expect(t, "every minute", "after", 11)
		h.expect(t, "neither an error nor a time", "once", 1)
		for _, name := range []string{"retry", "error"} { // 0, 1, 3, 7, 15, 31, 63, 127, 255, 511 s and a quarter more
			if n := h.turnsOf(name); n < 9 || n > 10 {
				t.Errorf("%s had %d turns", name, n)
			}
		}
		if n := h.turnsOf("both"); n < 7 || n > 9 {
			t.Errorf("an error and a time: %d turns", n)
		}
		if e.log.count("turn failed") == 0 || e.log.count("no luck") == 0 {
			t.Errorf("the log says:\n%s", e.log)
		}
	})
}

func TestTurnsTakeNoLongerThanTheirLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.set("things", plain("a"))
		var lasted time.Duration
		h := &hand{do: func(ctx context.Context, _ *Turn) (Result, error) {
			began := time.Now()
			<-ctx.Done()
			lasted = time.Since(began)
			return Result{After: time.Hour}, nil
		}}
		startEngine(t, s, h)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if lasted != time.Minute {
			t.Errorf("it lasted %s", lasted)
		}
	})
}

func TestPauses(t *testing.T) {
	for value, want := range map[string]bool{"true": true, "True": true, "yes": true, "": true, "until Monday": true, "false": false, " False": false, "no": false, "0": false, "off": false} {
		if pauses(value) != want {
			t.Errorf("%q pauses: %v", value, !want)
		}
	}
}

func TestPausedObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		u := plain("a")
		u.SetAnnotations(map[string]string{AnnotationPaused: "true"})
		u.SetFinalizers([]string{"example.com/ours"})
		s.set("things", u)
		h := &hand{do: bringToRunning}
		startEngine(t, s, h)
		time.Sleep(time.Hour)
		k := Key{"ns", "a"}
		s.change("things", k, func(u *unstructured.Unstructured) { unstructured.SetNestedField(u.Object, int64(2), "spec", "size") })
		s.remove("things", k)
		h.expect(t, "while it is paused, deletion included", "a", 0)
		synctest.Wait()
		if shown := conditionTypes(s.get("things", k)); !slices.Equal(shown, []string{ConditionPaused}) {
			t.Errorf("while it is paused it shows %v", shown)
		}
		if n := s.asked("PATCH"); n != 1 {
			t.Errorf("%d patches to show it once", n)
		}
		s.change("things", k, func(u *unstructured.Unstructured) { u.SetAnnotations(nil) })
		h.expect(t, "when it is let go", "a", 1)
		synctest.Wait()
		if shown := conditionTypes(s.get("things", k)); slices.Contains(shown, ConditionPaused) {
			t.Errorf("when it is let go it shows %v", shown)
		}
	})
}

// conditionTypes are the conditions that an object shows.
func conditionTypes(u *unstructured.Unstructured) []string {
	var out []string
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		kind, _ := c.(map[string]any)["type"].(string)
		out = append(out, kind)
	}
	return out
}

// A panic costs one turn, is shown on the object and counted, is tried again ever
// more slowly, and costs no other object anything.
func TestPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.set("things", steady("bad"))
		s.set("things", plain("good"))
		var better atomic.Bool
		h := &hand{do: func(ctx context.Context, t *Turn) (Result, error) {
			if t.Key.Name == "bad" && !better.Load() {
				panic("index out of range\nwith a second line")
			}
			return bringToRunning(ctx, t)
		}}
		e := startEngine(t, s, h)
		h.expect(t, "as it is steady", "bad", 0)
		k := Key{"ns", "bad"}
		s.change("things", k, func(u *unstructured.Unstructured) { u.SetAnnotations(map[string]string{AnnotationReconcile: "now"}) })
		time.Sleep(10 * time.Minute)
		if n := h.turnsOf("bad"); n < 9 || n > 11 {
			t.Errorf("it had %d turns in ten minutes", n)
		}
		h.expect(t, "the other", "good", 1)
		s.set("things", plain("good2"))
		h.expect(t, "one that comes later", "good2", 1)

		u := s.get("things", k)
		conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		if len(conditions) != 1 {
			t.Fatalf("its conditions are %v", conditions)
		}
		ready := conditions[0].(map[string]any)
		if ready["type"] != "Ready" || ready["status"] != "False" || ready["reason"] != "InternalError" || ready["observedGeneration"] != int64(1) ||
			!strings.Contains(ready["message"].(string), "index out of range. It tries again") {
			t.Errorf("its condition is %v", ready)
		}
		if Look(u, []string{"Running"}, 0).Steady {
			t.Error("it looks steady: after a restart nobody would try it again")
		}
		if n := len(eventsOf(s)); n != 1 {
			t.Errorf("%d Events", n)
		}
		if n := s.asked("PATCH things/ns/bad"); n != 1 {
			t.Errorf("its status was written %d times", n)
		}
		if got := int(e.panics.Load()); got != h.turnsOf("bad") {
			t.Errorf("%d panics are counted", got)
		}
		if e.log.count("stack=") == 0 {
			t.Error("the log has no stack")
		}
		better.Store(true)
		time.Sleep(10 * time.Minute)
		if !Look(s.get("things", k), []string{"Running"}, 0).Steady {
			t.Error("it does not get well")
		}
	})
}

func TestPanicsOfEveryKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		for _, name := range []string{"nil", "spoilt", "good"} {
			s.set("things", plain(name))
		}
		h := &hand{
			do: func(ctx context.Context, t *Turn) (Result, error) {
				switch t.Key.Name {
				case "nil": // it panics, and leaves nothing to show the panic on
					t.Object = nil
					panic("nil")
				case "spoilt": // what no JSON can hold
					t.Object.Object["status"] = map[string]any{"conditions": make(chan int), "f": func() {}}
					panic(errors.New("spoilt"))
				}
				return bringToRunning(ctx, t)
			},
			seen: func(k Key, _ *unstructured.Unstructured) { panic("seen") },
			left: func(k Key) { panic("left") },
		}
		e := startEngine(t, s, h)
		time.Sleep(time.Minute)
		h.expect(t, "the good one", "good", 1)
		if h.turnsOf("nil") < 3 || h.turnsOf("spoilt") < 3 {
			t.Errorf("the bad ones are not tried again: %v", h.turns)
		}
		s.remove("things", Key{"ns", "good"})
		s.set("things", plain("more"))
		h.expect(t, "one that comes after a panic in Left", "more", 1)
		if e.log.count("panicked at the sight") < 4 {
			t.Errorf("the log says:\n%s", e.log)
		}
		// An object of which the watch does not know yet that it is gone.
		s.setFault(func(r *http.Request) *metav1.Status {
			if strings.HasSuffix(r.URL.Path, "/more") {
				return stubStatus(404, metav1.StatusReasonNotFound)
			}
			return nil
		})
		e.Wake(Key{"ns", "more"})
		synctest.Wait()
		if h.leaves[Key{"ns", "more"}] != 1 {
			t.Error("Left was not called")
		}
	})
}

func TestConflicts(t *testing.T) {
	conflict := apierrors.NewConflict(things, "a", errors.New("changed"))
	t.Run("one is tried again at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newStub(t)
			s.set("things", plain("a"))
			first := true
			h := &hand{do: func(ctx context.Context, turn *Turn) (Result, error) {
				if first { // somebody changes it between our read and our write
					first = false
					s.change("things", turn.Key, func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"a": "b"}) })
				}
				return Result{}, turn.PatchStatusChecked(ctx, thingStatus{Phase: "Running", ObservedGeneration: 1})
			}}
			e := startEngine(t, s, h)
			h.expect(t, "at once", "a", 2)
			if phase, _, _ := unstructured.NestedString(s.get("things", Key{"ns", "a"}).Object, "status", "phase"); phase != "Running" {
				t.Errorf("the phase is %q", phase)
			}
			if e.log.count("level=WARN") != 0 {
				t.Errorf("the log says:\n%s", e.log)
			}
		})
	})
	t.Run("one that lasts waits as any failure", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newStub(t)
			s.set("things", plain("a"))
			h := &hand{do: func(context.Context, *Turn) (Result, error) { return Result{}, fmt.Errorf("apply: %w", conflict) }}
			e := startEngine(t, s, h)
			h.expect(t, "at first", "a", attempts)
			time.Sleep(10 * time.Minute)
			if n := h.turnsOf("a"); n < 9*attempts || n > 11*attempts {
				t.Errorf("%d attempts in ten minutes", n)
			}
			if e.log.count("turn failed") == 0 {
				t.Errorf("the log says:\n%s", e.log)
			}
		})
	})
	t.Run("an object made anew meanwhile", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newStub(t)
			s.set("things", plain("a"))
			first := true
			h := &hand{do: func(ctx context.Context, turn *Turn) (Result, error) {
				if first {
					first = false
					s.remove("things", turn.Key)
					s.set("things", plain("a"))
				}
				return bringToRunning(ctx, turn)
			}}
			startEngine(t, s, h)
			time.Sleep(time.Hour)
			if n := h.turnsOf("a"); n < 2 || n > 3 {
				t.Errorf("it had %d turns", n)
			}
			if phase, _, _ := unstructured.NestedString(s.get("things", Key{"ns", "a"}).Object, "status", "phase"); phase != "Running" {
				t.Errorf("the phase is %q", phase)
			}
		})
	})
}

func TestObjectsThatLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		mine := func(name string) *unstructured.Unstructured {
			u := plain(name)
			u.SetLabels(map[string]string{"team": "red"})
			return u
		}
		s.set("things", mine("a"))
		s.set("things", plain("not-mine"))
		h := &hand{do: func(context.Context, *Turn) (Result, error) { return Result{After: time.Minute}, nil }}
		e := startEngine(t, s, h, func(k *Kind) { k.Selection.LabelSelector = "team=red" })
		h.expect(t, "mine", "a", 1)
		h.expect(t, "another's", "not-mine", 0)
		e.Wake(Key{"ns", "not-mine"})
		h.expect(t, "another's, woken", "not-mine", 0)

		s.change("things", Key{"ns", "a"}, func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"team": "blue"}) })
		synctest.Wait()
		if h.leaves[Key{"ns", "a"}] != 1 {
			t.Error("Left was not called when it left the selection")
		}
		gets := s.asked("GET things/ns/a")
		time.Sleep(10 * time.Minute)
		h.expect(t, "when it has left, though it was queued", "a", 1)
		if n := s.asked("GET things/ns/a"); n != gets {
			t.Errorf("it was read %d times more", n-gets)
		}
		if ready, delayed, working := e.queue.Depth(); ready+delayed+working != 0 {
			t.Errorf("the queue holds %d, %d, %d", ready, delayed, working)
		}

		s.set("things", mine("b"))
		s.remove("things", Key{"ns", "b"})
		synctest.Wait()
		if h.leaves[Key{"ns", "b"}] == 0 || e.index.Len() != 0 {
			t.Errorf("after a deletion: left %d times, %d objects", h.leaves[Key{"ns", "b"}], e.index.Len())
		}

		// What was missed while the watch was away shows in the next list.
		s.set("things", mine("c"))
		synctest.Wait()
		s.setFault(func(r *http.Request) *metav1.Status {
			if r.URL.Query().Get("watch") != "" {
				return stubStatus(410, metav1.StatusReasonExpired)
			}
			return nil
		})
		time.Sleep(15 * time.Minute) // the watch ends, and is refused from then on
		s.remove("things", Key{"ns", "c"})
		s.set("things", mine("d"))
		time.Sleep(time.Minute)
		h.mu.Lock()
		if h.leaves[Key{"ns", "c"}] == 0 {
			t.Error("Left was not called for what a list no longer showed")
		}
		h.mu.Unlock()
		if h.turnsOf("d") == 0 {
			t.Error("what a list showed first had no turn")
		}
	})
}

// A call that hangs holds one worker and no other object; there are never more
// turns at once than workers.
func TestWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		for i := range 40 {
			s.set("things", plain(fmt.Sprint("a", i)))
		}
		s.set("things", plain("hangs"))
		h := &hand{do: func(ctx context.Context, t *Turn) (Result, error) {
			if t.Key.Name == "hangs" {
				<-ctx.Done()
				return Result{}, ctx.Err()
			}
			sleep(ctx, time.Second)
			return Result{}, nil
		}}
		startEngine(t, s, h)
		time.Sleep(15 * time.Second) // 40 turns of a second by three workers
		for i := range 40 {
			h.expect(t, "behind one that hangs", fmt.Sprint("a", i), 1)
		}
		if h.most != 4 {
			t.Errorf("%d turns at once, want 4", h.most)
		}
	})
}

// Many new objects, made all at once, do not hold up one that is in use: not when
// they come, nor when they come back later.
func TestNewObjectsComeLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.set("things", steady("used"))
		h := &hand{do: func(ctx context.Context, t *Turn) (Result, error) {
			if t.Key.Name == "used" {
				return bringToRunning(ctx, t)
			}
			sleep(ctx, time.Second)
			return Result{After: 10 * time.Second}, nil
		}}
		startEngine(t, s, h)
		for i := range 400 {
			s.set("things", plain(fmt.Sprint("new", i)))
		}
		synctest.Wait()
		for change := range 20 { // while 400 want a turn of a second each ten seconds, and four at once have one
			s.change("things", Key{"ns", "used"}, func(u *unstructured.Unstructured) { u.Object["spec"] = map[string]any{"size": int64(change + 2)} })
			time.Sleep(9 * time.Second)
			h.expect(t, "among new ones", "used", change+1)
		}
		for i := range 400 {
			if n := h.turnsOf(fmt.Sprint("new", i)); n == 0 {
				t.Errorf("new%d had no turn in 180 s", i)
			}
		}
	})
}

// Whatever wakes it and however often, an object is never worked twice at once,
// and has a turn after the last time that it was woken.
func TestNeverTwiceAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		const objects = 10
		for i := range objects {
			s.set("things", plain(fmt.Sprint("a", i)))
		}
		var mu sync.Mutex
		r := rand.New(rand.NewPCG(1, 2))
		random := func(n int) int {
			mu.Lock()
			defer mu.Unlock()
			return r.IntN(n)
		}
		last := map[Key]time.Time{} // when the last turn began
		h := &hand{do: func(ctx context.Context, t *Turn) (Result, error) {
			mu.Lock()
			last[t.Key] = time.Now()
			mu.Unlock()
			sleep(ctx, time.Duration(random(50))*time.Millisecond)
			switch random(4) {
			case 0:
				return Result{After: time.Duration(random(100)) * time.Millisecond}, nil
			case 1:
				return Result{}, errors.New("no luck")
			case 2:
				panic("bad luck")
			}
			return Result{}, nil
		}}
		e := startEngine(t, s, h)
		for range 2000 {
			k := Key{"ns", fmt.Sprint("a", random(objects))}
			if random(3) == 0 {
				s.change("things", k, func(u *unstructured.Unstructured) {
					unstructured.SetNestedField(u.Object, int64(random(1000)), "spec", "size")
				})
			} else {
				e.Wake(k)
			}
			time.Sleep(time.Duration(random(10)) * time.Millisecond)
		}
		woken := time.Now()
		for i := range objects {
			e.Wake(Key{"ns", fmt.Sprint("a", i)})
		}
		time.Sleep(10 * time.Second)
		mu.Lock()
		for i := range objects {
			if last[Key{"ns", fmt.Sprint("a", i)}].Before(woken) {
				t.Errorf("a%d had no turn after it was woken last", i)
			}
		}
		mu.Unlock()
		if h.most != 4 {
			t.Errorf("%d turns at once", h.most)
		}
	})
}

// The process is asked to stop: turns in work end in their own time within the
// grace period, and are cut off after it; nothing new begins. That no goroutine
// stays behind is seen by synctest itself.
func TestStop(t *testing.T) {
	for _, c := range []struct {
		name  string
		turn  time.Duration // that a turn takes when it is not cut off
		deaf  time.Duration // that it takes to notice that it was cut off
		stops time.Duration
		ended bool
	}{
		{"with turns that end in time", 5 * time.Second, 0, 4 * time.Second, true},
		{"with turns that do not", time.Hour, 0, 10 * time.Second, false},
		{"with turns that are slow to notice", time.Hour, 3 * time.Second, 13 * time.Second, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStub(t)
				for i := range 20 {
					s.set("things", plain(fmt.Sprint("a", i)))
				}
				var mu sync.Mutex
				ended, cut := 0, 0
				h := &hand{do: func(ctx context.Context, turn *Turn) (Result, error) {
					whole := sleep(ctx, c.turn)
					if !whole {
						time.Sleep(c.deaf)
					}
					mu.Lock()
					defer mu.Unlock()
					if whole {
						ended++
						return bringToRunning(ctx, turn) // its context still serves
					}
					cut++
					return Result{}, ctx.Err()
				}}
				e := startEngine(t, s, h)
				time.Sleep(time.Second)
				if d := e.stop(); d != c.stops {
					t.Errorf("it took %s to stop, want %s", d, c.stops)
				}
				begun := 0
				for _, n := range h.turns {
					begun += n
				}
				if begun != 4 || c.ended && (ended != 4 || s.asked("PATCH") != 4) || !c.ended && cut != 4 {
					t.Errorf("%d turns began, %d ended, %d were cut off, %d writes", begun, ended, cut, s.asked("PATCH"))
				}
				if (e.log.count("stopping although turns are still in work") == 1) == c.ended {
					t.Errorf("the log says:\n%s", e.log)
				}
				if e.log.count("level=WARN msg=\"turn failed") != 0 {
					t.Errorf("it complains of turns that were cut off:\n%s", e.log)
				}
			})
		})
	}
}

func TestStopWhileTheAPIServerHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.setFault(func(r *http.Request) *metav1.Status {
			<-r.Context().Done()
			return stubStatus(500, metav1.StatusReasonInternalError)
		})
		e := startEngine(t, s, &hand{})
		time.Sleep(time.Second)
		if d := e.stop(); d != 0 {
			t.Errorf("it took %s", d)
		}
	})
}

// The kind whose RBAC was taken away waits; its objects come when it is back.
func TestTheOtherKindGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.set("things", plain("a"))
		s.set("others", plain("a"))
		s.setFault(func(r *http.Request) *metav1.Status {
			if strings.HasSuffix(r.URL.Path, "/others") {
				return stubStatus(403, metav1.StatusReasonForbidden)
			}
			return nil
		})
		good, bad := &hand{do: bringToRunning}, &hand{do: bringToRunning}
		startEngine(t, s, good)
		e := startEngine(t, s, bad, func(k *Kind) { k.Resource.Resource = "others" })
		time.Sleep(10 * time.Minute)
		good.expect(t, "the kind that is served", "a", 1)
		bad.expect(t, "the other", "a", 0)
		select {
		case <-e.Synced():
			t.Error("it says that it is synced")
		default:
		}
		s.setFault(nil)
		time.Sleep(time.Minute)
		bad.expect(t, "when it is allowed again", "a", 1)
		<-e.Synced()
	})
}
