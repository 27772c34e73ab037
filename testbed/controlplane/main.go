// Command controlplane runs a real Kubernetes control plane in one process on 127.0.0.1: kube-apiserver,
// kube-controller-manager and kube-scheduler of one version, over an embedded etcd.
//
//	controlplane --dir DIR
//	KUBECONFIG=DIR/admin.kubeconfig kubectl get nodes
//
// It prints one line, "READY url=... kubeconfig=... seconds=...", on standard output when a client can be let in, and
// runs until SIGINT, SIGTERM or (with --exit-with-stdin) the end of its standard input. Everything else it has to say
// goes to standard error.
//
// There is one Node and no kubelet. A stand-in of our own (package podstandin) plays the kubelet's part towards the API
// server. It was chosen over kwok, the known program for that, because kwok adds four CPU-minutes to the first build
// and 117 MB to the cache, while all that is wanted is a pod that turns Ready, or fails in one of four ways, when asked.
//
// This is a module of its own, so that its few hundred dependencies meet neither the product nor the other tests. What
// may come in: the components of Kubernetes at the one version named in go.mod, etcd, and what these bring along. What
// may not: anything of Mote, and controller-runtime. All builds use CGO_ENABLED=0 and -trimpath: with other settings
// the whole of Kubernetes is compiled once more.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"example.com/mote/testbed/controlplane/settings"
)

// stopLimit is the longest a stop may take in all; each component has a shorter limit of its own.
const stopLimit = 10 * time.Second

func main() {
	s, err := settings.Parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	if s.ExitWithStdin {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			stop()
		}()
	}
	context.AfterFunc(ctx, func() {
		stop() // a second signal ends the process at once
		time.AfterFunc(stopLimit, func() {
			fmt.Fprintf(os.Stderr, "controlplane: still not stopped after %v, giving up\n", stopLimit)
			os.Exit(1)
		})
	})
	if err := run(ctx, s); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		os.Exit(1)
	}
}
