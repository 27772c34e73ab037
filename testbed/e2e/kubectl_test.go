package e2e

import (
	"context"
	"encoding/json"
	"strings"
)

// kubectl runs a command that must succeed, in the site's namespace, and returns
// what it printed.
func (s *site) kubectl(args ...string) string {
	s.t.Helper()
	return s.kubectlWith("", args...)
}

func (s *site) kubectlWith(stdin string, args ...string) string {
	s.t.Helper()
	out, err := s.tryKubectl(s.t.Context(), stdin, args...)
	if err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	return out
}

func (s *site) tryKubectl(ctx context.Context, stdin string, args ...string) (string, error) {
	// The shared bed's kubectl remembers what the API server serves.
	on := *cluster
	on.Kubeconfig = s.bed.Kubeconfig
	return on.Kubectl(ctx, stdin, append([]string{"--namespace", s.ns}, args...)...)
}

// apply applies objects with kubectl.
func (s *site) apply(objects ...manifest) {
	s.t.Helper()
	var all strings.Builder
	for _, o := range objects {
		b, err := json.Marshal(o)
		if err != nil {
			s.t.Fatal(err)
		}
		all.Write(append(b, '\n'))
	}
	s.kubectlWith(all.String(), "apply", "-f", "-")
}

// patch changes an object as `kubectl patch --type=merge` does.
func (s *site) patch(object, change string, flags ...string) {
	s.t.Helper()
	s.kubectl(append([]string{"patch", object, "--type=merge", "-p", change}, flags...)...)
}

// remove deletes objects ("pgdb/a") and does not wait for them to go.
func (s *site) remove(objects ...string) {
	s.t.Helper()
	s.kubectl(append([]string{"delete", "--wait=false"}, objects...)...)
}
