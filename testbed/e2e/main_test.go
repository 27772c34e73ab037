package e2e

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"

	"example.com/mote/testbed/artifact"
	"example.com/mote/testbed/bed"
)

// What all tests share.
var (
	root    string   // of the repository
	cluster *bed.Bed // with the control plane, and both CRDs in it
	client  dynamic.Interface
)

// sideBySide is how many tests run at once: they wait more than they work.
const sideBySide = "12"

func TestMain(m *testing.M) {
	code, err := prepareAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func prepareAndRun(m *testing.M) (code int, err error) {
	if err := bed.SideBySide(sideBySide); err != nil {
		return 0, err
	}
	ctx := context.Background()
	began := time.Now()
	say := func(what string) {
		if testing.Verbose() {
			fmt.Fprintf(os.Stderr, "%6s  %s\n", time.Since(began).Round(100*time.Millisecond), what)
		}
	}
	if root, err = artifact.Root(); err != nil {
		return 0, err
	}
	if cluster, err = bed.Prepare(ctx, say); err != nil {
		return 0, err
	}
	defer func() {
		say("stopping the control plane")
		if stopped := cluster.Close(); err == nil {
			err = stopped
		}
	}()
	policy, err := auditPolicy(cluster.Dir)
	if err != nil {
		return 0, err
	}
	say("starting the control plane")
	if _, err := cluster.StartControlPlane(ctx, "--kas-arg=--audit-policy-file="+policy, "--kas-arg=--audit-log-path="+auditLog(cluster.Dir)); err != nil {
		return 0, err
	}
	if client, err = cluster.Client(); err != nil {
		return 0, err
	}
	say("installing the CRDs")
	if err := cluster.InstallCRDs(ctx); err != nil {
		return 0, err
	}
	say("running the tests")
	return m.Run(), nil
}
