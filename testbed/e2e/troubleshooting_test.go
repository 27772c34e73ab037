package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/mote/cloud/standin"
	"example.com/mote/testbed/bed"
)

// episode is a block of commands in a page, and the lines that it says they print.
type episode struct{ commands, prints string }

// episodes are the tested blocks of a page by their names.
func episodes(t *testing.T, page string) map[string]episode {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]episode{}
	parts := strings.Split(string(text), "```")
	for i := 1; i < len(parts); i += 2 {
		block, ok := strings.CutPrefix(parts[i], "sh\n# tested: ")
		if !ok {
			continue
		}
		name, commands, _ := strings.Cut(block, "\n")
		if _, twice := out[name]; twice {
			t.Errorf("%s: %s is there twice", page, name)
		}
		e := episode{commands: commands}
		if i+2 < len(parts) && strings.TrimSpace(parts[i+1]) == "" {
			e.prints, _ = strings.CutPrefix(parts[i+2], "text\n")
		}
		out[name] = e
	}
	return out
}

// missing is the first line of what is said to be printed that is not; "..." stands
// for anything.
func (e episode) missing(printed string) string {
	for _, line := range strings.Split(strings.TrimSpace(e.prints), "\n") {
		var pattern []string
		for _, part := range strings.Split(line, "...") {
			pattern = append(pattern, regexp.QuoteMeta(part))
		}
		if !regexp.MustCompile(`(?m)^` + strings.Join(pattern, ".*") + `$`).MatchString(printed) {
			return line
		}
	}
	return ""
}

// TestTroubleshooting makes each trouble of docs/troubleshooting.md, runs the commands as they
// are written, and finds in what they print what the page says.
func TestTroubleshooting(t *testing.T) {
	t.Parallel()
	s := ownCluster(t)
	s.startCloud()
	home := t.TempDir()
	for name, program := range map[string]string{"mote": s.bed.Paths.Mote, "kubectl": s.bed.Paths.Kubectl} {
		if err := os.Symlink(program, filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	config, err := os.ReadFile(s.bed.Kubeconfig)
	if err == nil {
		err = os.WriteFile(filepath.Join(home, "config"), config, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	policy, err := os.ReadFile(filepath.Join(root, "k3s", "ops", "networkpolicy.yaml"))
	if err == nil {
		err = os.WriteFile(filepath.Join(home, "networkpolicy.yaml"), policy, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	shell := func(block string) (string, error) {
		c := exec.CommandContext(t.Context(), "sh", "-euc", block)
		c.Dir = home
		c.Env = []string{"PATH=" + home + ":" + os.Getenv("PATH"), "HOME=" + home, "KUBECONFIG=" + filepath.Join(home, "config"),
			"TENCENTCLOUD_SECRET_ID=" + bed.SecretID, "TENCENTCLOUD_SECRET_KEY=" + bed.SecretKey, "MOTE_CLOUD_ENDPOINT=" + s.bed.CloudURL}
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := shell("kubectl config set-context --current --namespace=" + s.ns); err != nil {
		t.Fatal(err, out)
	}
	all := episodes(t, "troubleshooting.md")
	// tries runs a block until it prints what the page says: some troubles show in a while.
	tries := func(name string) {
		t.Helper()
		e, ok := all[name]
		if !ok {
			t.Fatalf("the page has no block %s", name)
		}
		delete(all, name)
		s.eventually("the page's "+name, func() error {
			out, err := shell(e.commands)
			if err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			if line := e.missing(out); line != "" {
				return fmt.Errorf("no line %q in\n%s", line, out)
			}
			return nil
		})
	}

	tries("unrecognised")
	tries("unrecognised-fixed")
	in := s.install("--region=ap-guangzhou")
	for name, e := range episodes(t, "operations.md") {
		if out, err := shell(e.commands); err != nil {
			t.Errorf("operations.md, %s: %v\n%s", name, err, out)
		}
	}

	s.apply(database("orders", fields{"site": "edge-02"}))
	tries("unserved")
	s.kubectl("delete", "pgdb/orders")

	s.anywhere(`{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"mote","namespace":"mote-system"},
		"spec":{"holderIdentity":"a-node-that-died","leaseDurationSeconds":5,"renewTime":"2020-01-01T00:00:00.000000Z"}}`, "create", "-f", "-")
	tries("lease")

	s.keys("AKIDANOTHER", "another") // the cloud knows other keys now
	p := s.run(in, "--slow-retry=2s", "--refused-retry=2s", "--lease-duration=15s")
	s.apply(database("orders", fields{"deletionProtection": true}), app("shop", nil))
	tries("credentials")
	s.keys(bed.SecretID, bed.SecretKey)
	tries("credentials-fixed")
	s.runs(apps, "shop")

	s.kubectl("delete", "clusterrolebinding/mote-system-mote")
	tries("denied")
	tries("denied-fixed")
	s.answers(p, "/readyz", 200, "ok")

	s.fault(standin.Fault{Kind: standin.Cut})
	s.patch("pgdb/orders", `{"spec":{"storageGB":200}}`)
	tries("unreachable")
	s.heal()
	s.kubectl("wait", "--for=condition=CloudReachable", "pgdb/orders", "--timeout=120s")
	s.runs(databases, "orders")

	s.kubectl("annotate", "pgdb/orders", "mote.example.com/paused=true")
	s.kubectl("wait", "--for=condition=Paused", "pgdb/orders", "--timeout=60s")
	s.patch("pgdb/orders", `{"spec":{"storageGB":300}}`)
	tries("stale")
	tries("stale-fixed")
	s.runs(databases, "orders")

	s.patch("service/shop", `{"spec":{"type":"NodePort"}}`)
	tries("contested")

	tries("hanging")
	tries("hanging-fixed")
	s.nothingBilled()

	s.kubectl("delete", "mapp/shop", "--cascade=orphan")
	tries("orphans")
	tries("orphans-fixed")
	s.childless()
	for name := range all {
		t.Errorf("nobody tries the page's %s", name)
	}
	s.stop(p)
}
