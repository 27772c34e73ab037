package contender

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Process is a contender that runs.
type Process struct {
	Began  time.Time
	Synced <-chan time.Time // when it said so
	Done   <-chan struct{}  // it has ended

	name string
	log  string
	cmd  *exec.Cmd
}

// Start runs a contender with its log in dir. It dies with this process.
func (c Contender) Start(dir string) (*Process, error) {
	log, err := os.Create(filepath.Join(dir, c.ID+".log"))
	if err != nil {
		return nil, err
	}
	binary, args := c.Binary, c.Args
	var cage *Cage
	if c.Limit > 0 {
		if cage, err = NewCage("bench-"+c.ID, c.Limit); err != nil {
			return nil, err
		}
		binary, args = cage.within(binary, args)
	}
	synced, done := make(chan time.Time, 1), make(chan struct{})
	p := &Process{Synced: synced, Done: done, name: c.Name, log: log.Name(), cmd: exec.Command(binary, args...)}
	p.cmd.Env = append(os.Environ(), c.Env...)
	p.cmd.Dir = dir
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	out, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	started := make(chan error, 1)
	go func() {
		// The kernel's death signal comes when the thread that started the process
		// ends, so this one is kept until the process is over.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(done)
		defer log.Close()
		p.Began = time.Now()
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		s := bufio.NewScanner(out)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			if c.Synced != nil && c.Synced(s.Text()) {
				select {
				case synced <- time.Now():
				default:
				}
			}
			fmt.Fprintln(log, s.Text())
		}
		p.cmd.Wait()
		if cage != nil {
			cage.Remove()
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	return p, nil
}

// PID is its process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// stopLimit is how long a contender may take to end after SIGTERM.
const stopLimit = 20 * time.Second

// Stop asks it to end, and kills it when it does not.
func (p *Process) Stop() {
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.Done:
	case <-time.After(stopLimit):
		p.cmd.Process.Kill()
		<-p.Done
	}
}

// Wait waits for d, and fails when the contender ends or ctx does.
func (p *Process) Wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.Done:
		return p.Ended()
	}
}

// Ended is the error of a contender that ended by itself, with its last words.
func (p *Process) Ended() error {
	data, _ := os.ReadFile(p.log)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return fmt.Errorf("%s ended by itself:\n  %s", p.name, strings.Join(lines[max(0, len(lines)-10):], "\n  "))
}
