package reconcile

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// missed changes the objects behind the back of every watch.
func (s *stub) missed(change func(things map[Key]map[string]any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	things := map[Key]map[string]any{}
	for k, u := range s.objects["things"] {
		things[k] = u.DeepCopy().Object
	}
	change(things)
	for k, u := range s.objects["things"] {
		if o, ok := things[k]; ok {
			u = u.DeepCopy()
			u.Object = o
			s.objects["things"][k] = u
		} else {
			delete(s.objects["things"], k)
		}
	}
}

// What a watch missed is found by the list that comes every few hours; what has
// not changed has no turn, and what is gone is only let go of.
func TestRelistRepairsWhatAWatchMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		for _, name := range []string{"same", "changed", "gone"} {
			s.set("things", plain(name))
		}
		h := &hand{do: bringToRunning}
		e := startEngine(t, s, h)
		time.Sleep(time.Minute)
		s.missed(func(things map[Key]map[string]any) {
			delete(things, Key{"ns", "gone"})
			things[Key{"ns", "changed"}]["metadata"].(map[string]any)["generation"] = int64(2)
		})
		time.Sleep(4 * time.Hour)
		if s.asked("GET things//") != 1 {
			t.Fatalf("a list came early")
		}
		h.expect(t, "before the list", "changed", 1)
		time.Sleep(4 * time.Hour)
		if n := s.asked("GET things//"); n != 2 {
			t.Errorf("%d lists", n)
		}
		h.expect(t, "after the list", "same", 1)
		h.expect(t, "after the list", "changed", 2)
		h.expect(t, "after the list", "gone", 1)
		if h.leaves[Key{"ns", "gone"}] != 1 || len(h.leaves) != 1 || e.index.Len() != 2 {
			t.Errorf("left: %v, and %d records", h.leaves, e.index.Len())
		}
		if e.log.String() != "" && strings.Contains(e.log.String(), "level=WARN") {
			t.Errorf("the log says:\n%s", e.log)
		}
	})
}

// A list that fails for hours takes nothing from the watch.
func TestRelistThatFailsLeavesTheWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.set("things", plain("a"))
		h := &hand{do: bringToRunning}
		e := startEngine(t, s, h)
		time.Sleep(time.Minute)
		s.setFault(func(r *http.Request) *metav1.Status {
			if r.Method == http.MethodGet && r.URL.Query().Get("watch") == "" && strings.HasSuffix(r.URL.Path, "/things") {
				return stubStatus(500, metav1.StatusReasonInternalError)
			}
			return nil
		})
		time.Sleep(9 * time.Hour)
		if n := s.asked("GET things//"); n < 3 || n > 80 {
			t.Errorf("%d lists in nine hours", n)
		}
		s.set("things", plain("b"))
		h.expect(t, "while lists fail", "b", 1)
		if len(h.leaves) != 0 || e.index.Len() != 2 {
			t.Errorf("left: %v, and %d records", h.leaves, e.index.Len())
		}
		s.setFault(nil)
		time.Sleep(time.Hour)
		if is := e.Trouble(); is != "" {
			t.Errorf("trouble at last: %s", is)
		}
	})
}
