package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSamples: the samples of apps come up as a folder, with a Mote that allows
// nothing beyond the usual, where the restricted Pod Security level is enforced.
func TestSamples(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.restricted("restricted")
	s.start()
	s.runs(apps, s.sampled("apps", 12)...)
}

// TestHostSamples: those that are of the node itself need a Mote that allows it, and
// a namespace that does.
func TestHostSamples(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.restricted("restricted")
	p := s.start()
	s.sampled("apps-host", 1)
	s.stuck(apps, "node-exporter", "Failed", "NotAllowed", "--allow-host-network")
	s.stop(p)
	s.start("--allow-host-network", "--allow-host-paths", "/proc,/sys")
	s.stuck(apps, "node-exporter", "Failed", "ReplicaFailure", "violates PodSecurity")
	s.restricted("privileged")
	// The ReplicaSet that was refused tries again ever more seldom; another one begins anew.
	s.patch("mapp/node-exporter", `{"spec":{"env":[{"name":"AGAIN","value":"1"}]}}`)
	s.runs(apps, "node-exporter")
	s.kubectl("delete", "mapp", "node-exporter", "--cascade=foreground", "--timeout=120s") // the node's port is free again
}

// restricted enforces a Pod Security level.
func (s *site) restricted(level string) {
	s.t.Helper()
	s.kubectl("label", "namespace", s.ns, "--overwrite", "pod-security.kubernetes.io/enforce="+level, "pod-security.kubernetes.io/enforce-version=latest")
}

// sampled applies a folder of samples, twice, and returns the names of its apps. Each
// of so many files makes one.
func (s *site) sampled(folder string, least int) (names []string) {
	s.t.Helper()
	path := filepath.Join(root, "k3s", "samples", folder)
	files, err := os.ReadDir(path)
	if err != nil || len(files) < least {
		s.t.Fatalf("%d samples, %v", len(files), err)
	}
	s.kubectl("apply", "-f", path)
	for _, u := range s.list(apps, "") {
		names = append(names, u.GetName())
	}
	if len(names) != len(files) {
		s.t.Errorf("%d files make the apps %v", len(files), names)
	}
	for line := range strings.Lines(s.kubectl("apply", "-f", path)) {
		if !strings.Contains(line, "unchanged") && !strings.HasPrefix(line, "secret/") { // stringData is never what is there
			s.t.Errorf("applied once more: %s", line)
		}
	}
	return names
}
