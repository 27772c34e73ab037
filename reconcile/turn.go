package reconcile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// FieldManager is the name under which Mote writes.
const FieldManager = "mote"

// Turn is one object's turn: the object, read live, and the means to write.
type Turn struct {
	Key    Key
	Object *unstructured.Unstructured
	Log    *slog.Logger

	client   dynamic.Interface
	resource dynamic.ResourceInterface
	events   *Recorder
	owned    []*ownedSink
	pruned   *pruned
	recents  *recents
	recent   *recent
	recalled bool                                    // the object was not read, by this turn
	seen     map[sighting]*unstructured.Unstructured // by this turn
}

// Now is the present, in whole seconds as the API keeps time.
func (t *Turn) Now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// Into decodes the object into a typed struct.
func (t *Turn) Into(typed any) error {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(t.Object.Object, typed); err != nil {
		return fmt.Errorf("decode %s %s: %w", t.Object.GetKind(), t.Key, err)
	}
	return nil
}

// Again reads the object once more. The turn's own copy stays as it is.
func (t *Turn) Again(ctx context.Context) (*unstructured.Unstructured, error) {
	return t.resource.Get(ctx, t.Key.Name, metav1.GetOptions{})
}

// Client reaches other resources in the object's namespace.
func (t *Turn) Client(r schema.GroupVersionResource) dynamic.ResourceInterface {
	return t.client.Resource(r).Namespace(t.Key.Namespace)
}

// Event records an Event about the object; repeats are counted, not multiplied.
func (t *Turn) Event(ctx context.Context, kind EventType, reason, action, note string) {
	t.events.Record(ctx, t.Object, kind, reason, action, note)
}

// PatchStatus writes what differs between the object's status and the wanted
// one, which is a struct of the kind's status type. Nothing is written when
// nothing but lastReconciled would change. It tells whether it wrote. It fails with
// a Conflict when the object has changed since it was read: nothing less tells an
// object from one that was made anew under its name, which a status that speaks of
// the old one would leave undone.
func (t *Turn) PatchStatus(ctx context.Context, wanted any) (wrote bool, err error) {
	return t.patchStatus(ctx, wanted, false)
}

// PatchStatusChecked is PatchStatus that writes even when nothing differs.
func (t *Turn) PatchStatusChecked(ctx context.Context, wanted any) error {
	_, err := t.patchStatus(ctx, wanted, true)
	return err
}

func (t *Turn) patchStatus(ctx context.Context, wanted any, always bool) (bool, error) {
	want, err := toMap(wanted)
	if err != nil {
		return false, err
	}
	field, _, _ := unstructured.NestedFieldNoCopy(t.Object.Object, "status")
	live, _ := field.(map[string]any)
	diff := mergePatch(live, want, map[string]bool{"lastReconciled": true})
	if len(diff) == 0 && !always {
		return false, nil
	}
	diff["lastReconciled"] = t.Now().Format(time.RFC3339)
	if err := t.patch(ctx, map[string]any{"status": diff}, "status"); err != nil {
		return true, err
	}
	field, _, _ = unstructured.NestedFieldNoCopy(t.Object.Object, "status")
	got, _ := field.(map[string]any)
	if field := t.pruned.answered(t.Key, diff, got); field != "" {
		t.Log.Warn("the API server dropped a field of the status: its CRD is older than this Mote (mote crds | kubectl apply -f -)", "field", "status."+field)
	}
	return true, nil
}

// AddFinalizer puts a finalizer on the object, unless it is there or the object
// is being deleted (when the API server takes none). It fails with a Conflict
// when the object has changed.
func (t *Turn) AddFinalizer(ctx context.Context, name string) error {
	if HasFinalizer(t.Object, name) || t.Object.GetDeletionTimestamp() != nil {
		return nil
	}
	return t.setFinalizers(ctx, append(t.Object.GetFinalizers(), name))
}

// RemoveFinalizer takes a finalizer off the object. It fails with a Conflict
// when the object has changed.
func (t *Turn) RemoveFinalizer(ctx context.Context, name string) error {
	if !HasFinalizer(t.Object, name) {
		return nil
	}
	others := []string{}
	for _, f := range t.Object.GetFinalizers() {
		if f != name {
			others = append(others, f)
		}
	}
	return t.setFinalizers(ctx, others)
}

// HasFinalizer tells whether an object has a finalizer.
func HasFinalizer(u *unstructured.Unstructured, name string) bool {
	return slices.Contains(u.GetFinalizers(), name)
}

func (t *Turn) setFinalizers(ctx context.Context, all []string) error {
	return t.patch(ctx, map[string]any{"metadata": map[string]any{"finalizers": all}})
}

// patch sends a merge patch that can only hit this very version of the object; else
// it is a Conflict. The uid is there for an API server that was restored and gives
// versions anew; of a patch of a status it does not read it. The object becomes what
// the server answers.
func (t *Turn) patch(ctx context.Context, body map[string]any, subresource ...string) error {
	meta, _ := body["metadata"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
		body["metadata"] = meta
	}
	meta["uid"], meta["resourceVersion"] = string(t.Object.GetUID()), t.Object.GetResourceVersion()
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	u, err := t.resource.Patch(ctx, t.Key.Name, types.MergePatchType, data, metav1.PatchOptions{FieldManager: FieldManager}, subresource...)
	if otherUID(err) {
		err = apierrors.NewConflict(schema.GroupResource{Group: t.Object.GroupVersionKind().Group, Resource: t.Object.GetKind()}, t.Key.Name,
			errors.New("it was made anew under the same name"))
	}
	if err != nil {
		return fmt.Errorf("patch %s %s: %w", t.Object.GetKind(), t.Key, err)
	}
	t.Object = u
	t.saw(itself, u)
	return nil
}

// otherUID tells whether the API server refused a patch because of its uid. It
// does not call that a Conflict, but Invalid, for to it the patch would change
// the uid.
func otherUID(err error) bool {
	var refused apierrors.APIStatus
	if !apierrors.IsInvalid(err) || !errors.As(err, &refused) || refused.Status().Details == nil {
		return false
	}
	return slices.ContainsFunc(refused.Status().Details.Causes, func(c metav1.StatusCause) bool { return c.Field == "metadata.uid" })
}
