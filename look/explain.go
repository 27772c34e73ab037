package look

import (
	"cmp"
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	kinds "k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/mote/crd/databasev1"
	"example.com/mote/crd/examplev1"
	"example.com/mote/forecast"
	"example.com/mote/reconcile"
	"example.com/mote/reconcile/myapp"
	"example.com/mote/reconcile/postgresdb"
	"example.com/mote/schema"
)

// mostEvents is how many Events of an object are shown: the last ones.
const mostEvents = 10

// Explain is why an object is as it is.
func (l *Look) Explain(ctx context.Context, k *schema.Kind, u *unstructured.Unstructured) forecast.Explanation {
	var x forecast.Explanation
	var conditions []metav1.Condition
	var err error
	switch k.Name {
	case databasev1.Kind:
		var db databasev1.PostgresDB
		if err = runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &db); err == nil {
			x = postgresdb.Explain(ctx, &db, l.Settings, postgresdb.Sight{Cloud: l.Cloud, Look: l.turn(k, u), Now: l.Now(), Watch: l.Watch})
			conditions = db.Status.Conditions
		}
	case examplev1.Kind:
		var app examplev1.MyApp
		if err = runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &app); err == nil {
			x = myapp.Explain(ctx, &app, l.Apps, myapp.Sight{Look: l.turn(k, u), Now: l.Now()})
			conditions = app.Status.Conditions
		}
	}
	if err != nil {
		x.Errors = append(x.Errors, err.Error())
	}
	x.Kind, x.Namespace, x.Name = k.Name, u.GetNamespace(), u.GetName()
	if x.Now.IsZero() {
		x.Now = l.Now()
	}
	if x.By = l.By(ctx, u); x.By == "" {
		x.By = "not known: the API server does not let you list Leases"
	}
	if reconcile.Paused(u) {
		x.Decision, x.Rule, x.Because = "none", "paused", "it has the annotation "+reconcile.AnnotationPaused
		x.WaitsFor, x.Until = "somebody to take the annotation off", nil
	}
	for _, c := range conditions {
		x.Conditions = append(x.Conditions, forecast.Said{Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message, Since: c.LastTransitionTime.Time})
	}
	if x.Events, err = l.events(ctx, u); err != nil {
		x.Errors = append(x.Errors, "Events: "+err.Error())
	}
	return x
}

// events are the last about an object, oldest first.
func (l *Look) events(ctx context.Context, u *unstructured.Unstructured) ([]forecast.Said, error) {
	about := fields.Set{"involvedObject.kind": u.GetKind(), "involvedObject.name": u.GetName(), "involvedObject.uid": string(u.GetUID())}
	list, err := l.Cluster.Resource(kinds.GroupVersionResource{Version: "v1", Resource: "events"}).Namespace(u.GetNamespace()).
		List(ctx, metav1.ListOptions{FieldSelector: about.String(), Limit: pageSize})
	if err != nil {
		return nil, readable(err)
	}
	var all []forecast.Said
	for _, e := range list.Items {
		text := func(path ...string) string { s, _, _ := unstructured.NestedString(e.Object, path...); return s }
		said := forecast.Said{Type: text("type"), Reason: text("reason"), Message: text("message"), Since: e.GetCreationTimestamp().Time}
		said.Count, _, _ = unstructured.NestedInt64(e.Object, "count")
		if n, there, _ := unstructured.NestedInt64(e.Object, "series", "count"); there {
			said.Count = n
		}
		for _, path := range [][]string{{"eventTime"}, {"lastTimestamp"}, {"series", "lastObservedTime"}} {
			if at, err := time.Parse(time.RFC3339, text(path...)); err == nil && at.After(said.Since) {
				said.Since = at
			}
		}
		all = append(all, said)
	}
	slices.SortFunc(all, func(a, b forecast.Said) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Reason, b.Reason)) })
	return all[max(len(all)-mostEvents, 0):], nil
}
