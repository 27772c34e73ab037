package myapp

import (
	"fmt"

	"example.com/mote/crd/examplev1"
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
	foreign                      // somebody else's: never touched
)

// belongs judges by the controlling owner reference and its uid alone. Labels
// and names prove nothing: anyone may copy them.
func belongs(app *examplev1.MyApp, live *unstructured.Unstructured) belonging {
	if live == nil {
		return nobody
	}
	ref := metav1.GetControllerOf(live)
	if ref == nil {
		return foreign
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

// ownerNote says in words whose an object is.
func ownerNote(live *unstructured.Unstructured) string {
	if ref := metav1.GetControllerOf(live); ref != nil {
		return fmt.Sprintf("belongs to %s %q", ref.Kind, ref.Name)
	}
	return "was not made by Mote"
}
