package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	kasapp "k8s.io/kubernetes/cmd/kube-apiserver/app"
	kasoptions "k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"example.com/mote/testbed/controlplane/settings"
)

func apiServerOptions(s settings.Settings, dir *stateDir, listener net.Listener, storeURL string) (*kasoptions.ServerRunOptions, error) {
	kas := kasoptions.NewServerRunOptions()
	err := parseComponentFlags(kas.Flags(), []string{
		"--etcd-servers=" + storeURL,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", listener.Addr().(*net.TCPAddr).Port),
		"--endpoint-reconciler-type=none", // 127.0.0.1 is no legal address of an Endpoints object
		"--service-cluster-ip-range=10.96.0.0/16",
		"--allow-privileged=true", // as k3s does
		"--authorization-mode=RBAC", "--anonymous-auth=false",
		"--client-ca-file=" + dir.file("ca.crt"),
		"--tls-cert-file=" + dir.file("apiserver.crt"), "--tls-private-key-file=" + dir.file("apiserver.key"),
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + dir.file("sa.pub"), "--service-account-signing-key-file=" + dir.file("sa.key"),
		// No throttling: a benchmark shall measure its client, and a test shall not wait for its turn.
		"--enable-priority-and-fairness=false", "--max-requests-inflight=0", "--max-mutating-requests-inflight=0",
		"--profiling=true",
	}, s.KASArgs)
	kas.SecureServing.Listener = listener
	return kas, err
}

func runAPIServer(ctx context.Context, kas *kasoptions.ServerRunOptions) error {
	completed, err := kas.Complete(ctx)
	if err != nil {
		return err
	}
	if errs := completed.Validate(); len(errs) > 0 {
		return utilerrors.NewAggregate(errs)
	}
	return kasapp.Run(ctx, completed)
}

// apiServerReady waits until /readyz answers ok: then the initial roles and namespaces are there too.
func apiServerReady(dir *stateDir) func(context.Context) error {
	return func(ctx context.Context) error {
		client, err := clientFor(dir, admin)
		if err != nil {
			return err
		}
		return poll(ctx, "kube-apiserver is not ready", func(ctx context.Context) error {
			var code int
			body, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).StatusCode(&code).Raw()
			if code == http.StatusOK {
				return nil
			}
			return fmt.Errorf("%w (/readyz says %d: %s)", err, code, strings.TrimSpace(string(body)))
		})
	}
}

// poll calls try until it returns nil. It gives up after two minutes, with what and the last error.
func poll(ctx context.Context, what string, try func(context.Context) error) error {
	const interval, limit = 25 * time.Millisecond, 2 * time.Minute
	began := time.Now()
	for {
		attempt, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := try(attempt)
		cancel()
		if err == nil {
			return nil
		}
		if time.Since(began) > limit {
			return fmt.Errorf("%s after %v: %w", what, limit, err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(interval):
		}
	}
}
