package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// platform is one kind of node.
type platform struct {
	arch    string // as Go names it, and as it stands in file names
	variant string // the image's variant, empty for most
	env     []string
}

// platforms are those that are delivered. ARMv7 has floating point hardware that
// GOARM=7 uses; the binary is smaller with it.
var platforms = []platform{
	{arch: "amd64"},
	{arch: "arm64"},
	{arch: "arm", variant: "v7", env: []string{"GOARM=7"}},
	{arch: "riscv64"},
}

// String is the platform's name as container engines write it.
func (p platform) String() string {
	if p.variant != "" {
		return "linux/" + p.arch + "/" + p.variant
	}
	return "linux/" + p.arch
}

func (p platform) oci() *v1.Platform {
	return &v1.Platform{OS: "linux", Architecture: p.arch, Variant: p.variant}
}

// choose reads a list of architectures; an empty one means all.
func choose(list string) ([]platform, error) {
	if list == "" {
		return platforms, nil
	}
	var chosen []platform
	for _, arch := range strings.Split(list, ",") {
		i := slices.IndexFunc(platforms, func(p platform) bool { return p.arch == arch })
		if i < 0 {
			return nil, fmt.Errorf("there is no architecture %q (there are %v)", arch, platforms)
		}
		chosen = append(chosen, platforms[i])
	}
	return chosen, nil
}

// source is what everything is made of.
type source struct {
	root     string
	version  string
	revision string    // git's commit; empty outside a repository
	created  time.Time // the commit's time, or SOURCE_DATE_EPOCH: never now
}

// readSource asks git and the environment. Without either, the time is 1970.
func readSource(root, version string) (source, error) {
	s := source{root: root, version: version, created: time.Unix(0, 0).UTC()}
	if out, err := run(root, nil, "git", "log", "-1", "--format=%H %ct"); err == nil {
		revision, seconds, _ := strings.Cut(strings.TrimSpace(out), " ")
		n, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil {
			return s, fmt.Errorf("git log says %q, where a commit and its time were expected", out)
		}
		s.revision, s.created = revision, time.Unix(n, 0).UTC()
	}
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		n, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return s, fmt.Errorf("SOURCE_DATE_EPOCH=%q is no number of seconds", epoch)
		}
		s.created = time.Unix(n, 0).UTC()
	}
	if s.version == "" {
		out, err := run(root, nil, "git", "describe", "--always", "--dirty")
		if err != nil {
			return s, fmt.Errorf("no version: %w (give -version)", err)
		}
		s.version = strings.TrimSpace(out)
	}
	return s, nil
}

// binary is the program that `make build` makes for the platform.
func (s source) binary(p platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "mote")
	env := append([]string{"GOOS=linux", "GOARCH=" + p.arch}, p.env...)
	if _, err := run(s.root, env, "make", "-s", "build", "MOTE="+file, "VERSION="+s.version); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// run runs a command and returns what it printed; its error holds what it said.
// Flags and variables of a make above this process are not handed on.
func run(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "MAKE") || strings.HasPrefix(kv, "MFLAGS=")
	}), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, strings.TrimSpace(stderr.String()+stdout.String()))
	}
	return stdout.String(), nil
}
