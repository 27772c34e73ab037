package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"example.com/mote/testbed/bench/peers/controller-runtime/slim"
)

// tuned holds as little as a cache can: a metadata-only cache would hold no less,
// and does not show the status, so a start would read every object one by one.
func tuned(o manager.Options, workers int) (manager.Manager, error) {
	o.Scheme = runtime.NewScheme()
	if err := slim.Builder.AddToScheme(o.Scheme); err != nil {
		return nil, err
	}
	yes := true
	o.Cache = cache.Options{DefaultTransform: strip, DefaultUnsafeDisableDeepCopy: &yes}
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, err
	}
	mgr, err := manager.New(config, o)
	if err != nil {
		return nil, err
	}
	return mgr, ctrl.NewControllerManagedBy(mgr).
		For(&slim.PostgresDB{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(&tunedReconciler{mgr.GetClient(), newCloud(workers)})
}

// strip leaves what the cache, the predicate and the reconciler need. What stays
// is cloned out of the decoded list, which would stay alive as a whole otherwise.
func strip(in any) (any, error) {
	o, ok := in.(*slim.PostgresDB)
	if !ok {
		return in, nil
	}
	return &slim.PostgresDB{
		ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name, Generation: o.Generation, ResourceVersion: o.ResourceVersion},
		Status:     o.Status,
	}, nil
}

type tunedReconciler struct {
	client.Client
	cloud cloud
}

// Reconcile takes the object from the cache, where it is shared: it works on a copy.
func (r *tunedReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var o slim.PostgresDB
	if err := r.Get(ctx, req.NamespacedName, &o); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if o.Status.ObservedGeneration == o.Generation {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, bringUp(ctx, r.Client, r.cloud, o.DeepCopy(), o.Status.InstanceID)
}
