package main

import (
	"context"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
)

// runGarbageCollector runs the garbage collector of Kubernetes outside of the controller-manager, which lets it look
// for new kinds only every 30 seconds: children of a kind whose CRD is new would outlive their owner by as long.
func runGarbageCollector(ctx context.Context, dir *stateDir, sync time.Duration) error {
	config, err := configFor(dir, garbageCollector)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	objects, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	// The mapper and the search for new kinds may not share a discovery client (see GarbageCollector.Sync).
	kinds, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	typed := informers.NewSharedInformerFactory(client, 0)
	factory := informerfactory.NewInformerFactory(typed, metadatainformer.NewSharedInformerFactory(objects, 0))
	started := make(chan struct{})
	gc, err := garbagecollector.NewGarbageCollector(ctx, client, objects, mapper, garbagecollector.DefaultIgnoredResources(), factory, started)
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	close(started)
	const workers = 20 // as the controller-manager's default
	go gc.Sync(ctx, kinds, sync)
	gc.Run(ctx, workers, 30*time.Second)
	return nil
}
