package artifact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
)

// Kubernetes is the version that the control plane's module pins.
const Kubernetes = "v1.37.2"

// Paths are the programs.
type Paths struct {
	ControlPlane, Kubectl, Mote, Standin string
}

// ldflags stamp Kubernetes' version, which a build from modules does not know.
const ldflags = "-s -w" +
	" -X k8s.io/component-base/version.gitVersion=" + Kubernetes +
	" -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=37" +
	" -X k8s.io/component-base/version.gitTreeState=archive"

// Kubernetes is compiled with one set of settings; any other one compiles all of
// it again.
var flags = []string{"build", "-buildvcs=false", "-trimpath", "-ldflags", ldflags}

// Root is the repository's folder, found upwards from the working directory.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "testbed", "controlplane", "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no Mote repository at or above the working directory")
		}
		dir = up
	}
}

// ControlPlane makes sure that the control plane and kubectl are there, and
// builds them if they are not. What it has to say goes to progress.
func ControlPlane(ctx context.Context, root string, progress io.Writer) (Paths, error) {
	source := filepath.Join(root, "testbed", "controlplane")
	sum, err := hash(source)
	if err != nil {
		return Paths{}, fmt.Errorf("hash the control plane's sources: %w", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return Paths{}, fmt.Errorf("no cache folder for the control plane: %w", err)
	}
	dir := filepath.Join(cache, "mote-testbed", sum)
	p := Paths{ControlPlane: filepath.Join(dir, "controlplane"), Kubectl: filepath.Join(dir, "kubectl")}
	unlock, err := lock(ctx, dir, progress)
	if err != nil {
		return p, err
	}
	defer unlock()
	for _, b := range []program{
		{"Kubernetes " + Kubernetes, p.ControlPlane, ".", 2600, "some 12 minutes"},
		{"kubectl", p.Kubectl, "k8s.io/kubernetes/cmd/kubectl", 200, "a minute"},
	} {
		if _, err := os.Stat(b.path); err == nil {
			continue
		}
		if err := build(ctx, source, b, progress); err != nil {
			return p, err
		}
	}
	return p, nil
}

// Mote builds mote and the cloud's stand-in from the tree.
func Mote(ctx context.Context, root string) (Paths, error) {
	bin := filepath.Join(root, "bin")
	p := Paths{Mote: filepath.Join(bin, "mote"), Standin: filepath.Join(bin, "standin")}
	return p, compile(ctx, root, []string{"make", "-s", "build"},
		[]string{"go", "build", "-buildvcs=false", "-o", p.Standin, "./cloud/standin/cmd/standin"})
}

// Mutants builds a mote that has bugs in it on purpose, of which its environment
// names one; it is for tests of the tests.
func Mutants(ctx context.Context, root string) (program string, err error) {
	program = filepath.Join(root, "bin", "mote-mutants")
	return program, compile(ctx, root, []string{"make", "-s", "build", "BUILDTAGS=mutants", "MOTE=" + program})
}

// compile runs commands that put programs into the tree's bin.
func compile(ctx context.Context, root string, commands ...[]string) error {
	unlock, err := lock(ctx, filepath.Join(root, "bin"), io.Discard) // packages of tests are run side by side
	if err != nil {
		return err
	}
	defer unlock()
	for _, args := range commands {
		c := exec.CommandContext(ctx, args[0], args[1:]...)
		c.Dir = root
		c.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// hash sums up all that decides what a build yields: sources, module files, the
// Go version, the platform and the flags.
func hash(dir string) (string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, "_test.go") &&
			(strings.HasSuffix(path, ".go") || d.Name() == "go.mod" || d.Name() == "go.sum") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	sort.Strings(files)
	h := sha256.New()
	fmt.Fprintln(h, runtime.Version(), runtime.GOOS, runtime.GOARCH, flags)
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		rel, err := filepath.Rel(dir, f)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(h, rel, len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}
