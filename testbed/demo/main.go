// Command demo shows Mote at work: a real Kubernetes control plane, a stand-in of
// the cloud, and mote as processes of their own; both samples from kubectl apply
// to Running, and with --once back to nothing. It is what `make demo` runs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	var o options
	flag.BoolVar(&o.once, "once", false, "clean up and end when both samples run")
	flag.StringVar(&o.cluster, "cluster", "", "`kubeconfig` of a cluster to use instead of building one")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "demo: takes flags only, but was given %q\n", flag.Arg(0))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, o, os.Stdout)
	switch {
	case err == nil, errors.Is(err, context.Canceled) && !o.once:
	default:
		fmt.Fprintf(os.Stderr, "\ndemo: %v\n", err)
		os.Exit(1)
	}
}
