package reconcile

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// thing is an object as the API server shows it, in generation 3 and steady.
func thing(changes ...func(o map[string]any)) *unstructured.Unstructured {
	o := map[string]any{
		"apiVersion": "example.com/v1", "kind": "Thing",
		"metadata": map[string]any{
			"namespace": "ns", "name": "a", "uid": "11111111-2222-3333-4444-555555555555",
			"generation": int64(3), "resourceVersion": "100",
			"labels":      map[string]any{"team": "red"},
			"annotations": map[string]any{"example.org/note": "x"},
		},
		"spec":   map[string]any{"size": int64(1)},
		"status": map[string]any{"phase": "Running", "observedGeneration": int64(3)},
	}
	for _, c := range changes {
		c(o)
	}
	return &unstructured.Unstructured{Object: o}
}

// with sets a field.
func with(value any, fields ...string) func(map[string]any) {
	return func(o map[string]any) {
		if err := unstructured.SetNestedField(o, value, fields...); err != nil {
			panic(err)
		}
	}
}

// without removes a field.
func without(fields ...string) func(map[string]any) {
	return func(o map[string]any) { unstructured.RemoveNestedField(o, fields...) }
}

var thingSteady = []string{"Running", "Ready"}

func TestLookSteady(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(map[string]any)
		steady bool
	}{
		{"as it should be", func(map[string]any) {}, true},
		{"another of the steady phases", with("Ready", "status", "phase"), true},
		{"a phase with work to do", with("Pending", "status", "phase"), false},
		{"no phase", without("status", "phase"), false},
		{"no status", without("status"), false},
		{"a status that is no object", with("odd", "status"), false},
		{"a phase that is no string", with(int64(1), "status", "phase"), false},
		{"a spec that is newer than the status", with(int64(4), "metadata", "generation"), false},
		{"a status that knows no generation", without("status", "observedGeneration"), false},
		{"a generation that is no number", with("3", "status", "observedGeneration"), false},
		{"being deleted", with("2026-01-02T03:04:05Z", "metadata", "deletionTimestamp"), false},
		{"other people's annotations", with("y", "metadata", "annotations", "example.org/note"), true},
	} {
		if g := Look(thing(c.change), thingSteady, 0); g.Steady != c.steady {
			t.Errorf("%s: steady is %v, want %v", c.name, g.Steady, c.steady)
		}
	}
	if g := Look(&unstructured.Unstructured{Object: map[string]any{}}, thingSteady, 0); g.Steady || g.Deleting {
		t.Errorf("an empty object looks like %+v", g)
	}
}

func TestLookInterest(t *testing.T) {
	paused := with("true", "metadata", "annotations", AnnotationPaused)
	asked := func(when string) func(map[string]any) {
		return with(when, "metadata", "annotations", AnnotationReconcile)
	}
	base := Look(thing(), thingSteady, 0).Interest
	for _, c := range []struct {
		name   string
		change func(map[string]any)
		same   bool
	}{
		{"nothing", func(map[string]any) {}, true},
		{"the resourceVersion", with("101", "metadata", "resourceVersion"), true},
		{"the status", with("Failed", "status", "phase"), true},
		{"no status", without("status"), true},
		{"labels", with("blue", "metadata", "labels", "team"), true},
		{"other people's annotations", with("y", "metadata", "annotations", "example.org/note"), true},
		{"finalizers", with([]any{"example.org/f"}, "metadata", "finalizers"), true},
		{"no annotations", without("metadata", "annotations"), true},
		{"annotations that are no object", with("odd", "metadata", "annotations"), true},

		{"the generation", with(int64(4), "metadata", "generation"), false},
		{"another uid", with("99999999-2222-3333-4444-555555555555", "metadata", "uid"), false},
		{"deletion", with("2026-01-02T03:04:05Z", "metadata", "deletionTimestamp"), false},
		{"the pause", paused, false},
		{"a turn that is asked for", asked("1"), false},
	} {
		if got := Look(thing(c.change), thingSteady, 0).Interest; (got == base) != c.same {
			t.Errorf("%s: a change of interest is %v, want %v", c.name, got != base, !c.same)
		}
	}
	distinct := map[uint64]string{}
	for name, changes := range map[string][]func(map[string]any){
		"asked 1": {asked("1")}, "asked 2": {asked("2")}, "asked, with no value": {asked("")},
		"paused": {paused}, "paused and asked 1": {paused, asked("1")},
		"value runs into key": {asked("1" + AnnotationPaused + "true")},
		"value with zeros":    {asked("1\x00" + AnnotationPaused + "\x00true")},
	} {
		i := Look(thing(changes...), thingSteady, 0).Interest
		if other, ok := distinct[i]; ok {
			t.Errorf("%q and %q look the same", name, other)
		}
		distinct[i] = name
		for range 20 { // whatever order the map gives the annotations in
			if Look(thing(changes...), thingSteady, 0).Interest != i {
				t.Fatalf("%q does not always look the same", name)
			}
		}
	}
}

// What happens to an object, event by event, and which events wake it.
func TestTriageStories(t *testing.T) {
	const wakes, silent = true, false
	type event struct {
		what   string
		object *unstructured.Unstructured
		want   bool
	}
	pending := with("Pending", "status", "phase")
	running := with("Running", "status", "phase")
	deleted := with("2026-01-02T03:04:05Z", "metadata", "deletionTimestamp")
	generation := func(n int64) func(map[string]any) { return with(n, "metadata", "generation") }
	observed := func(n int64) func(map[string]any) { return with(n, "status", "observedGeneration") }
	for name, story := range map[string][]event{
		"steady at the start": {
			{"listed", thing(), silent},
			{"listed again", thing(), silent},
			{"labelled", thing(with("blue", "metadata", "labels", "team")), silent},
			{"annotated by others", thing(with("z", "metadata", "annotations", "example.org/note")), silent},
		},
		"made, and brought to its end": {
			{"made", thing(generation(1), without("status")), wakes},
			{"our echo: pending", thing(generation(1), observed(1), pending), silent},
			{"our echo: still pending", thing(generation(1), observed(1), pending, with("x", "status", "message")), silent},
			{"our echo: running", thing(generation(1), observed(1), running), silent},
			{"our echo: the same again", thing(generation(1), observed(1), running), silent},
		},
		"changed while steady": {
			{"listed", thing(), silent},
			{"a new spec", thing(generation(4)), wakes},
			{"our echo: updating", thing(generation(4), observed(4), with("Updating", "status", "phase")), silent},
			{"our echo: running", thing(generation(4), observed(4)), silent},
		},
		"changed while not steady": {
			{"listed", thing(pending), wakes},
			{"a new spec", thing(pending, generation(4)), wakes},
			{"a newer spec", thing(pending, generation(5)), wakes},
		},
		"a status that somebody wiped": {
			{"listed", thing(), silent},
			{"wiped", thing(without("status")), wakes},
			{"wiped again, while our turn runs", thing(without("status")), silent},
			{"our echo: running", thing(), silent},
			{"wiped once more", thing(without("status")), wakes},
		},
		"the steady state ends by our own hand": {
			{"listed", thing(), silent},
			{"our echo: degraded", thing(with("Degraded", "status", "phase")), wakes}, // the one echo that costs a turn
			{"our echo: degraded still", thing(with("Degraded", "status", "phase"), with("x", "status", "message")), silent},
		},
		"deleted while steady": {
			{"listed", thing(), silent},
			{"deleted", thing(deleted, generation(4)), wakes},
			{"our echo: deleting", thing(deleted, generation(4), observed(4), with("Deleting", "status", "phase")), silent},
			{"our finalizer is off, another's is not", thing(deleted, generation(4), with([]any{"example.org/f"}, "metadata", "finalizers")), silent},
		},
		"deleted before we came": {
			{"listed", thing(deleted), wakes},
			{"listed again", thing(deleted), silent},
		},
		"made again under the same name": {
			{"listed", thing(), silent},
			{"seen with another uid, steady", thing(with("9", "metadata", "uid")), wakes},
		},
		"made again under the same name, before it has a status": {
			{"listed", thing(generation(1), observed(1)), silent},
			{"seen with another uid", thing(generation(1), without("status"), with("9", "metadata", "uid")), wakes},
		},
		"paused and let go": {
			{"listed", thing(pending), wakes},
			{"paused", thing(pending, with("true", "metadata", "annotations", AnnotationPaused)), wakes},
			{"paused still", thing(pending, with("true", "metadata", "annotations", AnnotationPaused), with("9", "metadata", "resourceVersion")), silent},
			{"let go", thing(pending), wakes},
		},
		"asked for a turn": {
			{"listed", thing(), silent},
			{"asked", thing(with("1", "metadata", "annotations", AnnotationReconcile)), wakes},
			{"the same", thing(with("1", "metadata", "annotations", AnnotationReconcile)), silent},
			{"asked again", thing(with("2", "metadata", "annotations", AnnotationReconcile)), wakes},
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := NewIndex()
			for i, e := range story {
				if got := seeWakes(x, Key{"ns", "a"}, Look(e.object, thingSteady, 0)); got != e.want {
					t.Errorf("event %d, %s: wakes is %v", i+1, e.what, got)
				}
			}
		})
	}
}

// Every case of Triage there is.
func TestTriageTable(t *testing.T) {
	for _, known := range []bool{false, true} {
		for _, was := range []bool{false, true} {
			for _, is := range []bool{false, true} {
				for _, changed := range []bool{false, true} {
					old, seen := Record{Interest: 1, Steady: was}, Glimpse{Interest: 1, Steady: is}
					if changed {
						seen.Interest = 2
					}
					want := false
					switch {
					case !known && !is: // new, with work to do
						want = true
					case known && changed: // somebody wants something of it
						want = true
					case known && was && !is: // it fell out of the steady state
						want = true
					}
					if got := Triage(old, known, seen); got != want {
						t.Errorf("known %v, was steady %v, is %v, changed %v: %v, want %v", known, was, is, changed, got, want)
					}
				}
			}
		}
	}
}

func TestLookAllocatesLittle(t *testing.T) {
	u := thing()
	if n := testing.AllocsPerRun(100, func() { Look(u, thingSteady, 0) }); n > 1 {
		t.Errorf("a look at a usual object allocates %v times", n)
	}
}

func TestKeyString(t *testing.T) {
	for want, k := range map[string]Key{"ns/a": {"ns", "a"}, "a": {"", "a"}} {
		if got := fmt.Sprint(k); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
