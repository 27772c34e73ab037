package look

import (
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"example.com/mote/crd/databasev1"
	"example.com/mote/crd/examplev1"
	"example.com/mote/forecast"
	"example.com/mote/reconcile"
	"example.com/mote/reconcile/myapp"
	"example.com/mote/reconcile/postgresdb"
	"example.com/mote/schema"
)

// foreseenUID is that of an object that is not there yet.
const foreseenUID = "00000000-0000-0000-0000-000000000000"

// Plan is what is ahead of an object that is in the cluster.
func (l *Look) Plan(ctx context.Context, k *schema.Kind, u *unstructured.Unstructured) forecast.Object {
	o := forecast.Object{Kind: k.Name, Namespace: u.GetNamespace(), Name: u.GetName(), Steps: []forecast.Step{}}
	l.foresee(ctx, k, u, false, &o)
	return o
}

// PlanManifest is what is ahead of an object once its manifest is applied.
func (l *Look) PlanManifest(ctx context.Context, k *schema.Kind, manifest map[string]any) forecast.Object {
	u := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(manifest)}
	o := forecast.Object{Kind: k.Name, Namespace: u.GetNamespace(), Name: u.GetName(), Steps: []forecast.Step{}}
	var live *unstructured.Unstructured
	if l.Cluster != nil && u.GetName() != "" {
		var err error
		if live, err = l.Get(ctx, k, u.GetNamespace(), u.GetName()); err != nil {
			o.Errors = append(o.Errors, err.Error())
			return o
		}
	}
	if o.New = live == nil; o.New {
		k.Default(u.Object)
		o.Errors = words(k.Validate(u.Object, nil))
		if l.Cluster != nil {
			if err := l.home(ctx, u.GetNamespace()); err != nil {
				o.Errors = append(o.Errors, err.Error())
			}
		}
		u.SetUID(foreseenUID)
		u.SetGeneration(1)
		u.SetCreationTimestamp(metav1.NewTime(l.Now()))
		delete(u.Object, "status")
	} else {
		u = applied(live, u)
		k.Default(u.Object)
		refused := k.Validate(u.Object, live.Object)
		o.Fields = fieldsOf(live, u, refused)
		o.Errors = words(refused)
		if len(o.Fields) > 0 {
			u.SetGeneration(live.GetGeneration() + 1)
		}
	}
	if len(o.Errors) == 0 {
		l.foresee(ctx, k, u, o.New, &o)
		effects(k, &o)
	}
	return o
}

func words(errs field.ErrorList) (all []string) {
	for _, e := range errs {
		if e.Type == field.ErrorTypeForbidden && strings.HasPrefix(e.Detail, "unknown field") {
			all = append(all, e.Detail)
			continue
		}
		all = append(all, strings.TrimPrefix(e.Error(), "<nil>: "))
	}
	return all
}

// foresee fills in the steps, or why there are none.
func (l *Look) foresee(ctx context.Context, k *schema.Kind, u *unstructured.Unstructured, isNew bool, o *forecast.Object) {
	if reconcile.Paused(u) && (u.GetDeletionTimestamp() == nil || len(u.GetFinalizers()) > 0) {
		o.Notes = append(o.Notes, "it is paused ("+reconcile.AnnotationPaused+"): Mote does nothing until that is taken off")
		o.Then = forecast.Then{Phase: "Paused", Ready: true}
		if at := u.GetDeletionTimestamp(); at != nil {
			what := "it is being deleted since " + at.UTC().Format(time.RFC3339) + ", and stays while it is paused"
			o.Then = forecast.Then{Phase: "Paused", Reason: "Deleting", Message: what}
		}
		return
	}
	if len(o.Fields) > 0 && u.GetDeletionTimestamp() != nil {
		o.Notes = append(o.Notes, "it is being deleted: what the manifest changes will not matter")
	}
	var err error
	switch k.Name {
	case databasev1.Kind:
		var db databasev1.PostgresDB
		if err = runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &db); err == nil {
			o.Steps, o.Then, err = postgresdb.Foresee(ctx, &db, l.Settings,
				postgresdb.Sight{Cloud: l.Cloud, Prices: l.Prices, Look: l.turn(k, u), Now: l.Now(), New: isNew,
					Note: func(text string) { o.Notes = append(o.Notes, text) }})
		}
	case examplev1.Kind:
		var app examplev1.MyApp
		if err = runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &app); err == nil {
			o.Steps, o.Then, err = myapp.Foresee(ctx, &app, l.Apps, myapp.Sight{Look: l.turn(k, u), Now: l.Now(), New: isNew})
		}
	default:
		err = fmt.Errorf("there is no forecast for the kind %s", k.Name)
	}
	if err != nil {
		o.Steps, o.Errors = nil, append(o.Errors, err.Error())
	}
	if o.Steps == nil {
		o.Steps = []forecast.Step{}
	}
}
