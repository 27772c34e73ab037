package artifact

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// small is a module that compiles in a moment, unless its main says otherwise.
func small(t *testing.T, main string) (dir string, p program) {
	t.Helper()
	dir = module(t, map[string]string{"go.mod": "module small\n\ngo 1.26\n", "main.go": "package main\n\n" + main})
	return dir, program{name: "small", path: filepath.Join(t.TempDir(), "small"), pkg: "."}
}

// kept are the files in the folder where the program would be.
func kept(t *testing.T, p program) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(p.path), "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestBuild(t *testing.T) {
	dir, p := small(t, `func main() { print("it runs") }`)
	if err := build(t.Context(), dir, p, new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(p.path).CombinedOutput(); err != nil || string(out) != "it runs" {
		t.Errorf("%q, %v", out, err)
	}
	if files := kept(t, p); len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
}

func TestBuildFails(t *testing.T) {
	dir, p := small(t, "func main() { missing() }")
	err := build(t.Context(), dir, p, new(bytes.Buffer))
	for _, word := range []string{"build small: exit status 1", "main.go:3", "undefined: missing"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("error %v does not say %q", err, word)
		}
	}
	if files := kept(t, p); len(files) != 0 {
		t.Errorf("left behind: %v", files)
	}
}

func TestBuildIsInterrupted(t *testing.T) {
	dir, p := small(t, "func main() {}")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := build(ctx, dir, p, new(bytes.Buffer)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	if files := kept(t, p); len(files) != 0 {
		t.Errorf("left behind: %v", files)
	}
}

func TestStatusFitsATerminal(t *testing.T) {
	p := program{name: "Kubernetes " + Kubernetes, packages: 2600}
	for _, line := range []string{
		p.status(0, 0, time.Minute),
		p.status(300, 0, time.Minute),
		p.status(300, 2600, 100*time.Minute),
	} {
		if len(line) >= 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

func TestLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "hash")
	unlock, err := lock(t.Context(), dir, new(bytes.Buffer))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	var said bytes.Buffer
	if _, err := lock(ctx, dir, &said); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a second lock: %v, want it to wait until the context ends", err)
	}
	if !strings.Contains(said.String(), "another build") {
		t.Errorf("it waits and says %q", said.String())
	}
	unlock()
	unlock, err = lock(t.Context(), dir, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}
