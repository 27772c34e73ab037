package contender

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Cage is a memory cgroup: who takes more than its limit in it is killed, as a
// container is.
type Cage struct{ dir string }

// NewCage makes a cgroup with a limit in bytes, which needs root.
func NewCage(name string, limit int64) (*Cage, error) {
	const root = "/sys/fs/cgroup"
	dir, file := filepath.Join(root, "memory", name), "memory.limit_in_bytes" // version 1
	if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err == nil {
		dir, file = filepath.Join(root, name), "memory.max" // version 2
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("make a memory cgroup: %w", err)
	}
	c := &Cage{dir}
	if err := os.WriteFile(filepath.Join(dir, file), []byte(strconv.FormatInt(limit, 10)), 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("limit a memory cgroup: %w", err), c.Remove())
	}
	// Where there is swap it would be no limit; where there is none there may be no such file.
	os.WriteFile(filepath.Join(dir, "memory.swap.max"), []byte("0"), 0o644)
	return c, nil
}

// Remove removes the cgroup, once nobody is in it.
func (c *Cage) Remove() error { return os.Remove(c.dir) }

// within is a command line that enters the cgroup and goes on as the given one.
func (c *Cage) within(binary string, args []string) (string, []string) {
	return "/bin/sh", append([]string{"-c", `echo $$ >"$0" && exec "$@"`, filepath.Join(c.dir, "cgroup.procs"), binary}, args...)
}
