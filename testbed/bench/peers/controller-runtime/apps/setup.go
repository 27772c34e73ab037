package apps

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Owned are the kinds whose objects belong to apps.
func Owned() []client.Object {
	return []client.Object{&appsv1.Deployment{}, &corev1.Service{}, &corev1.ConfigMap{}}
}

// Usual is the scaffold's set-up: whole objects in typed caches.
func Usual(o manager.Options, workers int) (manager.Manager, error) { return setUp(o, workers) }

// Tuned holds what the docs of the cache package offer to leave out: of children
// only those with our label, and nobody's managedFields.
func Tuned(o manager.Options, workers int) (manager.Manager, error) {
	ours := cache.ByObject{Label: labels.SelectorFromSet(labels.Set{managedLabel: managedBy})}
	o.Cache = cache.Options{DefaultTransform: cache.TransformStripManagedFields(), ByObject: map[client.Object]cache.ByObject{}}
	for _, child := range Owned() {
		o.Cache.ByObject[child] = ours
	}
	return setUp(o, workers)
}

func setUp(o manager.Options, workers int) (manager.Manager, error) {
	o.Scheme = runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(o.Scheme); err != nil {
		return nil, err
	}
	if err := Builder.AddToScheme(o.Scheme); err != nil {
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
	b := ctrl.NewControllerManagedBy(mgr).For(&MyApp{}).WithOptions(controller.Options{MaxConcurrentReconciles: workers})
	for _, child := range Owned() {
		b = b.Owns(child)
	}
	return mgr, b.Complete(&reconciler{mgr.GetClient()})
}
