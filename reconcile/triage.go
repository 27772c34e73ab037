package reconcile

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Annotations that people put on objects.
const (
	// AnnotationPaused makes Mote leave the object alone, unless its value is "false",
	// "no", "off" or "0". What Mote has a finalizer on is not deleted meanwhile either.
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
	// tally is what is counted of the object.
	tally tally
	// Steady means that the object said of itself that nothing is left to do.
	Steady bool
	// Deleting means that deletionTimestamp was set.
	Deleting bool
	met      bool // at the start, some child of it
}

// Glimpse is what triage reads of an object, from an event or a list.
type Glimpse struct {
	Interest         uint64
	Steady, Deleting bool
	// Phase is what the status says, as it stands in the text that was read.
	Phase string
	// Before is what Interest was while the status spoke of the present generation, if
	// nothing else of interest has changed since; 0 while it does.
	Before   uint64
	Children Children // of the status; 0: it has none
}

// Look reads a glimpse of an object. It is steady when it is not being deleted,
// its status speaks of the present generation, and its phase is one in which
// nothing is left to do. The seed is the kind's.
func Look(u *unstructured.Unstructured, steadyPhases []string, seed uint64) Glimpse {
	g := Glimpse{Deleting: u.GetDeletionTimestamp() != nil}
	generation := u.GetGeneration()
	field, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status")
	status, _ := field.(map[string]any)
	observed, _ := status["observedGeneration"].(int64)
	uid := newDigest().text(string(u.GetUID()))
	d, before := uid.number(uint64(generation)), uid.number(uint64(observed))
	if g.Deleting {
		d = d.text("deleting")
	}
	field, _, _ = unstructured.NestedFieldNoCopy(u.Object, "metadata", "annotations")
	annotations, _ := field.(map[string]any)
	var ours []string
	for k := range annotations {
		if strings.HasPrefix(k, annotationPrefix) {
			ours = append(ours, k)
		}
	}
	slices.Sort(ours)
	for _, k := range ours {
		value, _ := annotations[k].(string)
		d, before = d.text(k).text(value), before.text(k).text(value)
	}
	g.Interest = uint64(d)
	g.Phase, _ = status["phase"].(string)
	if g.Deleting {
		return g
	}
	g.Children = childrenOf(status, seed)
	g.Steady = observed == generation && slices.Contains(steadyPhases, g.Phase)
	if observed != generation {
		g.Before = uint64(before)
	}
	return g
}

// digest is an FNV-1a hash in the making. Each part is closed by its length, so
// that parts cannot run into each other.
type digest uint64

func newDigest() digest { return 14695981039346656037 }

func (d digest) text(s string) digest {
	for i := range len(s) {
		d = (d ^ digest(s[i])) * 1099511628211
	}
	return d.number(uint64(len(s)))
}

func (d digest) number(n uint64) digest {
	for range 8 {
		d = (d ^ digest(n&0xff)) * 1099511628211
		n >>= 8
	}
	return d
}

// Triage decides from an event alone whether an object needs a turn: when it is
// new to us and not steady, when something of interest changed, or when it
// stopped being steady. An object that is not steady and unchanged is in the
// hands of its own last turn, which said when it wants the next one; so the
// echo of our own status write wakes nothing, but for the one that ends the
// steady state: it cannot be told from a status that somebody else took away,
// and costs one turn more.
func Triage(old Record, known bool, seen Glimpse) bool {
	if !known {
		return !seen.Steady
	}
	return old.Interest != seen.Interest || (old.Steady && !seen.Steady)
}

// respecified tells of an object that was steady and of which nothing is new but
// its spec.
func respecified(old Record, seen Glimpse) bool {
	return old.Steady && seen.Before != 0 && old.Interest == seen.Before
}
