package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSamples: all samples of apps come up; and all but the one that is of the node
// itself do so where the restricted Pod Security level is enforced.
func TestSamples(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.kubectl("label", "namespace", s.ns, "pod-security.kubernetes.io/enforce=restricted", "pod-security.kubernetes.io/enforce-version=latest")
	s.start("--allow-host-network", "--allow-host-paths", "/proc,/sys")
	folder := filepath.Join(root, "k3s", "samples", "apps")
	files, err := os.ReadDir(folder)
	if err != nil || len(files) < 12 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	s.kubectl("apply", "-f", folder)
	var names []string
	for _, u := range s.list(apps, "") {
		if u.GetName() != "node-exporter" {
			names = append(names, u.GetName())
		}
	}
	if len(names) != len(files)-1 {
		t.Errorf("%d files make the apps %v", len(files), names)
	}
	s.runs(apps, names...)
	s.stuck(apps, "node-exporter", "Failed", "ReplicaFailure", "violates PodSecurity")
	s.kubectl("label", "namespace", s.ns, "pod-security.kubernetes.io/enforce=privileged", "--overwrite")
	// The ReplicaSet that was refused tries again ever more seldom; another one begins anew.
	s.patch("mapp/node-exporter", `{"spec":{"env":[{"name":"AGAIN","value":"1"}]}}`)
	s.runs(apps, "node-exporter")
	out := s.kubectl("apply", "-f", folder)
	for line := range strings.Lines(out) {
		if !strings.Contains(line, "unchanged") && !strings.HasPrefix(line, "secret/") { // stringData is never what is there
			t.Errorf("applied once more: %s", line)
		}
	}
	s.kubectl("delete", "mapp", "node-exporter", "--cascade=foreground", "--timeout=120s") // the node's port is free again
}
