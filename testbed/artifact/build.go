package artifact

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// build compiles one program into path, whole or not at all, with a line of
// progress that counts the packages compiled so far.
func build(ctx context.Context, dir, name, path, pkg string, progress io.Writer) error {
	began := time.Now()
	temp := path + ".new"
	defer os.Remove(temp)
	args := append(append([]string{}, flags...), "-v", "-o", temp, pkg)
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	out, err := c.StderrPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return fmt.Errorf("build %s: %w", name, err)
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
	}()
	t := newTicker(progress)
	defer t.stop()
	var tail []string
	compiled := 0
	for open := true; open; {
		select {
		case line, ok := <-lines:
			switch {
			case !ok:
				open = false
			case !strings.HasPrefix(line, "go: "):
				compiled++
			}
			if tail = append(tail, line); len(tail) > 25 {
				tail = tail[1:]
			}
		case <-t.c:
		}
		if open {
			t.show(fmt.Sprintf("building %s, once: %d packages compiled, %s (some 12 minutes on two cores, then kept)",
				name, compiled, time.Since(began).Round(time.Second)))
		}
	}
	if err := c.Wait(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", name, err, strings.Join(tail, "\n"))
	}
	if time.Since(began) > 5*time.Second {
		t.done(fmt.Sprintf("built %s in %s", name, time.Since(began).Round(time.Second)))
	}
	return os.Rename(temp, path)
}

// lock makes dir and keeps other builders out of it until unlock.
func lock(ctx context.Context, dir string, progress io.Writer) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for told := false; ; {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		if !told {
			fmt.Fprintln(progress, "another build of the control plane is under way; waiting for it")
			told = true
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}
