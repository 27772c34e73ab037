package myapp

import (
	"fmt"
	"time"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// belonging says whose a live object is that has the name of an app's child.
type belonging int

const (
	nobody      belonging = iota // there is no such object
	ours                         // this app is its controlling owner
	leaving                      // ours, and being deleted
	predecessor                  // an earlier app's of this name: garbage collection is to take it
	orphan                       // nobody's, made by Mote for an app of this name
	foreign                      // somebody else's: never touched
)

// belongs judges by the controlling owner reference and its uid. Where there is
// none, labels and names prove nothing, for anyone may copy them; see madeFor.
func belongs(app *examplev1.MyApp, live *unstructured.Unstructured) belonging {
	if live == nil {
		return nobody
	}
	ref := metav1.GetControllerOf(live)
	switch {
	case ref == nil && !madeFor(app, live):
		return foreign
	case ref == nil && live.GetDeletionTimestamp() != nil:
		return leaving
	case ref == nil:
		return orphan
	}
	group, err := schema.ParseGroupVersion(ref.APIVersion)
	switch {
	case ref.UID == app.UID && live.GetDeletionTimestamp() != nil:
		return leaving
	case ref.UID == app.UID:
		return ours
	case err == nil && group.Group == examplev1.Group && ref.Kind == examplev1.Kind && ref.Name == app.Name:
		return predecessor
	}
	return foreign
}

// madeFor tells whether Mote made an object for an app of this name: it has the
// labels of that, and the API server itself has noted that Mote applied it. Who
// wants to take a child away from Mote for good takes a label off.
func madeFor(app *examplev1.MyApp, live *unstructured.Unstructured) bool {
	labels := live.GetLabels()
	return labels[reconcile.OwnedLabel] == reconcile.OwnedBy && labels[labelApp] == app.Name && appliedByMote(live)
}

func appliedByMote(live *unstructured.Unstructured) bool {
	return stated(live, "f:metadata", "f:annotations", "f:"+annotationApplied)
}

// collectionWait is how long the garbage collector may take for the children of an
// app that is gone.
const collectionWait = time.Minute

// adoptable tells whether an app may take an object over.
//
// An orphan may be taken: its app was deleted with --cascade=orphan, or it was put
// back from a backup without its owner.
//
// What a predecessor left is for the garbage collector to take, as the one who
// deleted the app wanted: to be quicker would keep pods whose end was asked for. A
// collector that does not come (there is none, or it cannot read this kind) leaves
// it for ever; then it may be taken, for an app of this name and another uid is
// gone, or this one would not be there.
func adoptable(app *examplev1.MyApp, live *unstructured.Unstructured, now time.Time) bool {
	switch belongs(app, live) {
	case orphan:
		return true
	case predecessor:
		old := func(since time.Time) bool { return now.Sub(since) >= collectionWait }
		return madeFor(app, live) && live.GetDeletionTimestamp() == nil &&
			old(app.CreationTimestamp.Time) && old(live.GetCreationTimestamp().Time)
	}
	return false
}

// ownerNote says in words whose an object is.
func ownerNote(live *unstructured.Unstructured) string {
	if ref := metav1.GetControllerOf(live); ref != nil {
		return fmt.Sprintf("belongs to %s %q", ref.Kind, ref.Name)
	}
	if appliedByMote(live) {
		return "has neither an owner nor the labels of this MyApp any more"
	}
	labels := live.GetLabels()
	if _, applied := live.GetAnnotations()[annotationApplied]; applied && labels[reconcile.OwnedLabel] == reconcile.OwnedBy && labels[labelApp] != "" {
		return "looks like Mote's, but the API server has no note (in its managedFields) that Mote made it, as after a backup was put back without them"
	}
	return "was not made by Mote"
}
