package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	kind       = "kind: CustomResourceDefinition\n"
	tarball    = "var/lib/rancher/k3s/agent/images/mote.tar"
	crdFile    = "var/lib/rancher/k3s/server/manifests/mote-0-crds.yaml"
	deployFile = "var/lib/rancher/k3s/server/manifests/mote-1-mote.yaml"
)

func TestInstall(t *testing.T) {
	onEachShell(t, func(t *testing.T, n *node) {
		code, out, calls := n.run()
		n.want(code, 0, out, "Installed example.com/mote:v1")
		n.has(tarball, "image v1")
		n.has(crdFile, kind+"crds: 1\n")
		n.has(deployFile, "controller: 1\n")
		if want := []string{"ctr version", "ctr images import " + filepath.Join(n.root, tarball)}; !slices.Equal(calls, want) {
			t.Errorf("asked %q, want %q", calls, want)
		}
		// Again: nothing changes.
		before := n.files()
		code, out, _ = n.run("install")
		n.want(code, 0, out, "as it was")
		if strings.Contains(out, "written") || n.files() != before {
			t.Errorf("the second time changes something:\n%s", out)
		}
	})
}

// A node without k3s, or a damaged bundle, is told apart before anything is written.
func TestInstallRefuses(t *testing.T) {
	onEachShell(t, func(t *testing.T, n *node) {
		before := n.files()
		empty := t.TempDir()
		code, out, _ := n.runWith("", []string{"--root", empty})
		n.want(code, 1, out, "k3s is not on this node", "Install k3s first", "nothing was changed")
		if left, _ := os.ReadDir(empty); len(left) > 0 {
			t.Errorf("it wrote %v", left)
		}
		for _, c := range []struct{ args, want string }{
			{"--colour", "there is no option --colour"},
			{"--root", "--root wants a value"},
			{"--yes", "belong to uninstall"},
			{"uninstall --replace", "belong to install"},
			{"--manifests x --replace", "exclude each other"},
		} {
			code, out, _ := n.run(strings.Fields(c.args)...)
			if c.args == "--root" {
				code, out, _ = n.runWith("", []string{"--root"})
			}
			n.want(code, 2, out, c.want, "usage:")
		}
		code, out, _ = n.run("--manifests", empty)
		n.want(code, 1, out, "there is no *.yaml")
		n.write(filepath.Join(empty, "a_b.yaml"), "x", 0o644)
		code, out, _ = n.run("--manifests", empty)
		n.want(code, 1, out, "takes no file with _ in its name")
		n.write(filepath.Join(n.bundle, "images/mote.tar"), "imag", 0o644)
		code, out, _ = n.run()
		n.want(code, 1, out, "the bundle is damaged", "nothing was changed")
		if n.files() != before {
			t.Errorf("a refusal changed the node:\n%s", n.files())
		}
	})
}

// Without k3s at hand, or with it not running, the files are enough: k3s reads them when it starts.
func TestInstallBeforeK3sRuns(t *testing.T) {
	onEachShell(t, func(t *testing.T, n *node) {
		n.say("fail", "ctr version\n")
		code, out, _ := n.run()
		n.want(code, 0, out, "at its next start")
		code, out, calls := n.runWith("", []string{"--root", n.root})
		n.want(code, 0, out, "at its next start")
		if calls[0] != "" {
			t.Errorf("with another root, and no K3S, it asked %q", calls)
		}
	})
}

// A node that only works for a server gets the image, and no manifests.
func TestInstallOnAnAgent(t *testing.T) {
	onEachShell(t, func(t *testing.T, n *node) {
		if err := os.RemoveAll(filepath.Join(n.root, "var/lib/rancher/k3s/server")); err != nil {
			t.Fatal(err)
		}
		code, out, _ := n.run()
		n.want(code, 0, out, "no k3s server")
		n.has(tarball, "image v1")
		n.has(deployFile, "")
		code, out, _ = n.run("uninstall", "--yes")
		n.want(code, 0, out, "Uninstalled")
		n.has(tarball, "")
	})
}

func TestUpgrade(t *testing.T) {
	onEachShell(t, func(t *testing.T, n *node) {
		n.run()
		n.pack("v2", kind+"crds: 2\n", "controller: 2\n")
		code, out, _ := n.run()
		n.want(code, 0, out, "Installed example.com/mote:v2")
		n.has(tarball, "image v2")
		n.has(crdFile, kind+"crds: 2\n")
		n.has(deployFile, "controller: 2\n")
		// The next but one takes the first image out of containerd.
		n.pack("v3", kind+"crds: 2\n", "controller: 3\n")
		_, _, calls := n.run()
		if want := "ctr images rm example.com/mote:v1"; !slices.Contains(calls, want) {
			t.Errorf("asked %q, not %q", calls, want)
		}
		// And back.
		n.pack("v1", kind+"crds: 1\n", "controller: 1\n")
		code, out, _ = n.run()
		n.want(code, 0, out, "Installed example.com/mote:v1")
		n.has(deployFile, "controller: 1\n")
	})
}

// Settings that somebody made on the node, or gave, are not lost by an upgrade.
func TestUpgradeKeepsSettings(t *testing.T) {
	onEachShell(t, func(t *testing.T, n *node) {
		n.run()
		n.write(filepath.Join(n.root, deployFile), "controller: mine\n", 0o644)
		n.pack("v2", kind+"crds: 2\n", "controller: 2\n")
		before := n.files()
		code, out, _ := n.run()
		n.want(code, 1, out, "mote-1-mote.yaml is not as a bundle brought it", "--manifests", "--replace", "nothing was changed")
		if n.files() != before {
			t.Errorf("a refusal changed the node:\n%s", n.files())
		}
		mine := t.TempDir()
		n.write(filepath.Join(mine, "mote-0-crds.yaml"), kind+"crds: 2\n", 0o644)
		n.write(filepath.Join(mine, "mote-1-mote.yaml"), "controller: 2 mine\n", 0o644)
		code, out, _ = n.run("--manifests", mine)
		n.want(code, 0, out, "Installed example.com/mote:v2")
		n.has(deployFile, "controller: 2 mine\n")
		n.pack("v3", kind+"crds: 3\n", "controller: 3\n")
		code, out, _ = n.run()
		n.want(code, 1, out, "is not as a bundle brought it")
		code, out, _ = n.run("--replace")
		n.want(code, 0, out, "Installed example.com/mote:v3")
		n.has(deployFile, "controller: 3\n")
		n.has(crdFile, kind+"crds: 3\n")
	})
}

// A manifest that a version no longer has leaves the folder.
func TestUpgradeDropsManifests(t *testing.T) {
	onEachShell(t, func(t *testing.T, n *node) {
		n.write(filepath.Join(n.bundle, "manifests/mote-2-more.yaml"), "more\n", 0o644)
		code, out, _ := n.run()
		n.want(code, 0, out)
		n.has("var/lib/rancher/k3s/server/manifests/mote-2-more.yaml", "more\n")
		n.pack("v2", kind+"crds: 2\n", "controller: 2\n")
		code, out, _ = n.run()
		n.want(code, 0, out, "removed", "kubectl delete -f '"+filepath.Join(n.root, "var/lib/mote-airgap/dropped/mote-2-more.yaml")+"'")
		n.has("var/lib/rancher/k3s/server/manifests/mote-2-more.yaml", "")
	})
}

func TestScriptIsClean(t *testing.T) {
	path, err := exec.LookPath("shellcheck")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no shellcheck on this machine")
		}
		t.Log("not run: there is no shellcheck on this machine")
		return
	}
	if out, err := exec.Command(path, filepath.Join(top, "k3s/airgap/install.sh"), filepath.Join(top, ".ci/run")).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
