package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// tree is the checkout that is verified.
type tree struct {
	root     string
	progress io.Writer // for a line before something slow
}

// run runs a command in dir (relative to the top) and returns what it printed
// on stdout. Its error holds what it printed on stderr and stdout.
func (t tree) run(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = filepath.Join(t.root, dir)
	// A parent make must not hand its own flags and variables to ours.
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "MAKE") || strings.HasPrefix(kv, "MFLAGS=")
	}), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		said := strings.TrimSpace(stderr.String() + stdout.String())
		return stdout.String(), fmt.Errorf("%s %s, in %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), filepath.Join(".", dir), err, said)
	}
	return stdout.String(), nil
}

// tool is the path of a program that tools/go.mod names; the first call builds it.
func (t tree) tool(name string) (string, error) {
	out, err := t.run("tools", nil, "go", "tool", "-n", name)
	return strings.TrimSpace(out), err
}

// files are the tree's files that git does not ignore, new ones included, that
// match one of the patterns (all when there is none).
func (t tree) files(patterns ...string) ([]string, error) {
	args := append([]string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"}, patterns...)
	out, err := t.run(".", nil, "git", args...)
	if err != nil {
		return nil, err
	}
	names := strings.FieldsFunc(out, func(r rune) bool { return r == 0 })
	// A deleted file stays listed until its deletion is committed.
	names = slices.DeleteFunc(names, func(name string) bool {
		_, err := os.Lstat(filepath.Join(t.root, name))
		return errors.Is(err, os.ErrNotExist)
	})
	if len(names) == 0 {
		return nil, fmt.Errorf("git lists no file %v in %s, so nothing would be checked", patterns, t.root)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// modules are the directories that hold a go.mod.
func (t tree) modules() ([]string, error) {
	files, err := t.files("go.mod", "*/go.mod")
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, f := range files {
		dirs = append(dirs, filepath.Dir(f))
	}
	return dirs, nil
}

// packages lists the packages of dir that the arguments of `go list` choose.
// An empty answer is an error: a check of nothing proves nothing.
func (t tree) packages(dir string, env []string, args ...string) ([]string, error) {
	out, err := t.run(dir, env, "go", append([]string{"list"}, args...)...)
	if err != nil {
		return nil, err
	}
	list := strings.Fields(out)
	if len(list) == 0 {
		return nil, fmt.Errorf("go list %s, in %s, lists no package, so nothing would be checked", strings.Join(args, " "), filepath.Join(".", dir))
	}
	return list, nil
}
