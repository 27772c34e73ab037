package bed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"example.com/mote/cloud/standin/control"
	"example.com/mote/testbed/artifact"
)

// Bed is a folder with the programs that run in it.
type Bed struct {
	Paths      artifact.Paths
	Dir        string
	Kubeconfig string
	CloudURL   string

	processes []*Process
	owner     *os.File // locked while this process lives
}

// The stand-in's keys, unless a test changes them.
const (
	SecretID  = "AKIDTESTBED"
	SecretKey = "testbed-secret"
)

// Limits of starts and stops.
const (
	startLimit = 2 * time.Minute
	stopLimit  = 20 * time.Second
)

// New makes an empty bed in a folder of its own; Close removes it.
func New(p artifact.Paths) (*Bed, error) {
	base := ""
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() { // a store in memory
		base = "/dev/shm"
	}
	if base == "" {
		base = os.TempDir()
	}
	if err := sweep(base); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(base, prefix)
	if err != nil {
		return nil, err
	}
	owner, err := own(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Bed{Paths: p, Dir: dir, owner: owner}, nil
}

// Close stops everything, last started first, and removes the folder.
func (b *Bed) Close() error {
	var errs []error
	for i := len(b.processes) - 1; i >= 0; i-- {
		p := b.processes[i]
		select {
		case <-p.done:
		default:
			if err := p.Stop(stopLimit); err != nil && !endedBySignal(err) {
				errs = append(errs, err)
			}
		}
	}
	b.processes = nil
	errs = append(errs, os.RemoveAll(b.Dir))
	b.owner.Close()
	return errors.Join(errs...)
}

func endedBySignal(err error) bool {
	var e *exec.ExitError
	return errors.As(err, &e) && !e.Exited()
}

// ControlPlaneDir is where the control plane keeps its state; its store listens
// there, on the socket etcd.sock.
func (b *Bed) ControlPlaneDir() string { return filepath.Join(b.Dir, "cp") }

// StartControlPlane starts the control plane, and returns when a client is let in.
func (b *Bed) StartControlPlane(ctx context.Context, args ...string) (*Process, error) {
	dir := b.ControlPlaneDir()
	p, line, err := start(ctx, "controlplane", b.Dir, nil, true, startLimit, b.Paths.ControlPlane,
		append([]string{"--dir", dir, "--exit-with-stdin"}, args...)...)
	if err != nil {
		return nil, err
	}
	b.processes = append(b.processes, p)
	b.Kubeconfig = word(line, "kubeconfig=")
	return p, nil
}

// StartCloud starts the cloud's stand-in with further flags of its own.
func (b *Bed) StartCloud(ctx context.Context, args ...string) (*Process, error) {
	p, line, err := start(ctx, "standin", b.Dir, nil, true, startLimit, b.Paths.Standin,
		append([]string{"--exit-with-stdin", "--secret-id", SecretID, "--secret-key", SecretKey}, args...)...)
	if err != nil {
		return nil, err
	}
	b.processes = append(b.processes, p)
	b.CloudURL = word(line, "url=")
	return p, nil
}

// Cloud steers the stand-in.
func (b *Bed) Cloud() *control.Client { return control.New(b.CloudURL, nil) }

// StartMote runs bin/mote against the bed's cluster and cloud; further flags win.
func (b *Bed) StartMote(ctx context.Context, name string, env []string, args ...string) (*Process, error) {
	env = append([]string{"TENCENTCLOUD_SECRET_ID=" + SecretID, "TENCENTCLOUD_SECRET_KEY=" + SecretKey}, env...)
	p, _, err := start(ctx, name, b.Dir, env, false, 0, b.Paths.Mote,
		append([]string{"run", "--kubeconfig", b.Kubeconfig, "--cloud-endpoint", b.CloudURL, "--region", "ap-guangzhou"}, args...)...)
	if err != nil {
		return nil, err
	}
	b.processes = append(b.processes, p)
	return p, nil
}

// Kubectl runs kubectl on the bed's cluster and returns what it printed.
func (b *Bed) Kubectl(ctx context.Context, stdin string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, b.Paths.Kubectl, args...)
	c.Env = append(os.Environ(), "KUBECONFIG="+b.Kubeconfig, "HOME="+b.Dir)
	c.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		return out.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return out.String() + errs.String(), nil
}

// Config is for a client of the bed's cluster.
func (b *Bed) Config() (*rest.Config, error) {
	c, err := clientcmd.BuildConfigFromFlags("", b.Kubeconfig)
	if err != nil {
		return nil, err
	}
	c.QPS = -1
	return c, nil
}

// Client is a dynamic client of the bed's cluster.
func (b *Bed) Client() (dynamic.Interface, error) {
	c, err := b.Config()
	if err != nil {
		return nil, err
	}
	return dynamic.NewForConfig(c)
}

// word finds the value of key in a READY line.
func word(line, key string) string {
	for _, w := range strings.Fields(line) {
		if v, ok := strings.CutPrefix(w, key); ok {
			return v
		}
	}
	return ""
}
