package bed

import (
	"context"
	"os"
	"testing"

	"example.com/mote/testbed/artifact"
)

// cluster is a bed with a control plane in it, for one test.
func cluster(t *testing.T) *Bed {
	t.Helper()
	root, err := artifact.Root()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := artifact.ControlPlane(t.Context(), root, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	b, err := New(paths)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// kubectl runs a command that must succeed.
func kubectl(t *testing.T, b *Bed, stdin string, args ...string) string {
	t.Helper()
	out, err := b.Kubectl(t.Context(), stdin, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// settled waits for a field of an object, as kubectl get -o jsonpath shows it.
func settled(t *testing.T, b *Bed, object, jsonpath, value string) {
	t.Helper()
	if _, err := b.Kubectl(t.Context(), "", "wait", "--for=jsonpath="+jsonpath+"="+value, object, "--timeout=30s"); err != nil {
		is, _ := b.Kubectl(context.Background(), "", "get", object, "-o", "yaml")
		t.Errorf("%v\n%s", err, is)
	}
}
