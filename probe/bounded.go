package probe

import (
	"net"
	"sync"
)

// bounded is a listener with a bound on connections that are open at once: each
// takes a goroutine and some kilobytes, and anybody in the cluster can open them.
// Those that are too many wait in the kernel's queue.
type bounded struct {
	net.Listener
	open   chan struct{} // holds one for each
	once   sync.Once
	closed chan struct{}
}

func (l *bounded) Accept() (net.Conn, error) {
	select {
	case l.open <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.open
		return nil, err
	}
	return &counted{Conn: c, open: l.open}, nil
}

func (l *bounded) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// counted gives its place back, once.
type counted struct {
	net.Conn
	once sync.Once
	open chan struct{}
}

func (c *counted) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { <-c.open })
	return err
}
