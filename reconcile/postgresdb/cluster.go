package postgresdb

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// cluster is all that a turn does in the cluster: the object, which was read live
// when the turn began, and its connection Secret. In the product it is live; a
// model stands in for it where every step has to fail in every way.
//
// Any write may have taken effect although it returns an error, or may take it
// later, when the API server was slow. So all of them are checked: they fail with a
// Conflict when what they change has changed since it was read or last written. A
// late one, or one of a process that should be dead, never undoes what came after.
type cluster interface {
	Now() time.Time
	// Into gives the object as it was read or last written.
	Into(typed any) error
	PatchStatusChecked(ctx context.Context, wanted any) error
	AddFinalizer(ctx context.Context, name string) error
	RemoveFinalizer(ctx context.Context, name string) error
	Event(ctx context.Context, kind reconcile.EventType, reason, action, note string)

	ReadSecret(ctx context.Context, o *databasev1.PostgresDB) (*Secret, error)
	// CreateSecret never writes over a Secret that is there.
	CreateSecret(ctx context.Context, o *databasev1.PostgresDB, w SecretWrite) error
	// WriteSecret changes the very Secret that was seen; what w does not name stays.
	WriteSecret(ctx context.Context, o *databasev1.PostgresDB, seen *Secret, w SecretWrite) error
}

// SecretWrite is what to write of a connection Secret.
type SecretWrite struct {
	Data map[string]string // "" takes a key away
	// Mark: the cloud has yet to be given the password. Note: the cloud has it, the one
	// in Data or else the one that was seen; a digest of it is kept, by which another
	// one is noticed.
	Mark, Note bool
}

// live is the cluster itself. Of the object, nobody here asks who wrote which field: what
// tells of it is let go of, for hundreds of turns may wait for a slow cloud.
type live struct{ *reconcile.Turn }

// lighten lets go of managedFields.
func (t live) lighten() {
	unstructured.RemoveNestedField(t.Object.Object, "metadata", "managedFields")
}

// PatchStatusChecked is reconcile.Turn's.
func (t live) PatchStatusChecked(ctx context.Context, wanted any) error {
	defer t.lighten()
	return t.Turn.PatchStatusChecked(ctx, wanted)
}

// AddFinalizer is reconcile.Turn's.
func (t live) AddFinalizer(ctx context.Context, name string) error {
	defer t.lighten()
	return t.Turn.AddFinalizer(ctx, name)
}
