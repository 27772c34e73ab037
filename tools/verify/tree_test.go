package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sound is a small tree in which every check is content.
var sound = map[string]string{
	".gitignore":  "ignored\n",
	"go.mod":      "module example.com/small\n\ngo 1.26.0\n",
	"main.go":     "// Command small says hello.\npackage main\n\nimport \"example.com/small/word\"\n\nfunc main() { print(word.Hello()) }\n",
	"word/a.go":   "// Package word has words.\npackage word\n\n// Hello is a greeting.\nfunc Hello() string { return \"hello\" }\n",
	"crd/a.yaml":  "kind: A\n",
	"Makefile":    "generate:\n\t@echo 'kind: A' >$(CRDS)/a.yaml\nbuild:\n\t@go build -o $(MOTE) .\n",
	"x/go.mod":    "module example.com/small/x\n\ngo 1.26.0\n",
	"x/x.go":      "// Package x is in a module of its own.\npackage x\n",
	"ignored/b.c": "made by a machine, not looked at: /" + "home/ann\n",
}

// plant writes the sound tree, changed as told, into a new git repository. Its
// tools are those of this module.
func plant(t *testing.T, changes map[string]string) tree {
	t.Helper()
	root := t.TempDir()
	write := func(name, content string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, files := range []map[string]string{sound, changes} {
		for name, content := range files {
			write(name, content)
		}
	}
	tools, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(tools, filepath.Join(root, "tools")); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "-C", root, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return tree{root: root, progress: io.Discard}
}

func TestSoundTreePasses(t *testing.T) {
	var out strings.Builder
	if runAll(&out, plant(t, nil), checks) > 0 {
		t.Error(out.String())
	}
}

// Each fault makes its check fail, so that no check is one that cannot.
func TestEachCheckFindsItsFault(t *testing.T) {
	for _, c := range []struct {
		check   string
		changes map[string]string
		words   string
	}{
		{"gofmt", map[string]string{"word/b.go": "package word\nvar  x = 1\n"}, "gofmt -w word/b.go"},
		{"gofmt", map[string]string{"word/b.go": "package\n"}, "correct the syntax"},
		{"machine paths", map[string]string{"notes.md": "in /" + "home/ann\n"}, "notes.md:1 names /" + "home/ann"},
		{"generated files", map[string]string{"crd/a.yaml": "kind: B\n"}, "a.yaml is stale from line 1 on"},
		{"generated files", map[string]string{"Makefile": "generate:\n\t@true\n"}, "nothing would be compared"},
		{"forbidden imports", map[string]string{"word/b.go": "package word\n\nimport _ \"testing\"\n"}, "testing: test code has reached the product"},
		{"go.mod tidy", map[string]string{"x/go.mod": "module example.com/small/x\n\ngo 1.26.0\n\nrequire golang.org/x/mod v0.42.0\n"}, "go -C x mod tidy"},
		{"binary budget", map[string]string{"Makefile": fmt.Sprintf("build:\n\t@head -c %d /dev/zero >$(MOTE)\n", budget+1)}, "1 more than its budget"},
		{"dead code", map[string]string{"word/b.go": "package word\n\n// Bye is a farewell.\nfunc Bye() string { return \"bye\" }\n"}, "unreachable func: Bye"},
		{"dead code", map[string]string{"alone/a.go": "package alone\n"}, "example.com/small/alone: no command imports this package"},
		{"dead code", map[string]string{
			"testbed/go.mod":  "module example.com/small/testbed\n\ngo 1.26.0\n",
			"testbed/main.go": "// Command testbed does nothing.\npackage main\n\nfunc main() {}\n\nfunc idle() {}\n",
		}, "unreachable func: idle"},
		{"go vet", map[string]string{"x/y.go": "package x\n\nimport \"fmt\"\n\nfunc init() { fmt.Printf(\"%d\", \"one\") }\n"}, "wrong type string"},
		{"staticcheck", map[string]string{"x/y.go": "package x\n\nfunc unused() {}\n"}, "U1000"},
		{"staticcheck", map[string]string{"x/y.go": "package x\n\nvar a int = \"\"\n"}, "(compile)"},
		{"staticcheck", map[string]string{"y/go.mod": "module example.com/y\n\ngo 1.26.0\n"}, "nothing would be checked"},
	} {
		t.Run(c.check, func(t *testing.T) {
			var out strings.Builder
			planted := plant(t, c.changes)
			for _, one := range checks {
				if one.name == c.check && runAll(&out, planted, []check{one}) == 0 {
					t.Errorf("passes in spite of %q", c.changes)
				}
			}
			if !strings.Contains(out.String(), c.words) {
				t.Errorf("no %q in:\n%s", c.words, out.String())
			}
		})
	}
}
