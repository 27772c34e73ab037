package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// TestLogOnTerminal: a person gets text.
func TestLogOnTerminal(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	near, far := terminal(t)
	c := exec.CommandContext(t.Context(), cluster.Paths.Mote, append([]string{"run", "--kubeconfig", s.bed.Kubeconfig}, s.brisk()...)...)
	c.Stderr = far
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	far.Close()
	var lines []string
	for in := bufio.NewScanner(near); in.Scan(); {
		lines = append(lines, in.Text())
		if strings.Contains(in.Text(), "leading") {
			break
		}
	}
	c.Process.Signal(syscall.SIGTERM)
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	text := strings.Join(lines, "\n")
	if err := says(text, "level=INFO msg=starting", "msg=leading"); err != nil || strings.Contains(text, `{"`) {
		t.Errorf("the log is not text: %v\n%s", err, text)
	}
}

// terminal is a pseudo-terminal: what a program writes to far is read from near.
func terminal(t *testing.T) (near, far *os.File) {
	t.Helper()
	near, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close() })
	var unlock, number int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, near.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	if far, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	return near, far
}
