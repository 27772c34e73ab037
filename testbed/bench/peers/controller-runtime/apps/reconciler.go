package apps

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// reconciler keeps MyApps true.
type reconciler struct{ client.Client }

// Reconcile makes the children what they should be, then writes the status if it
// differs. All reads are from the cache.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var app MyApp
	if err := r.Get(ctx, req.NamespacedName, &app); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	config := &corev1.ConfigMap{ObjectMeta: named(&app, app.Name+"-config")}
	service := &corev1.Service{ObjectMeta: named(&app, app.Name)}
	deployment := &appsv1.Deployment{ObjectMeta: named(&app, app.Name)}
	for _, child := range []struct {
		object client.Object
		mutate func()
	}{
		{config, func() { configMap(&app, config) }},
		{service, func() { serviceOf(&app, service) }},
		{deployment, func() { deploymentOf(&app, deployment) }},
	} {
		_, err := controllerutil.CreateOrUpdate(ctx, r.Client, child.object, func() error {
			label(&app, child.object)
			child.mutate()
			return controllerutil.SetControllerReference(&app, child.object, r.Scheme())
		})
		if err != nil {
			return ctrl.Result{}, fmt.Errorf("%T: %w", child.object, err)
		}
	}
	before := app.Status.DeepCopy()
	statusOf(&app, deployment)
	if equality.Semantic.DeepEqual(before, &app.Status) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Status().Update(ctx, &app)
}

// statusOf tells how far an app's Deployment is.
func statusOf(app *MyApp, d *appsv1.Deployment) {
	want := replicas(app)
	s := &app.Status
	s.Replicas, s.ReadyReplicas, s.AvailableReplicas = d.Status.Replicas, d.Status.ReadyReplicas, d.Status.AvailableReplicas
	s.Selector, s.ObservedGeneration, s.Phase = appLabel+"="+app.Name, app.Generation, "Progressing"
	ready := metav1.Condition{Type: "Ready", Status: metav1.ConditionFalse, Reason: "Progressing", ObservedGeneration: app.Generation,
		Message: fmt.Sprintf("%d of %d replicas available", d.Status.AvailableReplicas, want)}
	if d.Status.ObservedGeneration >= d.Generation && d.Status.UpdatedReplicas == want && d.Status.AvailableReplicas == want {
		s.Phase, ready.Status, ready.Reason = "Running", metav1.ConditionTrue, "Available"
	}
	meta.SetStatusCondition(&s.Conditions, ready)
}
