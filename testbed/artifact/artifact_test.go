package artifact

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module writes the files of a Go module and returns its folder.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestHash(t *testing.T) {
	sum := func(change map[string]string) string {
		files := map[string]string{"go.mod": "module m\n", "go.sum": "", "main.go": "package main\n", "sub/a.go": "package sub\n"}
		for name, content := range change {
			files[name] = content
		}
		s, err := hash(module(t, files))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := sum(nil)
	for _, name := range []string{"main_test.go", "README.md"} {
		if sum(map[string]string{name: "package main\n"}) != first {
			t.Errorf("%s decides what is built", name)
		}
	}
	seen := map[string]string{first: "nothing"}
	for _, change := range []string{"go.mod", "go.sum", "main.go", "sub/a.go", "sub/b.go", "moved/a.go"} {
		s := sum(map[string]string{change: "package changed\n"})
		if other, ok := seen[s]; ok {
			t.Errorf("a change of %s has the hash of a change of %s", change, other)
		}
		seen[s] = change
	}
}

// TestVersion holds the version that is stamped against the one that is compiled.
func TestVersion(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "testbed", "controlplane", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "k8s.io/kubernetes " + Kubernetes + "\n"; !strings.Contains(string(data), want) {
		t.Errorf("go.mod of the control plane does not say %q", want)
	}
	major, minor, _ := strings.Cut(strings.TrimPrefix(Kubernetes, "v"), ".")
	minor, _, _ = strings.Cut(minor, ".")
	for _, want := range []string{"gitMajor=" + major + " ", "gitMinor=" + minor + " "} {
		if !strings.Contains(ldflags, want) {
			t.Errorf("ldflags do not say %q", want)
		}
	}
}
