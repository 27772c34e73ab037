package contracttest

import (
	"context"
	"os"
	"testing"

	"example.com/mote/crd"
	"example.com/mote/simulation/contract"
	"example.com/mote/testbed/artifact"
	"example.com/mote/testbed/bed"
)

func TestContract(t *testing.T) {
	root, err := artifact.Root()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := artifact.ControlPlane(t.Context(), root, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	server, err := bed.New(paths)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	// The garbage collector is the one controller that the tests look at.
	if _, err := server.StartControlPlane(context.Background(), "--controllers=garbage-collector-controller", "--pods=none"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"apply", "-f", "-"}, {"wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"}} {
		if _, err := server.Kubectl(t.Context(), string(crd.All()), args...); err != nil {
			t.Fatal(err)
		}
	}
	config, err := server.Config()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range contract.Tests() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.Run(t, config)
		})
	}
}
