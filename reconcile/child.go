package reconcile

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Recall is a child of an owned resource as it was last seen, without managedFields, if
// that was in the last minute and a turn or the watch has it at hand; nil: it has to be
// read. It may be older than what the API server has, and an event is on its way then.
func (t *Turn) Recall(r schema.GroupVersionResource, name string) *unstructured.Unstructured {
	if s := t.sinkOf(r); s != nil {
		return t.recents.get(t.recent, sighting{s, name})
	}
	return nil
}

// Sure fails with a Conflict, or an error of the API server, unless the object is what
// the turn began with: of the same uid and generation, and not being deleted since.
// Who destroys something asks this first. Of one that this turn has read it is so.
func (t *Turn) Sure(ctx context.Context) error {
	if !t.recalled {
		return nil
	}
	now, err := t.Again(ctx)
	if err != nil {
		return fmt.Errorf("read the object again: %w", err)
	}
	if now.GetUID() != t.Object.GetUID() || now.GetGeneration() != t.Object.GetGeneration() {
		return apierrors.NewConflict(schema.GroupResource{Group: t.Object.GroupVersionKind().Group, Resource: t.Object.GetKind()}, t.Key.Name,
			errors.New("it has changed since it was last seen"))
	}
	t.recalled = false
	return nil
}

// Read reads a child of an owned resource live. Its errors are the API server's.
func (t *Turn) Read(ctx context.Context, r schema.GroupVersionResource, name string) (*unstructured.Unstructured, error) {
	live, err := t.Client(r).Get(ctx, name, metav1.GetOptions{})
	if s := t.sinkOf(r); err == nil && s != nil {
		t.saw(sighting{s, name}, live)
	}
	return live, err
}

// Wrote tells the engine what a child has become by this turn's own write, so that
// the event of it does not wake the key again.
func (t *Turn) Wrote(r schema.GroupVersionResource, live *unstructured.Unstructured) {
	if s := t.sinkOf(r); s != nil {
		s.wrote(t.Key, live)
		t.saw(sighting{s, live.GetName()}, live)
	}
}

func (t *Turn) sinkOf(r schema.GroupVersionResource) *ownedSink {
	for _, s := range t.owned {
		if s.owned.Resource == r {
			return s
		}
	}
	return nil
}

// saw takes down what a part of the object is, for the turns to come.
func (t *Turn) saw(s sighting, u *unstructured.Unstructured) {
	if t.recents == nil {
		return
	}
	if t.seen == nil {
		t.seen = map[sighting]*unstructured.Unstructured{}
	}
	t.seen[s] = u
}
