package probe

import (
	"errors"
	"net"
	"testing"
	"testing/synctest"
)

// pipes is a listener to which somebody connects whenever it accepts.
type pipes struct{ net.Listener }

func (pipes) Accept() (net.Conn, error) { c, _ := net.Pipe(); return c, nil }
func (pipes) Close() error              { return nil }

// No more connections are open at once than there may be; those that close make
// room for others, once; and who waits for room is sent away when it is over.
func TestConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &bounded{Listener: pipes{}, open: make(chan struct{}, 2), closed: make(chan struct{})}
		accepted := make(chan net.Conn)
		var last error
		go func() {
			defer close(accepted)
			for {
				c, err := l.Accept()
				if last = err; err != nil {
					return
				}
				accepted <- c
			}
		}()
		none := func() {
			t.Helper()
			synctest.Wait()
			select {
			case <-accepted:
				t.Error("a connection too many")
			default:
			}
		}
		a := <-accepted
		<-accepted
		none()
		a.Close()
		a.Close()
		<-accepted
		none()
		l.Close()
		l.Close()
		if _, ok := <-accepted; ok || !errors.Is(last, net.ErrClosed) {
			t.Errorf("after Close: %v", last)
		}
	})
}
