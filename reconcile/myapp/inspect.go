package myapp

import (
	"context"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	podResource   = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	eventResource = schema.GroupVersionResource{Version: "v1", Resource: "events"}
)

// podLimit is how many pods are looked at for the first cause; what stands in the
// way of an app is seldom another thing for the hundred-and-first.
const podLimit = 100

// inspect looks at an app's pods for what stands in their way. Nothing of them is
// kept, and they are not watched: it is done when an app does not get on, ever more
// seldom. What cannot be read is no cause.
func inspect(ctx context.Context, t *reconcile.Turn, app *examplev1.MyApp) cause {
	pods, err := t.Client(podResource).List(ctx, metav1.ListOptions{LabelSelector: selectorOf(app), Limit: podLimit})
	if err != nil {
		t.Log.Warn("could not look at the pods for what stands in their way", "error", err.Error())
		return cause{}
	}
	found := causeOf(pods.Items, t.Now())
	if !found.weak {
		return found
	}
	about := fields.Set{"involvedObject.kind": "Pod", "involvedObject.name": found.suspect, "type": string(reconcile.Warning)}
	events, err := t.Client(eventResource).List(ctx, metav1.ListOptions{FieldSelector: about.String(), Limit: podLimit})
	if err != nil {
		t.Log.Warn("could not look at a pod's Events", "pod", found.suspect, "error", err.Error())
		return found
	}
	return found.sharper(events.Items)
}
