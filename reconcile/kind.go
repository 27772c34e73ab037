package reconcile

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/mote/metric"
)

// Kind is what the engine needs to keep one kind of object true.
type Kind struct {
	Name     string // "PostgresDB"
	Resource schema.GroupVersionResource
	// SteadyPhases are the phases in which nothing is left to do.
	SteadyPhases []string
	// Phases are all phases, at most 14, which are counted apart.
	Phases []string
	// Workers is how many turns may run at once, at least one; a kind has its own,
	// so that a call that hangs for one kind holds up no other.
	Workers int
	// TurnLimit bounds one turn; 0: two minutes.
	TurnLimit time.Duration
	Selection Selection
	Owned     []Owned
	// Seed is mixed into the sum of children in a status, see Children: with another
	// one than before, every object has a turn at the start.
	Seed       uint64
	Reconciler Reconciler
	// Index is where the records are, for a kind that keeps memos in them; nil: one
	// is made.
	Index *Index
}

// Owned is a resource whose objects belong to objects of a kind, as their
// controller by owner reference. It is narrowed by OwnedLabel.
type Owned struct {
	Resource schema.GroupVersionResource
	// Fingerprint sums up what the kind cares about in a child; a change of it
	// wakes the owner.
	Fingerprint func(*unstructured.Unstructured) uint64
}

// The label that marks what Mote makes; watches of owned kinds are narrowed by it.
const (
	OwnedLabel = "app.kubernetes.io/managed-by"
	OwnedBy    = "mote"
)

// Reconciler brings one object nearer to what it should be. It is called by
// many goroutines, never by two for the same key at once.
type Reconciler interface {
	// Reconcile takes one turn. The object was read live just before; that of a kind
	// with Owned may be as its last event or write brought it, without managedFields,
	// and an event of what is newer is on its way then. A Conflict brings a live read
	// at once, a few times; any error brings the key back by backoff. It is the reconciler's own business to show it in the object's
	// status.
	Reconcile(ctx context.Context, t *Turn) (Result, error)
	// Seen is called, quickly and often, with every object of a list or event,
	// whether or not it needs a turn. It must keep no part of the object alive.
	Seen(k Key, u *unstructured.Unstructured)
	// Left is called when an object is not there any more, or not ours to serve;
	// perhaps more than once, and perhaps while its turn runs. It must not conclude
	// that anything was deleted.
	Left(k Key)
}

// Skimmer is a Reconciler that may know from the spec alone that a change of it
// concerns nothing beyond the status.
type Skimmer interface {
	// Skim takes a turn of an object that was steady and of which nothing is new but
	// its spec. The object is as its event brought it, of whose metadata only what a list
	// reads is there (see package lean), and it may have changed again since,
	// so nothing but the status may be written, by PatchStatus or PatchStatusChecked.
	// Where it is not done, the object is read live, and Reconcile is called.
	Skim(ctx context.Context, t *Turn) (done bool, err error)
}

// Counting is a Reconciler that has numbers of its own for /metrics.
type Counting interface {
	// Metrics puts them on the page.
	Metrics(p *metric.Page)
}

// Result is how a turn ended.
type Result struct {
	// After brings the key back after this time; 0: only when something changes.
	After time.Duration
	// Retry counts the turn as failed without an error to log: the key comes
	// back by backoff, not before After.
	Retry bool
}
