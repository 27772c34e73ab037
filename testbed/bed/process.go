package bed

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is one program that runs.
type Process struct {
	Name string
	Log  string // file with all that it wrote to standard error

	cmd   *exec.Cmd
	stdin io.Closer
	log   *os.File
	done  chan struct{}
	err   error // after done
}

// start runs a program with its standard error in a log file. Its standard
// output is read for a line that begins with "READY ", if ready is set; then the
// line is returned.
func start(ctx context.Context, name, dir string, env []string, ready bool, limit time.Duration, program string, args ...string) (*Process, string, error) {
	log, err := os.OpenFile(filepath.Join(dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, "", err
	}
	p := &Process{Name: name, Log: log.Name(), log: log, done: make(chan struct{}), cmd: exec.Command(program, args...)}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = log
	p.cmd.SysProcAttr = ownGroup()
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, "", err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	started := make(chan error, 1)
	go func() {
		// The kernel sends the death signal when the thread that started the
		// process ends, so this goroutine keeps its thread until the process is over.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			<-p.done
		}
	}()
	if err := <-started; err != nil {
		return nil, "", fmt.Errorf("start %s: %w", name, err)
	}
	lines := make(chan string, 1)
	var reading sync.WaitGroup
	reading.Go(func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			if strings.HasPrefix(s.Text(), "READY ") {
				select {
				case lines <- s.Text():
				default:
				}
			}
		}
	})
	go func() {
		reading.Wait()
		p.err = p.cmd.Wait()
		log.Close()
		close(p.done)
	}()
	if !ready {
		return p, "", nil
	}
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case line := <-lines:
		return p, line, nil
	case <-p.done:
		return nil, "", fmt.Errorf("%s ended at its start: %v\n%s", name, p.err, tail(p.Log))
	case <-t.C:
		p.Kill()
		return nil, "", fmt.Errorf("%s was not ready in %s\n%s", name, limit, tail(p.Log))
	case <-ctx.Done():
		p.Kill()
		return nil, "", ctx.Err()
	}
}

// Stop asks the program to end, and kills it when it has not after the limit.
func (p *Process) Stop(limit time.Duration) error {
	p.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return p.err
	case <-time.After(limit):
		p.Kill()
		return fmt.Errorf("%s did not end within %s of SIGTERM\n%s", p.Name, limit, tail(p.Log))
	}
}

// Kill ends the program at once, as a crash would, and waits for it.
func (p *Process) Kill() {
	p.Signal(syscall.SIGKILL)
	<-p.done
}

// Signal sends the program a signal.
func (p *Process) Signal(s syscall.Signal) { p.cmd.Process.Signal(s) }

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err is how the program ended; only after Done.
func (p *Process) Err() error { return p.err }

// PID is its process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// RSS is the memory that the program holds, in bytes.
func (p *Process) RSS() (int64, error) { return p.status("VmRSS:") }

// PeakRSS is the most memory that the program has held, in bytes.
func (p *Process) PeakRSS() (int64, error) { return p.status("VmHWM:") }

func (p *Process) status(field string) (int64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(data) {
		if f := strings.Fields(string(line)); len(f) == 3 && f[0] == field {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n * 1024, err
		}
	}
	return 0, errors.New("no " + field + " in the process's status")
}

// Output is all that the program has written to its log.
func (p *Process) Output() string {
	data, _ := os.ReadFile(p.Log)
	return string(data)
}

// tail is the end of a log, for an error message.
func tail(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return "  " + strings.Join(lines[max(0, len(lines)-15):], "\n  ")
}
