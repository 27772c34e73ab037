package reconcile

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// turnOn is a turn of an object that is in the stub.
func turnOn(s *stub, name string) *Turn {
	k := Key{"ns", name}
	return &Turn{Key: k, Object: s.get("things", k), Log: (&logLines{}).logger(), client: s.client,
		resource: s.client.Resource(thingResource).Namespace("ns"), events: NewRecorder(s.client, "host", (&logLines{}).logger())}
}

type thingStatus struct {
	Phase              string             `json:"phase,omitempty"`
	LastReconciled     string             `json:"lastReconciled,omitempty"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
	Extra              *string            `json:"extra"`
}

func TestPatchStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.set("things", plain("a"))
		uid := string(s.get("things", Key{"ns", "a"}).GetUID())
		turn := turnOn(s, "a")
		began := turn.Object.GetResourceVersion()

		wrote, err := turn.PatchStatus(t.Context(), thingStatus{Phase: "Pending"})
		if !wrote || err != nil {
			t.Fatalf("wrote %v, %v", wrote, err)
		}
		want := `{"metadata":{"resourceVersion":"` + began + `","uid":"` + uid + `"},"status":{"lastReconciled":"2000-01-01T00:00:00Z","phase":"Pending"}}`
		if got := s.bodies[0]; got != want {
			t.Errorf("sent\n    %s\nwant\n    %s", got, want)
		}
		if s.requests[0] != "PATCH things/ns/a/status" {
			t.Errorf("by %s", s.requests[0])
		}
		if turn.Object.GetResourceVersion() == began {
			t.Error("the turn's object is not what the server answered")
		}

		// Nothing but lastReconciled would change.
		time.Sleep(time.Hour)
		s.forget()
		for _, st := range []thingStatus{{Phase: "Pending"}, {Phase: "Pending", LastReconciled: "2001-01-01T00:00:00Z"}} {
			if wrote, err := turn.PatchStatus(t.Context(), st); wrote || err != nil || len(s.requests) > 0 {
				t.Errorf("wrote %v, %v: %q", wrote, err, s.bodies)
			}
		}

		// What is wanted no more goes; lastReconciled moves with the rest.
		version := turn.Object.GetResourceVersion()
		if wrote, err := turn.PatchStatus(t.Context(), thingStatus{ObservedGeneration: 1}); !wrote || err != nil {
			t.Errorf("wrote %v, %v", wrote, err)
		}
		want = `{"metadata":{"resourceVersion":"` + version + `","uid":"` + uid + `"},"status":{"lastReconciled":"2000-01-01T01:00:00Z","observedGeneration":1,"phase":null}}`
		if got := s.bodies[0]; got != want {
			t.Errorf("sent\n    %s\nwant\n    %s", got, want)
		}

		// Whoever changed the object meanwhile has to be read first.
		s.change("things", turn.Key, func(u *unstructured.Unstructured) { unstructured.SetNestedField(u.Object, int64(5), "spec", "size") })
		if _, err := turn.PatchStatus(t.Context(), thingStatus{Phase: "Running"}); !apierrors.IsConflict(err) {
			t.Errorf("after a change of another's: %v", err)
		}
		if got, _, _ := unstructured.NestedInt64(s.get("things", turn.Key).Object, "spec", "size"); got != 5 {
			t.Errorf("the spec is %d", got)
		}
	})
}

func TestPatchStatusChecked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.set("things", plain("a"))
		turn := turnOn(s, "a")
		if err := turn.PatchStatusChecked(t.Context(), thingStatus{Phase: "Pending"}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(s.bodies[0], `"resourceVersion":"1"`) || !strings.Contains(s.bodies[0], `"uid":`) {
			t.Errorf("sent %s", s.bodies[0])
		}
		time.Sleep(time.Second)
		if err := turn.PatchStatusChecked(t.Context(), thingStatus{Phase: "Pending"}); err != nil || len(s.bodies) != 2 {
			t.Errorf("the same again: %v, %d writes", err, len(s.bodies))
		}
		s.change("things", turn.Key, func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"a": "b"}) })
		if err := turn.PatchStatusChecked(t.Context(), thingStatus{Phase: "Running"}); !apierrors.IsConflict(err) {
			t.Errorf("after a change of another's: %v", err)
		}
	})
}

func TestPatchOfAnObjectMadeAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.set("things", plain("a"))
		turn := turnOn(s, "a")
		s.remove("things", turn.Key)
		if _, err := turn.PatchStatus(t.Context(), thingStatus{Phase: "Pending"}); !apierrors.IsNotFound(err) {
			t.Errorf("when it is gone: %v", err)
		}
		s.set("things", plain("a"))
		_, err := turn.PatchStatus(t.Context(), thingStatus{Phase: "Pending"})
		if !apierrors.IsConflict(err) {
			t.Errorf("when another has its name: %v", err)
		}
		if err := turn.AddFinalizer(t.Context(), "example.com/f"); !apierrors.IsConflict(err) {
			t.Errorf("a finalizer, when another has its name: %v", err)
		}
		if got := s.get("things", turn.Key); got.Object["status"] != nil || len(got.GetFinalizers()) > 0 {
			t.Errorf("the other has become %v", got.Object)
		}
		// Other reasons to call it invalid stay what they are.
		s.setFault(func(*http.Request) *metav1.Status { return stubStatus(422, metav1.StatusReasonInvalid) })
		if _, err := turn.PatchStatus(t.Context(), thingStatus{Phase: "Odd"}); !apierrors.IsInvalid(err) {
			t.Errorf("what the schema refuses: %v", err)
		}
	})
}

func TestFinalizers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		u := plain("a")
		u.SetFinalizers([]string{"example.org/theirs"})
		s.set("things", u)
		turn := turnOn(s, "a")
		uid := string(turn.Object.GetUID())
		if HasFinalizer(turn.Object, "example.com/ours") {
			t.Error("it is there already")
		}
		if err := turn.RemoveFinalizer(t.Context(), "example.com/ours"); err != nil || len(s.bodies) != 0 {
			t.Errorf("taking off what is not there: %v, %q", err, s.bodies)
		}
		if err := turn.AddFinalizer(t.Context(), "example.com/ours"); err != nil {
			t.Fatal(err)
		}
		want := `{"metadata":{"finalizers":["example.org/theirs","example.com/ours"],"resourceVersion":"1","uid":"` + uid + `"}}`
		if s.bodies[0] != want || s.requests[0] != "PATCH things/ns/a" {
			t.Errorf("%s sent\n    %s\nwant\n    %s", s.requests[0], s.bodies[0], want)
		}
		if !HasFinalizer(turn.Object, "example.com/ours") {
			t.Error("the turn's object does not show it")
		}
		if err := turn.AddFinalizer(t.Context(), "example.com/ours"); err != nil || len(s.bodies) != 1 {
			t.Errorf("once more: %v, %q", err, s.bodies)
		}

		s.change("things", turn.Key, func(u *unstructured.Unstructured) { u.SetFinalizers(append(u.GetFinalizers(), "example.org/new")) })
		if err := turn.RemoveFinalizer(t.Context(), "example.com/ours"); !apierrors.IsConflict(err) {
			t.Errorf("while somebody else adds one: %v", err)
		}
		turn = turnOn(s, "a")
		s.remove("things", turn.Key)
		turn = turnOn(s, "a")
		s.forget()
		if err := turn.AddFinalizer(t.Context(), "example.com/other"); err != nil || len(s.requests) != 0 {
			t.Errorf("one more while it is being deleted: %v, %q", err, s.bodies)
		}
		if err := turn.RemoveFinalizer(t.Context(), "example.com/ours"); err != nil {
			t.Error(err)
		}
		if !strings.Contains(s.bodies[0], `"finalizers":["example.org/theirs","example.org/new"]`) {
			t.Errorf("sent %s", s.bodies[0])
		}
	})
}

func TestRemovingTheLastFinalizer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		u := plain("a")
		u.SetFinalizers([]string{"example.com/ours"})
		s.set("things", u)
		s.remove("things", Key{"ns", "a"})
		turn := turnOn(s, "a")
		if err := turn.RemoveFinalizer(t.Context(), "example.com/ours"); err != nil {
			t.Error(err)
		}
		if !strings.Contains(s.bodies[0], `"finalizers":[]`) {
			t.Errorf("sent %s", s.bodies[0])
		}
		if s.get("things", turn.Key) != nil {
			t.Error("it is still there")
		}
	})
}

func TestTurnInto(t *testing.T) {
	turn := &Turn{Key: Key{"ns", "a"}, Object: thing()}
	var typed struct {
		Spec struct {
			Size int `json:"size"`
		} `json:"spec"`
	}
	if err := turn.Into(&typed); err != nil || typed.Spec.Size != 1 {
		t.Errorf("size is %d, %v", typed.Spec.Size, err)
	}
	turn.Object = thing(with("big", "spec", "size"))
	if err := turn.Into(&typed); err == nil || !strings.Contains(err.Error(), "Thing ns/a") {
		t.Errorf("a size that is no number: %v", err)
	}
}
