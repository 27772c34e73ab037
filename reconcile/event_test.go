package reconcile

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
)

// eventsOf are the Events in the stub.
func eventsOf(s *stub) []*unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*unstructured.Unstructured
	for _, u := range s.objects["events"] {
		all = append(all, u.DeepCopy())
	}
	return all
}

// countOf is the count of the one Event's series; 0 when it has none.
func countOf(t *testing.T, s *stub) int64 {
	t.Helper()
	all := eventsOf(s)
	if len(all) != 1 {
		t.Fatalf("%d Events", len(all))
	}
	n, _, _ := unstructured.NestedInt64(all[0].Object, "series", "count")
	return n
}

func TestEventIsWrittenOnceAndCountedSparingly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		log := &logLines{}
		r := NewRecorder(s.client, "host", log.logger())
		about := thing()
		record := func() { r.Record(t.Context(), about, Warning, "Failed", "Create", "the cloud says no") }
		record()
		got := eventsOf(s)[0]
		for path, want := range map[string]any{
			"type": "Warning", "reason": "Failed", "action": "Create", "note": "the cloud says no", "reportingInstance": "host",
			"reportingController": "mote.example.com/mote", "eventTime": "2000-01-01T00:00:00.000000Z",
			"regarding.kind": "Thing", "regarding.apiVersion": "example.com/v1", "regarding.namespace": "ns", "regarding.name": "a",
			"regarding.uid": string(about.GetUID()), "metadata.namespace": "ns",
		} {
			if v, _, _ := unstructured.NestedFieldNoCopy(got.Object, strings.Split(path, ".")...); v != want {
				t.Errorf("%s is %v, want %v", path, v, want)
			}
		}
		for range 599 { // once a second
			time.Sleep(time.Second)
			record()
		}
		if n := s.writes(); n != 1 {
			t.Errorf("%d writes within ten minutes", n)
		}
		for range 3001 {
			time.Sleep(time.Second)
			record()
		}
		if n := s.writes(); n != 1+6 {
			t.Errorf("%d writes within an hour, want 7", n)
		}
		if n := countOf(t, s); n != 3601 {
			t.Errorf("the series counts %d", n)
		}

		// Another note, reason, type or object is another Event.
		r.Record(t.Context(), about, Warning, "Failed", "Create", "the cloud says maybe")
		r.Record(t.Context(), about, Warning, "Refused", "Create", "the cloud says no")
		r.Record(t.Context(), about, Normal, "Failed", "Create", "the cloud says no")
		r.Record(t.Context(), thing(with("9", "metadata", "uid")), Warning, "Failed", "Create", "the cloud says no")
		if n := len(eventsOf(s)); n != 5 {
			t.Errorf("%d Events", n)
		}
		if log.String() != "" {
			t.Errorf("the log says:\n%s", log)
		}
	})
}

func TestEventAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		record := func(r *Recorder, n int) {
			for range n {
				r.Record(t.Context(), thing(), Normal, "Created", "Create", "made it")
				time.Sleep(time.Minute)
			}
		}
		first := NewRecorder(s.client, "host", (&logLines{}).logger())
		record(first, 1)
		second := NewRecorder(s.client, "host", (&logLines{}).logger())
		record(second, 1)
		if n := countOf(t, s); n != 2 {
			t.Errorf("after a restart the series counts %d", n)
		}
		record(second, 20)
		if n := countOf(t, s); n != 22 {
			t.Errorf("and then %d", n)
		}
		third := NewRecorder(s.client, "host", (&logLines{}).logger())
		record(third, 1)
		if n := countOf(t, s); n != 23 {
			t.Errorf("after another restart it counts %d", n)
		}
		record(third, 10) // it goes on from there, not from its own memory
		if n := countOf(t, s); n != 33 {
			t.Errorf("and then %d", n)
		}
	})
}

func TestEventThatExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		r := NewRecorder(s.client, "host", (&logLines{}).logger())
		r.Record(t.Context(), thing(), Normal, "Created", "Create", "made it")
		e := eventsOf(s)[0]
		s.remove("events", Key{e.GetNamespace(), e.GetName()})
		time.Sleep(time.Hour)
		r.Record(t.Context(), thing(), Normal, "Created", "Create", "made it")
		if n := countOf(t, s); n != 0 {
			t.Errorf("made anew, it has a series of %d", n)
		}
		time.Sleep(time.Hour)
		r.Record(t.Context(), thing(), Normal, "Created", "Create", "made it")
		if n := countOf(t, s); n != 3 {
			t.Errorf("the series counts %d", n)
		}
	})
}

func TestEventThatCannotBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		log := &logLines{}
		r := NewRecorder(s.client, "host", log.logger())
		s.setFault(func(*http.Request) *metav1.Status { return stubStatus(403, metav1.StatusReasonForbidden) })
		r.Record(t.Context(), thing(), Normal, "Created", "Create", "made it")
		if log.count("could not write an Event") != 1 {
			t.Errorf("the log says:\n%s", log)
		}
		r.Record(t.Context(), thing(), Normal, "Created", "Create", "made it")
		if log.count("could not write an Event") != 1 {
			t.Errorf("it is told again at once:\n%s", log)
		}
		s.setFault(nil)
		time.Sleep(eventSpell)
		r.Record(t.Context(), thing(), Normal, "Created", "Create", "made it")
		if n := len(eventsOf(s)); n != 1 {
			t.Errorf("%d Events when it is allowed again", n)
		}
	})
}

func TestNamespaceEnding(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "services"}, "web", errors.New("because it is being terminated"))
	if NamespaceEnding(forbidden) {
		t.Error("a message proves nothing")
	}
	forbidden.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: "NamespaceTerminating"}}
	if !NamespaceEnding(forbidden) {
		t.Error("the API server's own cause is not recognised")
	}
}

// A namespace with many objects that is deleted is no trouble, of which each tells.
func TestEventInANamespaceThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		log := &logLines{}
		r := NewRecorder(s.client, "host", log.logger())
		s.setFault(func(*http.Request) *metav1.Status {
			status := stubStatus(403, metav1.StatusReasonForbidden)
			status.Details = &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: "NamespaceTerminating"}}}
			return status
		})
		r.Record(t.Context(), thing(), Normal, "Created", "Create", "made it")
		if text := log.String(); strings.Contains(text, "level=WARN") || log.count("could not write an Event") > 1 {
			t.Errorf("the log says:\n%s", text)
		}
	})
}

// What the API server demands of an Event.
func TestEventLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		r := NewRecorder(s.client, "", (&logLines{}).logger())
		names := map[string]bool{}
		for i, c := range []struct{ name, note string }{
			{"a", strings.Repeat("x", 1024)},
			{"a", strings.Repeat("x", 1025)},
			{"a", strings.Repeat("y", 1020) + "€€"}, // the cut would go through a rune
			{"a", strings.Repeat("y", 1019) + "€€"},
			{"a", strings.Repeat("y", 1018) + "€€€"},
			{"a", strings.Repeat("€", 5000)},
			{"a", "not UTF-8: \xff\xfe"},
			{strings.Repeat("n", 253), "a long name"},
			{strings.Repeat("n", 199) + "-" + strings.Repeat("n", 53), "a name that would be cut after a dash"},
			{strings.Repeat("n", 198) + ".-" + strings.Repeat("n", 53), "a name that would be cut after a dot and a dash"},
		} {
			about := thing()
			about.SetName(c.name)
			about.SetUID(types.UID(fmt.Sprint(i)))
			r.Record(t.Context(), about, Normal, strings.Repeat("Reason", 30), strings.Repeat("Action", 30), c.note)
		}
		for _, e := range eventsOf(s) {
			note, _, _ := unstructured.NestedString(e.Object, "note")
			if len(note) > noteLimit || !utf8.ValidString(note) || strings.ContainsRune(note, utf8.RuneError) {
				t.Errorf("a note of %d bytes, UTF-8: %v, ends %q", len(note), utf8.ValidString(note), note[max(0, len(note)-8):])
			}
			for _, field := range []string{"reason", "action", "reportingInstance"} {
				if v, _, _ := unstructured.NestedString(e.Object, field); len(v) > 128 || v == "" {
					t.Errorf("%s has %d bytes", field, len(v))
				}
			}
			if problems := validation.IsDNS1123Subdomain(e.GetName()); len(problems) > 0 {
				t.Errorf("the name %s: %v", e.GetName(), problems)
			}
			names[e.GetName()] = true
		}
		if len(names) != 10 {
			t.Errorf("%d Events", len(names))
		}
	})
}

func TestShortened(t *testing.T) {
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{
		{"", 8, ""}, {"12345678", 8, "12345678"}, {"123456789", 8, "12345..."},
		{"12345€", 8, "12345€"}, {"123€€", 8, "123..."}, {"12€€€", 8, "12€..."}, {"1€€€", 8, "1€..."},
	} {
		if got := shortened(c.s, c.n); got != c.want {
			t.Errorf("%q to %d: %q, want %q", c.s, c.n, got, c.want)
		}
	}
}

// However many different Events there are, few are remembered.
func TestEventMemoryIsBounded(t *testing.T) {
	s := newStub(t)
	s.setFault(func(*http.Request) *metav1.Status { return stubStatus(403, metav1.StatusReasonForbidden) })
	r := NewRecorder(s.client, "host", (&logLines{}).logger())
	about := thing()
	about.SetName(strings.Repeat("n", 200))
	at := time.Now()
	used := heapGrowth(func() any {
		for i := range 10 * eventMemory {
			r.count(fmt.Sprintf("ns/%s.%016x", about.GetName(), i), at.Add(time.Duration(i)*time.Second))
		}
		return r
	})
	if len(r.seen) != eventMemory {
		t.Errorf("%d are remembered", len(r.seen))
	}
	if used > eventMemory*(240+150) {
		t.Errorf("that takes %d bytes", used)
	}
	if _, ok := r.seen[fmt.Sprintf("ns/%s.%016x", about.GetName(), 10*eventMemory-1)]; !ok {
		t.Error("the newest is forgotten")
	}
	runtime.KeepAlive(r)
}
