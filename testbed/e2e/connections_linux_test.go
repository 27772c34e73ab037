package e2e

import (
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

// TestOneConnection: the binary speaks HTTP/2 with the API server, so that all
// its watches and turns share a connection. Over HTTP/1.1 each watch would hold
// one of its own.
func TestOneConnection(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.start()
	s.leads(p)
	s.apply(app("web", nil))
	s.runs(apps, "web")
	config, err := clientcmd.BuildConfigFromFlags("", s.bed.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.ParseUint(at.Port(), 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	s.eventually("it holds one connection to the API server", func() error {
		n, err := connections(p.PID(), uint16(port))
		if err != nil {
			return fatal{err}
		}
		if n != 1 {
			return fmt.Errorf("it holds %d", n)
		}
		return nil
	})
}

// connections counts a process's established TCP connections to a port.
func connections(pid int, port uint16) (int, error) {
	own := map[string]bool{} // inodes of its sockets
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		return 0, err
	}
	for _, fd := range fds {
		to, err := os.Readlink(fd)
		if err != nil {
			continue // closed meanwhile
		}
		if inode, ok := strings.CutPrefix(to, "socket:["); ok {
			own[strings.TrimSuffix(inode, "]")] = true
		}
	}
	n := 0
	for _, table := range []string{"tcp", "tcp6"} {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		if os.IsNotExist(err) {
			continue // a machine without IPv6
		}
		if err != nil {
			return 0, err
		}
		for line := range strings.Lines(string(b)) {
			f := strings.Fields(line)
			const established = "01"
			if len(f) < 10 || f[3] != established || !own[f[9]] {
				continue
			}
			_, remote, _ := strings.Cut(f[2], ":")
			if b, err := hex.DecodeString(remote); err == nil && len(b) == 2 && uint16(b[0])<<8|uint16(b[1]) == port {
				n++
			}
		}
	}
	return n, nil
}
