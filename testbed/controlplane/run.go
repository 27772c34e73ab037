package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/rest"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/klog/v2"

	"example.com/mote/testbed/controlplane/settings"
)

// run starts everything in order, says READY, waits, and stops everything in the opposite order: whoever watches the
// API server first, then the API server, then the store.
func run(ctx context.Context, s settings.Settings) error {
	began := time.Now()
	dir, err := openStateDir(s.Dir, s.RemoveDir)
	if err != nil {
		return err
	}
	defer dir.close()

	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", s.Port))
	if err != nil {
		return fmt.Errorf("port of the API server: %w", err)
	}
	// Nobody closes the listener but the API server: if it was left behind at the end, it would panic.
	url := "https://" + listener.Addr().String()
	if err := writeCredentials(dir, url); err != nil {
		return fmt.Errorf("keys and kubeconfigs in %s: %w", dir, err)
	}
	store, err := startStore(dir, s.Fsync)
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	defer store.close()

	// The components share one registry of feature gates and one logger, and each may be set only once: so all flags
	// are read before anything starts.
	kas, err := apiServerOptions(s, dir, listener, store.url)
	if err != nil {
		return fmt.Errorf("flags of kube-apiserver: %w", err)
	}
	kcm, err := controllerOptions(s, dir)
	if err != nil {
		return fmt.Errorf("flags of kube-controller-manager: %w", err)
	}
	sched, err := schedulerOptions(s, dir)
	if err != nil {
		return fmt.Errorf("flags of kube-scheduler: %w", err)
	}
	if err := kas.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return err
	}
	if err := logsapi.ValidateAndApply(kas.Logs, utilfeature.DefaultFeatureGate); err != nil {
		return err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{})

	var all components
	defer all.stop()
	klog.OsExit = all.exit
	all.start("kube-apiserver", 2*time.Second, func(ctx context.Context) error { return runAPIServer(ctx, kas) })
	if err := all.wait(ctx, apiServerReady(dir)); err != nil {
		return err
	}
	if s.ControllerManager() != "" {
		all.start("kube-controller-manager", 3*time.Second, func(ctx context.Context) error { return runControllers(ctx, kcm) })
	}
	if s.GarbageCollector() {
		all.start("garbage collector", time.Second, func(ctx context.Context) error { return runGarbageCollector(ctx, dir, s.GCSync) })
	}
	all.start("kube-scheduler", time.Second, func(ctx context.Context) error { return runScheduler(ctx, sched) })
	if s.Pods == settings.PodStandIn {
		all.start("pod stand-in", time.Second, func(ctx context.Context) error { return runPodStandIn(ctx, dir) })
	}
	if err := all.wait(ctx, usable(dir, s)); err != nil {
		return err
	}
	fmt.Printf("READY url=%s kubeconfig=%s seconds=%.2f\n", url, dir.kubeconfig(admin), time.Since(began).Seconds())

	never := func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }
	if err := all.wait(ctx, never); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
