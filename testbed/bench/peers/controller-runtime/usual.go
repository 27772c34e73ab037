package main

import (
	"context"

	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"k8s.io/apimachinery/pkg/runtime"

	"example.com/mote/testbed/bench/peers/controller-runtime/api"
)

// usual is the scaffold's set-up: whole objects in a typed cache.
func usual(o manager.Options, workers int) (manager.Manager, error) {
	o.Scheme = runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(o.Scheme); err != nil {
		return nil, err
	}
	if err := api.Builder.AddToScheme(o.Scheme); err != nil {
		return nil, err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, err
	}
	mgr, err := manager.New(config, o)
	if err != nil {
		return nil, err
	}
	return mgr, ctrl.NewControllerManagedBy(mgr).
		For(&api.PostgresDB{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(&usualReconciler{mgr.GetClient(), newCloud(workers)})
}

type usualReconciler struct {
	client.Client
	cloud cloud
}

// Reconcile takes the object from the cache.
func (r *usualReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var o api.PostgresDB
	if err := r.Get(ctx, req.NamespacedName, &o); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if o.Status.ObservedGeneration == o.Generation {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, bringUp(ctx, r.Client, r.cloud, &o, o.Status.InstanceID)
}
