package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// node is a file system that looks like a k3s node's, a bundle beside it, and a k3s
// that writes down what it was asked.
type node struct {
	t      *testing.T
	shell  []string
	root   string
	bundle string
	k3s    string // the stand-in; its answers are files in its folder
	calls  string
}

// fakeK3s answers from files beside it: known (the kinds that there are), databases
// and apps (as the jsonpath gives them), and fail (commands that fail).
const fakeK3s = `#!/bin/sh
here=$(dirname "$0")
echo "$*" >>"$here/calls"
while read -r bad; do case "$*" in *"$bad"*) echo "refused: $*" >&2; exit 1 ;; esac; done <"$here/fail"
case "$*" in
"kubectl get crd "*) if grep -qx "$4" "$here/known"; then echo "customresourcedefinition/$4"; fi ;;
"kubectl get postgresdbs.database.example.com "*) cat "$here/databases" ;;
"kubectl get myapps.example.com "*) cat "$here/apps" ;;
esac
`

// shells are what the script has to run under: the one of Debian, and the one of a
// small node, where this machine has it.
func shells(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{"sh": {"sh"}}
	for name, command := range map[string][]string{"dash": {"dash"}, "busybox": {"busybox", "sh"}} {
		if _, err := exec.LookPath(command[0]); err == nil {
			all[name] = command
		} else if os.Getenv("CI") != "" {
			t.Fatalf("there is no %s on this machine", command[0])
		}
	}
	return all
}

// onEachShell runs a test with a fresh node under each shell.
func onEachShell(t *testing.T, test func(*testing.T, *node)) {
	for name, shell := range shells(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			n := &node{t: t, shell: shell, root: filepath.Join(dir, "a root"), bundle: filepath.Join(dir, "the bundle"), k3s: filepath.Join(dir, "bin", "k3s")}
			n.calls = filepath.Join(dir, "bin", "calls")
			n.write(n.k3s, fakeK3s, 0o755)
			for _, f := range []string{"known", "databases", "apps", "fail", "calls"} {
				n.write(filepath.Join(dir, "bin", f), "", 0o644)
			}
			n.write(filepath.Join(n.root, "var/lib/rancher/k3s/server/token"), "x", 0o600)
			n.pack("v1", kind+"crds: 1\n", "controller: 1\n")
			test(t, n)
		})
	}
}

func (n *node) write(name, content string, mode os.FileMode) {
	n.t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		n.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), mode); err != nil {
		n.t.Fatal(err)
	}
}

// say sets what the stand-in of k3s knows or refuses.
func (n *node) say(file, content string) {
	n.write(filepath.Join(filepath.Dir(n.k3s), file), content, 0o644)
}

// pack makes the bundle be that of a version.
func (n *node) pack(version, crds, controller string) {
	n.t.Helper()
	if err := os.RemoveAll(n.bundle); err != nil {
		n.t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(top, "k3s/airgap/install.sh"))
	if err != nil {
		n.t.Fatal(err)
	}
	files := []entry{
		{"IMAGE", 0o644, []byte("example.com/mote:" + version + "\n")},
		{"images/mote.tar", 0o644, []byte("image " + version)},
		{"install.sh", 0o755, script},
		{"manifests/mote-0-crds.yaml", 0o644, []byte(crds)},
		{"manifests/mote-1-mote.yaml", 0o644, []byte(controller)},
	}
	for _, f := range files {
		n.write(filepath.Join(n.bundle, f.name), string(f.data), os.FileMode(f.mode))
	}
	n.write(filepath.Join(n.bundle, "SHA256SUMS"), string(sums(files)), 0o644)
}

// run runs install.sh with k3s at hand, and returns its exit code, what it printed
// and what it asked of k3s.
func (n *node) run(args ...string) (code int, out string, calls []string) {
	n.t.Helper()
	return n.runWith("", append(args, "--root", n.root), "K3S="+n.k3s)
}

func (n *node) runWith(input string, args []string, env ...string) (int, string, []string) {
	n.t.Helper()
	if err := os.WriteFile(n.calls, nil, 0o644); err != nil {
		n.t.Fatal(err)
	}
	args = slices.Concat(n.shell[1:], []string{filepath.Join(n.bundle, "install.sh")}, args)
	cmd := exec.Command(n.shell[0], args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		n.t.Fatal(err)
	}
	asked, err := os.ReadFile(n.calls)
	if err != nil {
		n.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out), strings.Split(strings.TrimSpace(string(asked)), "\n")
}

// want fails the test unless the run ended so and said these words.
func (n *node) want(code, wantCode int, out string, words ...string) {
	n.t.Helper()
	if code != wantCode {
		n.t.Fatalf("exit %d, want %d:\n%s", code, wantCode, out)
	}
	for _, w := range words {
		if !strings.Contains(out, w) {
			n.t.Errorf("no %q in:\n%s", w, out)
		}
	}
}

// has compares a file of the node; an empty content means that it must not be there.
func (n *node) has(name, content string) {
	n.t.Helper()
	got, err := os.ReadFile(filepath.Join(n.root, name))
	if content == "" && os.IsNotExist(err) {
		return
	}
	if err != nil || string(got) != content {
		n.t.Errorf("%s holds %q (%v), want %q", name, got, err, content)
	}
}

// files are all files of the node with their contents.
func (n *node) files() string {
	n.t.Helper()
	var all strings.Builder
	err := filepath.Walk(n.root, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s %s %q\n", path, info.Mode(), data)
		return err
	})
	if err != nil {
		n.t.Fatal(err)
	}
	return all.String()
}
