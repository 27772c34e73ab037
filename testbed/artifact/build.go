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

// program is one that is built and kept.
type program struct {
	name     string
	path     string // where it is kept
	pkg      string
	packages int    // that are compiled for it at most
	duration string // of its first build, for a person
}

// soon is how long a build may take before it is explained.
const soon = 5 * time.Second

// build compiles one program, whole or not at all, with a line of progress that
// counts the packages compiled so far.
func build(ctx context.Context, dir string, p program, progress io.Writer) error {
	began := time.Now()
	temp := p.path + ".new"
	defer os.Remove(temp)
	// An interrupted go command leaves its files behind, hundreds of megabytes of them: so they get a place of our own.
	scratch := filepath.Join(filepath.Dir(p.path), "tmp")
	if err := errors.Join(os.RemoveAll(scratch), os.MkdirAll(scratch, 0o755)); err != nil {
		return fmt.Errorf("build %s: %w", p.name, err)
	}
	defer os.RemoveAll(scratch)
	args := append(append([]string{}, flags...), "-v", "-o", temp, p.pkg)
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=", "GOTMPDIR="+scratch)
	out, err := c.StderrPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return fmt.Errorf("build %s: %w", p.name, err)
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
	downloaded, compiled, explained := 0, 0, false
	for open := true; open; {
		select {
		case line, ok := <-lines:
			if !ok {
				open = false
				break
			}
			if strings.HasPrefix(line, "go: ") {
				downloaded++
			} else {
				compiled++
			}
			if tail = append(tail, line); len(tail) > 25 {
				tail = tail[1:]
			}
		case <-t.c:
		}
		if age := time.Since(began); open && age > soon {
			if !explained {
				t.done(fmt.Sprintf("building %s: once for all clones, %s on two cores", p.name, p.duration))
				explained = true
			}
			t.show(p.status(downloaded, compiled, age))
		}
	}
	if err := c.Wait(); ctx.Err() != nil {
		return fmt.Errorf("build %s: %w", p.name, context.Cause(ctx))
	} else if err != nil {
		return fmt.Errorf("build %s: %w\n%s", p.name, err, strings.Join(tail, "\n"))
	}
	if explained {
		t.done(fmt.Sprintf("built %s in %s", p.name, time.Since(began).Round(time.Second)))
	}
	return os.Rename(temp, p.path)
}

// status is the line of progress. It fits a terminal of 80 columns, or drawing it
// over itself would leave traces.
func (p program) status(downloaded, compiled int, age time.Duration) string {
	line := fmt.Sprintf("building %s: %s", p.name, age.Round(time.Second))
	switch {
	case compiled > 0:
		return line + fmt.Sprintf(", %d of up to %d packages", compiled, p.packages)
	case downloaded > 0:
		return line + fmt.Sprintf(", %d modules downloaded", downloaded)
	}
	return line
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
