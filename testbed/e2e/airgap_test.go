package e2e

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/mote/testbed/bed"
)

// airgapNode is a k3s node's file system with an air-gap bundle on it. Its k3s is
// kubectl on the test bed's cluster; containerd is not there, and takes everything.
type airgapNode struct {
	s            *site
	bundle, root string
	k3s          string
}

// airgap lays the files of a bundle out, as they are unpacked; the image in it is none.
func (s *site) airgap(flags ...string) airgapNode {
	s.t.Helper()
	dir := s.t.TempDir()
	n := airgapNode{s: s, bundle: filepath.Join(dir, "bundle"), root: filepath.Join(dir, "root"), k3s: filepath.Join(dir, "k3s")}
	write := func(name string, content []byte, mode os.FileMode) {
		s.t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(name, content, mode); err != nil {
			s.t.Fatal(err)
		}
	}
	out, err := exec.CommandContext(s.t.Context(), s.bed.Paths.Mote, append([]string{"manifests", "-o", filepath.Join(n.bundle, "manifests")}, flags...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	script, err := os.ReadFile(filepath.Join(root, "k3s", "airgap", "install.sh"))
	if err != nil {
		s.t.Fatal(err)
	}
	write(filepath.Join(n.bundle, "install.sh"), script, 0o755)
	write(filepath.Join(n.bundle, "IMAGE"), []byte("example.com/mote:test\n"), 0o644)
	write(filepath.Join(n.bundle, "images", "mote.tar"), []byte("no image"), 0o644)
	var sums strings.Builder
	for _, name := range []string{"IMAGE", "install.sh", "images/mote.tar", "manifests/mote-0-crds.yaml", "manifests/mote-1-mote.yaml"} {
		data, err := os.ReadFile(filepath.Join(n.bundle, name))
		if err != nil {
			s.t.Fatal(err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
	}
	write(filepath.Join(n.bundle, "SHA256SUMS"), []byte(sums.String()), 0o644)
	write(n.k3s, fmt.Appendf(nil, "#!/bin/sh\n[ \"$1\" = kubectl ] || exit 0\nshift\nexec '%s' \"$@\"\n", s.bed.Paths.Kubectl), 0o755)
	if err := os.MkdirAll(filepath.Join(n.root, "var/lib/rancher/k3s/server"), 0o755); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// script runs install.sh on the node.
func (n airgapNode) script(args ...string) (string, error) {
	c := exec.CommandContext(n.s.t.Context(), "sh", append([]string{filepath.Join(n.bundle, "install.sh")}, append(args, "--root", n.root)...)...)
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + n.root, "K3S=" + n.k3s, "KUBECONFIG=" + n.s.bed.Kubeconfig}
	out, err := c.CombinedOutput()
	return string(out), err
}

// manifests are the files in k3s's folder.
func (n airgapNode) manifests() []string {
	n.s.t.Helper()
	files, err := filepath.Glob(filepath.Join(n.root, "var/lib/rancher/k3s/server/manifests", "*"))
	if err != nil {
		n.s.t.Fatal(err)
	}
	return files
}

// TestAirgapBundle: what install.sh puts where k3s reads it brings Mote up, and what
// it takes away goes in the order that leaves no database behind: objects while Mote
// lives, as their policies say, then Mote, then the kinds.
func TestAirgapBundle(t *testing.T) {
	t.Parallel()
	s := ownCluster(t)
	s.startCloud()
	n := s.airgap("--region", "ap-guangzhou")
	if out, err := n.script(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files := n.manifests()
	if len(files) != 2 {
		t.Fatalf("k3s has %v", files)
	}
	for _, f := range files { // k3s's part
		s.anywhere("", "apply", "-f", f)
	}
	s.anywhere("", "create", "secret", "generic", "mote-credentials", "--namespace", "mote-system",
		"--from-literal=secret-id="+bed.SecretID, "--from-literal=secret-key="+bed.SecretKey)
	p := s.run(s.installed("mote-system", "mote"))
	s.apply(
		database("isolate", fields{"deletionPolicy": "Isolate", "deletionProtection": true}),
		database("delete", fields{"deletionPolicy": "Delete"}),
		database("retain", fields{"deletionPolicy": "Retain"}),
		app("web", nil),
	)
	s.runs(databases, "isolate", "delete", "retain")
	uids := map[string]string{}
	for _, name := range []string{"isolate", "delete", "retain"} {
		uids[name] = s.state(databases, name).uid
	}

	out, err := n.script("uninstall", "--yes")
	if err == nil {
		t.Fatalf("a protected database was passed over:\n%s", out)
	}
	if err := says(out, s.ns+"/isolate (postgres-", "is stopped", "deletionProtection is true", s.ns+"/delete (postgres-",
		"DESTROYED AT ONCE", "goes on running and costing", "app "+s.ns+"/web", "nothing was changed"); err != nil {
		t.Error(err)
	}
	for name, uid := range uids {
		if e := s.one(uid); !e.Billed {
			t.Errorf("%s: something was changed: %+v", name, e)
		}
	}

	s.patch("pgdb/isolate", `{"spec":{"deletionProtection":false}}`)
	if out, err = n.script("uninstall", "--yes", "--timeout", "120s"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if e := s.one(uids["isolate"]); e.Billed || e.Isolated.IsZero() || !e.Ended.IsZero() {
		t.Errorf("Isolate: %+v", e)
	}
	if e := s.one(uids["delete"]); e.Billed || e.Ended.IsZero() {
		t.Errorf("Delete: %+v", e)
	}
	if e := s.one(uids["retain"]); !e.Billed || e.Status != "running" {
		t.Errorf("Retain: %+v", e)
	}
	if files := n.manifests(); len(files) != 0 {
		t.Errorf("k3s still has %v", files)
	}
	for _, kind := range []string{"crd", "namespace", "clusterrole"} {
		if out := s.anywhere("", "get", kind, "-o", "name"); strings.Contains(out, "mote") || strings.Contains(out, "example.com") {
			t.Errorf("left in the cluster:\n%s", out)
		}
	}
	s.stop(p)
	if out, err := n.script("uninstall", "--yes"); err != nil { // nothing is left to do
		t.Errorf("%v\n%s", err, out)
	}
	if err := s.bed.InstallCRDs(t.Context()); err != nil { // what is checked of every site needs them
		t.Fatal(err)
	}
}
