package e2e

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"

	"k8s.io/client-go/tools/clientcmd"
)

// relay passes bytes on to the API server, and can cut all connections; whoever
// was watching has to ask again, and is asked for its rights.
type relay struct {
	net.Listener
	mu   sync.Mutex
	open map[net.Conn]bool
}

// relayed starts a relay, and writes a kubeconfig whose way leads over it.
func (s *site) relayed(kubeconfig string) (r *relay, file string) {
	s.t.Helper()
	c, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		s.t.Fatal(err)
	}
	at := c.Clusters[c.Contexts[c.CurrentContext].Cluster]
	to, err := url.Parse(at.Server)
	if err != nil {
		s.t.Fatal(err)
	}
	r = &relay{open: map[net.Conn]bool{}}
	if r.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		r.Close()
		r.cut()
	})
	go func() {
		for {
			from, err := r.Accept()
			if err != nil {
				return
			}
			go r.pass(from, to.Host)
		}
	}()
	at.Server, at.TLSServerName = "https://"+r.Addr().String(), to.Hostname()
	file = filepath.Join(s.bed.Dir, "relayed.kubeconfig")
	if err := clientcmd.WriteToFile(*c, file); err != nil {
		s.t.Fatal(err)
	}
	return r, file
}

func (r *relay) pass(from net.Conn, host string) {
	defer from.Close()
	to, err := net.Dial("tcp", host)
	if err != nil {
		return
	}
	defer to.Close()
	r.mu.Lock()
	r.open[from] = true
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.open, from)
	}()
	go func() {
		io.Copy(to, from)
		to.Close()
	}()
	io.Copy(from, to)
}

// cut ends all connections that are open.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.open {
		c.Close()
	}
}
