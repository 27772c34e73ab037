package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		if err := flag.Set("test.parallel", sideBySide); err != nil {
			return 0, err
		}
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
	say("looking for the control plane")
	paths, err := artifact.ControlPlane(ctx, root, os.Stderr)
	if err != nil {
		return 0, err
	}
	say("building mote and the cloud's stand-in")
	built, err := artifact.Mote(ctx, root)
	if err != nil {
		return 0, err
	}
	paths.Mote, paths.Standin = built.Mote, built.Standin
	if cluster, err = bed.New(paths); err != nil {
		return 0, err
	}
	defer func() {
		say("stopping the control plane")
		if stopped := cluster.Close(); err == nil {
			err = stopped
		}
	}()
	// What is tested stays the same, even if the tree is built again meanwhile.
	for _, program := range []*string{&cluster.Paths.Mote, &cluster.Paths.Standin} {
		if *program, err = copied(*program, cluster.Dir); err != nil {
			return 0, err
		}
	}
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
	if err := installCRDs(ctx, cluster); err != nil {
		return 0, err
	}
	say("running the tests")
	return m.Run(), nil
}

func copied(program, dir string) (string, error) {
	data, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	to := filepath.Join(dir, filepath.Base(program))
	return to, os.WriteFile(to, data, 0o755)
}
