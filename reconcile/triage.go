package reconcile

import (
	"hash/fnv"
	"io"
	"sort"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Annotations that people put on objects.
const (
	// AnnotationPaused ("true") makes Mote leave the object alone, deletion included.
	AnnotationPaused = "mote.example.com/paused"
	// AnnotationReconcile asks for a turn whenever its value changes.
	AnnotationReconcile = "mote.example.com/reconcile-requested-at"
	annotationPrefix    = "mote.example.com/"
)

// Record is all that is kept of an object: 16 bytes.
type Record struct {
	// Interest sums up what, when changed, is a reason for a turn: uid,
	// generation, deletion, and our annotations. Not the status, which we write
	// ourselves, nor labels and other people's annotations.
	Interest uint64

	// epoch is the list that last showed the object.
	epoch uint32
	// Steady means that the object said of itself that nothing is left to do.
	Steady bool
	// Deleting means that deletionTimestamp was set.
	Deleting bool
}

// Glimpse is what triage reads of an object, from an event or a list.
type Glimpse struct {
	Interest         uint64
	Steady, Deleting bool
}

// Look reads a glimpse of an object. It is steady when it is not being deleted,
// its status speaks of the present generation, and its phase is one in which
// nothing is left to do.
func Look(u *unstructured.Unstructured, steadyPhases []string) Glimpse {
	g := Glimpse{Deleting: u.GetDeletionTimestamp() != nil}
	h := fnv.New64a()
	io.WriteString(h, string(u.GetUID()))
	io.WriteString(h, strconv.FormatInt(u.GetGeneration(), 10))
	io.WriteString(h, strconv.FormatBool(g.Deleting))
	annotations := u.GetAnnotations()
	var ours []string
	for k := range annotations {
		if strings.HasPrefix(k, annotationPrefix) {
			ours = append(ours, k)
		}
	}
	sort.Strings(ours)
	for _, k := range ours {
		io.WriteString(h, "\x00"+k+"\x00"+annotations[k])
	}
	g.Interest = h.Sum64()
	if g.Deleting {
		return g
	}
	observed, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	phase, _, _ := unstructured.NestedString(u.Object, "status", "phase")
	if observed == u.GetGeneration() {
		for _, p := range steadyPhases {
			g.Steady = g.Steady || p == phase
		}
	}
	return g
}

// Triage decides from an event alone whether an object needs a turn: when it is
// new to us and not steady, when something of interest changed, or when it
// stopped being steady. An object that is not steady and unchanged is in the
// hands of its own last turn, which said when it wants the next one; so the
// echo of our own status write wakes nothing.
func Triage(old Record, known bool, seen Glimpse) bool {
	if !known {
		return !seen.Steady
	}
	return old.Interest != seen.Interest || (old.Steady && !seen.Steady)
}
