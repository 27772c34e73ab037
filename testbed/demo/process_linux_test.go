package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/mote/testbed/artifact"
	"example.com/mote/testbed/bed"
)

// demoEnv makes this test binary the demo itself.
const demoEnv = "MOTE_DEMO_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(demoEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// command is the demo as a process of its own.
func command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, os.Args[0], args...)
	c.Env = append(os.Environ(), demoEnv+"=1")
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 30 * time.Second
	return c
}

// once runs the demo to its end.
func once(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	c := command(t.Context(), args...)
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return said.String(), c.ProcessState.ExitCode()
}

// inOrder tells whether the words come in that order.
func inOrder(text string, words ...string) bool {
	for _, w := range words {
		_, after, found := strings.Cut(text, w)
		if !found {
			return false
		}
		text = after
	}
	return true
}

func TestOnce(t *testing.T) {
	t.Parallel()
	out, code := once(t, "--once")
	if code != 0 || !inOrder(out, "starting the control plane", "Provisioning", "Running", "PostgreSQL 14.", "Both run", "Deleting both.",
		"Nothing is left: 1 instance was bought, none is billed, all children are gone.") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	if strings.Contains(out, `"level"`) || strings.Contains(out, "\033") {
		t.Errorf("noise:\n%s", out)
	}
}

// TestCluster uses a cluster that is there, and leaves it as it was but for the CRDs.
func TestCluster(t *testing.T) {
	t.Parallel()
	root, err := artifact.Root()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := artifact.ControlPlane(t.Context(), root, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bed.New(paths)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := b.StartControlPlane(t.Context()); err != nil {
		t.Fatal(err)
	}
	out, code := once(t, "--once", "--cluster", b.Kubeconfig)
	if code != 0 || !inOrder(out, "Both run", "Nothing is left", "The CRDs stay") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	left, err := b.Kubectl(t.Context(), "", "get", "namespaces,postgresdbs,myapps", "--all-namespaces", "-o", "name")
	if err != nil || strings.Contains(left, namespace) || strings.Contains(left, "orders") || strings.Contains(left, "shop") {
		t.Errorf("left in the cluster: %s, %v", left, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	if out, code := once(t, "now"); code != 2 || !strings.Contains(out, `"now"`) {
		t.Errorf("an argument: exit code %d, %s", code, out)
	}
	if out, code := once(t, "--cluster", "no-such-file"); code != 1 || !strings.Contains(out, "CLUSTER=") {
		t.Errorf("a kubeconfig that is not there: exit code %d, %s", code, out)
	}
}

// TestStays: it stays until Ctrl-C, and then leaves no process behind.
func TestStays(t *testing.T) {
	t.Parallel()
	c := command(t.Context())
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaint bytes.Buffer
	c.Stderr = &complaint
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for in := bufio.NewScanner(stdout); in.Scan(); {
		said.WriteString(in.Text() + "\n")
		if strings.Contains(in.Text(), "tail -f ") { // the last of the hints
			break
		}
	}
	children := childrenOf(t, c.Process.Pid)
	if len(children) != 3 {
		t.Errorf("%d processes instead of control plane, stand-in and mote", len(children))
	}
	c.Process.Signal(os.Interrupt)
	if err := c.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v\n%s%s", err, said.String(), complaint.String())
	}
	if !inOrder(said.String(), "It stays until Ctrl-C", "export KUBECONFIG=", "kubectl scale mapp shop", "ledger") {
		t.Errorf("hints:\n%s", said.String())
	}
	for _, pid := range children {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d was left behind: %v", pid, err)
		}
	}
}
