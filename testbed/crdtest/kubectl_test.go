package crdtest

import (
	"context"
	"strings"
	"testing"
)

// accepted runs a kubectl command that must succeed, and returns what it printed. A
// manifest is one that is also taken without a server.
func accepted(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	if local, ours := judged(t, stdin); ours {
		agreed(t, local, "")
	}
	out, err := server.Kubectl(t.Context(), stdin, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// refused runs a kubectl command that must fail with a message that holds all the
// words. A manifest is refused with the same words without a server.
func refused(t *testing.T, words []string, stdin string, args ...string) {
	t.Helper()
	local, ours := judged(t, stdin)
	out, err := server.Kubectl(t.Context(), stdin, args...)
	if err == nil {
		t.Fatalf("kubectl %s is accepted: %s", strings.Join(args, " "), out)
	}
	t.Log(err)
	if ours {
		agreed(t, local, err.Error())
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the message does not say %q", w)
		}
	}
}

// created applies a manifest and deletes its object when the test ends.
func created(t *testing.T, k kind, name string, spec fields) {
	t.Helper()
	accepted(t, k.manifest(name, spec), "apply", "-f", "-")
	t.Cleanup(func() {
		// The test's own context is over by now.
		if _, err := server.Kubectl(context.Background(), "", "delete", k.resource, name); err != nil {
			t.Error(err)
		}
	})
}

// withStatus merges a status (JSON) into an object.
func withStatus(t *testing.T, k kind, name, status string) {
	t.Helper()
	accepted(t, "", "patch", k.resource, name, "--subresource=status", "--type=merge", "-p", `{"status":`+status+`}`)
}
