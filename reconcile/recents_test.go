package reconcile

import (
	"context"
	"fmt"

	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	restclient "k8s.io/client-go/rest"

	"example.com/mote/reconcile/lean"
	"example.com/mote/simulation/wire"
)

// remembering is an engine of things that own Deployments, whose watch glances at
// objects as in the product. A turn of a thing without a status takes down that it is
// under way; a later one says in log what it was given: the thing's generation, the
// Deployment's replicas and whether that was remembered.
type remembering struct {
	*engine
	*stub
	hand
	guard sync.Mutex // of log, which a turn of its own accord writes too
	log   []string
	after time.Duration
	stale bool // the next turn finds the object changed
}

func remember(t *testing.T, change ...func(*stub)) *remembering {
	s := newStub(t)
	for _, f := range change {
		f(s)
	}
	config := &restclient.Config{Host: "http://stub", QPS: -1, Transport: wire.NewLine(s, nil)}
	glance, err := lean.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := lean.NewBareClient(config)
	if err != nil {
		t.Fatal(err)
	}
	r := &remembering{stub: s, after: recently}
	r.do = r.turn
	r.engine = startEngineWith(t, Clients{Whole: s.client, Glance: glance, Bare: bare}, &r.hand, owning)
	s.forget()
	return r
}

func (r *remembering) turn(ctx context.Context, t *Turn) (Result, error) {
	status := thingStatus{Phase: "Creating", ObservedGeneration: t.Object.GetGeneration()}
	if _, there := t.Object.Object["status"]; there {
		how := "remembered"
		child := t.Recall(deployments.Resource, t.Key.Name)
		if child == nil {
			var err error
			how = "read"
			if child, err = t.Read(ctx, deployments.Resource, t.Key.Name); err != nil {
				return Result{}, err
			}
		}
		r.guard.Lock()
		r.log = append(r.log, fmt.Sprintf("%d: %s %d", t.Object.GetGeneration(), how, deployments.Fingerprint(child)))
		r.guard.Unlock()
		if r.after == 0 {
			status.Phase = "Running"
		}
	}
	if r.stale {
		r.stale = false
		r.change("things", t.Key, func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"a": "b"}) })
		status.Phase = "Pending"
	}
	_, err := t.PatchStatus(ctx, status)
	return Result{After: r.after}, err
}

// made makes a thing, whose first turn it waits for, and its Deployment.
func (r *remembering) made(t *testing.T) {
	t.Helper()
	r.set("things", plain("a"))
	synctest.Wait()
	r.expect(t, "a new one", "a", 1)
	r.set("deployments", childOf("a", "a"))
	synctest.Wait()
}

// replicas changes the Deployment, which wakes its owner, and tells what the turns
// since were given, and the reads that they made.
func (r *remembering) replicas(n int64) string {
	r.anew()
	r.change("deployments", Key{"ns", "a"}, func(u *unstructured.Unstructured) { unstructured.SetNestedField(u.Object, n, "spec", "replicas") })
	return r.told()
}

// anew forgets what was told until now.
func (r *remembering) anew() {
	r.told()
	r.forget()
	r.guard.Lock()
	defer r.guard.Unlock()
	r.log = nil
}

// told is what the turns since were given, and the reads that they made.
func (r *remembering) told() string {
	synctest.Wait()
	r.guard.Lock()
	defer r.guard.Unlock()
	return fmt.Sprintf("%s; %d reads", strings.Join(r.log, ", "), r.asked("GET things/ns/a")+r.asked("GET deployments/ns/a"))
}

func (r *remembering) wants(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %s; want %s", what, got, want)
	}
}

func TestWhatWasSeenIsNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := remember(t)
		r.made(t)
		r.wants(t, "made", r.told(), "1: remembered 3; 0 reads")
		r.wants(t, "a child that changed", r.replicas(4), "1: remembered 4; 0 reads")
		r.change("deployments", Key{"ns", "a"}, func(u *unstructured.Unstructured) { u.SetAnnotations(map[string]string{"x": "y"}) })
		time.Sleep(recently - time.Second)
		r.wants(t, "again", r.replicas(5), "1: remembered 5; 0 reads")
		r.anew()
		r.set("things", func() *unstructured.Unstructured {
			u := r.get("things", Key{"ns", "a"})
			unstructured.SetNestedField(u.Object, int64(2), "spec", "size")
			return u
		}())
		r.wants(t, "a new spec", r.told(), "2: read 5; 1 reads")
		r.wants(t, "what that turn read", r.replicas(6), "2: remembered 6; 0 reads")
		r.after = 0
		r.wants(t, "the last turn", r.replicas(7), "2: remembered 7; 0 reads")
		if n := len(r.recents.kept); n != 0 || r.recents.bytes != 0 || r.recents.begun.Len() != 0 {
			t.Errorf("%d objects of %d bytes are kept although nothing is left to do", n, r.recents.bytes)
		}
		r.wants(t, "one that was steady", r.replicas(8), "2: read 8; 2 reads")
	})
}

// Whatever makes it doubtful that what was seen is so still makes a turn read.
func TestWhatWasSeenIsReadWhenInDoubt(t *testing.T) {
	a := Key{"ns", "a"}
	for name, c := range map[string]struct {
		happens func(r *remembering)
		want    string
	}{
		"nothing": {func(r *remembering) {}, "; 0 reads"},
		"a turn of its own, soon": {func(r *remembering) {
			r.after = recently / 2
			r.Wake(a)
			r.told()
			r.anew()
			time.Sleep(recently / 2)
		}, "1: remembered 3; 0 reads"},
		"a turn of its own, later": {func(r *remembering) {
			r.after = recently
			r.Wake(a)
			r.told()
			r.anew()
			time.Sleep(recently)
		}, "1: read 3; 1 reads"},
		"a turn of its own, in a while": {func(r *remembering) {
			r.after = 2 * recently
			r.Wake(a)
			r.anew()
			time.Sleep(2 * recently)
		}, "1: read 3; 2 reads"},
		"a waking": {func(r *remembering) { r.Wake(a) }, "1: read 3; 2 reads"},
		"a turn that was asked for": {func(r *remembering) {
			r.change("things", a, func(u *unstructured.Unstructured) { u.SetAnnotations(map[string]string{AnnotationReconcile: "now"}) })
		}, "1: read 3; 1 reads"},
		"a child that went": {func(r *remembering) { r.remove("deployments", a) }, "; 2 reads"},
		"a child of another owner": {func(r *remembering) {
			r.set("things", plain("b"))
			r.change("deployments", a, func(u *unstructured.Unstructured) { u.SetOwnerReferences(childOf("a", "b").GetOwnerReferences()) })
		}, "1: read 3; 2 reads"},
		"an object that changed meanwhile": {func(r *remembering) {
			r.stale = true
			r.change("deployments", a, func(u *unstructured.Unstructured) {
				unstructured.SetNestedField(u.Object, int64(4), "spec", "replicas")
			})
		}, "1: remembered 4, 1: read 4; 2 reads"},
		"a pause": {func(r *remembering) {
			r.change("things", a, func(u *unstructured.Unstructured) { u.SetAnnotations(map[string]string{AnnotationPaused: "true"}) })
		}, "; 1 reads"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := remember(t)
				r.made(t)
				r.anew()
				c.happens(r)
				r.wants(t, "then", r.told(), c.want)
			})
		})
	}
}

// Who destroys something makes sure of what an event said, by one read.
func TestSure(t *testing.T) {
	for name, c := range map[string]struct {
		change func(u *unstructured.Unstructured)
		sure   bool
	}{
		"as it was":            {func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"a": "b"}) }, true},
		"another spec":         {func(u *unstructured.Unstructured) { unstructured.SetNestedField(u.Object, "x", "spec", "note") }, false},
		"made anew":            {nil, false},
		"not read by a turn":   {func(*unstructured.Unstructured) {}, true},
		"not there any longer": {nil, false},
	} {
		s := newStub(t)
		s.set("things", plain("a"))
		turn := turnOn(s, "a")
		turn.recalled = name != "not read by a turn"
		if c.change != nil {
			s.change("things", turn.Key, c.change)
		} else {
			s.remove("things", turn.Key)
		}
		if name == "made anew" {
			s.set("things", plain("a"))
		}
		s.forget()
		err := turn.Sure(t.Context())
		if (err == nil) != c.sure || err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			t.Errorf("%s: %v", name, err)
		}
		again := turn.Sure(t.Context())
		if reads := s.asked("GET"); c.sure && (again != nil || reads > 1 || (reads == 1) != (name == "as it was")) {
			t.Errorf("%s: %d reads, %v", name, reads, again)
		}
	}
}

// The room is bounded: who waits for a first turn is not kept when there is none, and
// what was touched longest ago goes first for what is under way.
func TestRoomOfWhatWasSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecents()
		key := func(i int) Key { return Key{"ns", fmt.Sprint(i)} }
		large := make([]byte, mostOfOne)
		child := sighting{&ownedSink{}, "x"}
		const room = mostWaiting / (mostOfOne + eachRecent)
		for i := range room {
			r.begin(key(i), 1, large)
		}
		r.begin(key(room), 1, large)
		if r.kept[key(room)] != nil || len(r.kept) != room || r.bytes != room*(mostOfOne+eachRecent) {
			t.Errorf("%d are kept, of %d bytes", len(r.kept), r.bytes)
		}
		for i := range room {
			r.saw(r.of(key(i)).key, child, 1, large)
		}
		const most = mostRecent / (2*mostOfOne + eachRecent)
		if len(r.kept) != most || r.bytes > mostRecent || r.kept[key(0)] != nil || r.kept[key(room-1)] == nil {
			t.Errorf("%d are kept, of %d bytes; want the last %d", len(r.kept), r.bytes, most)
		}
		r.saw(key(room-1), child, 2, append(large, 'x'))
		if r.bytes != most*(2*mostOfOne+eachRecent)-mostOfOne {
			t.Errorf("%d bytes are kept with one that is too large", r.bytes)
		}
		time.Sleep(recently)
		r.begin(key(0), 1, large[:1])
		if len(r.kept) != 1 || r.bytes != eachRecent+1 {
			t.Errorf("%d are kept, of %d bytes, although nothing of them is believed any more", len(r.kept), r.bytes)
		}
		r.drop(key(0))
		if r.bytes != 0 || r.begun.Len() != 0 {
			t.Errorf("%d bytes are kept of nothing", r.bytes)
		}
	})
}

// What is older than what is known is no news, and what a turn saw is not kept when what
// it began with was forgotten meanwhile.
func TestOrderOfWhatWasSeen(t *testing.T) {
	r := newRecents()
	k, child := Key{"ns", "a"}, sighting{&ownedSink{}, "x"}
	version := func(n string) map[sighting]*unstructured.Unstructured {
		u := plain("x")
		u.SetResourceVersion(n)
		return map[sighting]*unstructured.Unstructured{child: u}
	}
	is := func(what, want string) {
		t.Helper()
		o := r.kept[k]
		if o == nil {
			t.Fatalf("%s: nothing is kept", what)
		}
		if u := r.get(o, child); (u == nil) != (want == "") || u != nil && u.GetResourceVersion() != want {
			t.Errorf("%s: %v is kept, want %q", what, u, want)
		}
	}
	r.begin(k, 1, []byte("{}"))
	o := r.of(k)
	r.end(o, version("5"), true)
	is("what a turn saw", "5")
	r.end(o, version("4"), true)
	is("what another saw before", "5")
	r.child(k, child, 3, version("3")[child], nil)
	is("an event of before", "5")
	r.child(k, child, 6, version("6")[child], nil)
	is("an event", "6")
	r.begin(k, 7, []byte("{}"))
	r.end(o, version("8"), true)
	is("what a turn saw whose object changed meanwhile", "")
	r.end(o, nil, false)
	is("the same, after which nothing was to do", "")
	r.end(r.of(k), nil, false)
	if len(r.kept) != 0 || r.bytes != 0 {
		t.Errorf("%d are kept, of %d bytes", len(r.kept), r.bytes)
	}
}
