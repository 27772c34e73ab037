package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/mote/testbed/bed"
)

// testedBlocks are the blocks of a page that say that they are tested.
func testedBlocks(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, part := range strings.Split(string(text), "```") {
		if block, ok := strings.CutPrefix(part, "sh\n# tested\n"); ok && i%2 == 1 {
			out = append(out, block)
		}
	}
	return out
}

// TestInstallDocs runs the commands of docs/install.md as they are written, one block
// after another: in a shell that finds mote and kubectl, and k3s's folder elsewhere.
func TestInstallDocs(t *testing.T) {
	t.Parallel()
	blocks := testedBlocks(t, "install.md")
	if len(blocks) != 8 {
		t.Fatalf("%d blocks are tested", len(blocks))
	}
	s := ownCluster(t)
	s.startCloud()
	home := t.TempDir()
	for name, program := range map[string]string{"mote": s.bed.Paths.Mote, "kubectl": s.bed.Paths.Kubectl} {
		if err := os.Symlink(program, filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	k3s := filepath.Join(home, "k3s")
	shell := func(block string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), "sh", "-euc", block)
		c.Dir = home
		c.Env = []string{"PATH=" + home + ":" + os.Getenv("PATH"), "HOME=" + home, "KUBECONFIG=" + s.bed.Kubeconfig, "K3S=" + k3s,
			"TENCENTCLOUD_SECRET_ID=" + bed.SecretID, "TENCENTCLOUD_SECRET_KEY=" + bed.SecretKey, "MOTE_CLOUD_ENDPOINT=" + s.bed.CloudURL}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s\n%v\n%s", block, err, out)
		}
		return string(out)
	}

	shell(blocks[0])
	in := s.installed("mote-system", "mote")
	p := s.run(in) // the kubelet's part

	shell(blocks[1]) // and what k3s does then: apply what lies there, in the order of the names
	files, err := filepath.Glob(filepath.Join(k3s, "server", "manifests", "*"))
	if err != nil || len(files) != 2 || !slices.IsSorted(files) {
		t.Fatal(files, err)
	}
	for _, f := range files {
		shell("kubectl apply -f " + f)
	}
	if out := shell(blocks[2]); strings.Contains(out, "error") || strings.Contains(out, "unknown") {
		t.Errorf("the check says:\n%s", out)
	}
	shell(blocks[3])
	if n := len(s.ledger()); n != 1 {
		t.Errorf("%d databases were bought", n)
	}
	shell(blocks[4])
	s.installed("mote-system", "mote-edge-02") // it has to be there
	shell(blocks[5])

	s.apply(database("db", nil), app("web", nil))
	s.runs(databases, "db")
	if out := shell(blocks[6]); says(out, s.ns, "db", "Delete", "postgres-") != nil {
		t.Errorf("the list of databases is\n%s", out)
	}
	shell(blocks[7])
	s.nothingBilled()
	s.stop(p)
	if files, err := filepath.Glob(filepath.Join(k3s, "server", "manifests", "*")); err != nil || len(files) != 0 {
		t.Errorf("k3s still has %v, %v", files, err)
	}
	if err := s.bed.InstallCRDs(t.Context()); err != nil { // what is checked of every site needs them
		t.Fatal(err)
	}
}
