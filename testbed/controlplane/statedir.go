package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// stateDir is the directory of one control plane. A lock in it keeps a second process out.
type stateDir struct {
	path   string
	lock   *os.File
	remove bool
}

// openStateDir makes the directory when it is not there, and locks it.
func openStateDir(path string, remove bool) (*stateDir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(path, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		pid, _ := os.ReadFile(lock.Name())
		lock.Close()
		return nil, fmt.Errorf("another control plane (pid %s) runs in %s: stop it, or use another --dir", strings.TrimSpace(string(pid)), path)
	}
	lock.Truncate(0)
	fmt.Fprintln(lock, os.Getpid())
	return &stateDir{path, lock, remove}, nil
}

func (d *stateDir) String() string { return d.path }

// file is the path of a file in the directory.
func (d *stateDir) file(name string) string { return filepath.Join(d.path, name) }

// kubeconfig is the path of an identity's kubeconfig.
func (d *stateDir) kubeconfig(identity string) string { return d.file(identity + ".kubeconfig") }

func (d *stateDir) close() {
	if d.remove {
		os.RemoveAll(d.path)
	}
	d.lock.Close()
}
