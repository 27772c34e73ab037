// Command controller-runtime-peer is the controller-runtime operator that Mote is
// measured against: it watches PostgresDB and writes observedGeneration and phase
// into the status of every object that lacks the present generation. An object
// without an instance is bought first, with one call to the cloud at CLOUD_URL.
//
// With "usual" it is what the kubebuilder book scaffolds: a manager, a typed cache
// of whole objects, GenerationChangedPredicate. With "tuned" it is what the docs of
// the cache package offer to save memory: a type with only what is read, a
// transform that strips the rest of the metadata, no deep copies. "apps-usual" and
// "apps-tuned" serve MyApp instead; see package apps.
//
// It prints "synced" on standard error once the cache is.
//
// What may come in: controller-runtime and what it brings. Nothing of Mote.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"example.com/mote/testbed/bench/peers/controller-runtime/api"
	"example.com/mote/testbed/bench/peers/controller-runtime/apps"
	"example.com/mote/testbed/bench/peers/controller-runtime/slim"
)

// form is one way to set the operator up, and the types that it caches.
type form struct {
	setUp func(manager.Options, int) (manager.Manager, error)
	kinds []client.Object
}

func main() {
	if err := run(ctrl.SetupSignalHandler(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "controller-runtime-peer:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: controller-runtime-peer usual|tuned|apps-usual|apps-tuned WORKERS")
	}
	workers, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	ctrl.SetLogger(logr.Discard())
	ofApps := append(apps.Owned(), &apps.MyApp{})
	form, ok := map[string]form{
		"usual": {usual, []client.Object{&api.PostgresDB{}}}, "tuned": {tuned, []client.Object{&slim.PostgresDB{}}},
		"apps-usual": {apps.Usual, ofApps}, "apps-tuned": {apps.Tuned, ofApps},
	}[args[0]]
	if !ok {
		return fmt.Errorf("there is no form %q", args[0])
	}
	mgr, err := form.setUp(manager.Options{Metrics: metrics.Options{BindAddress: "127.0.0.1:0"}}, workers)
	if err != nil {
		return err
	}
	err = mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		for _, kind := range form.kinds {
			if _, err := mgr.GetCache().GetInformer(ctx, kind); err != nil { // waits until it has synced
				return err
			}
		}
		fmt.Fprintln(os.Stderr, "synced")
		return nil
	}))
	if err != nil {
		return err
	}
	return mgr.Start(ctx)
}
