package main

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// components are the running parts of the control plane, in the order in which they were started.
type components struct {
	running  []*component
	died     chan error // the first unasked-for end of a component
	stopping atomic.Bool
}

// component is a part that runs until its context ends.
type component struct {
	name  string
	limit time.Duration // how long its stop may take
	stop  context.CancelFunc
	done  chan struct{}
}

// start runs a component in the background. A component gets no context from outside, so that each is stopped at its
// turn and not by the signal itself.
func (c *components) start(name string, limit time.Duration, run func(context.Context) error) {
	if c.died == nil {
		c.died = make(chan error, 1)
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &component{name, limit, stop, make(chan struct{})}
	c.running = append(c.running, p)
	go func() {
		defer close(p.done)
		err := run(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			err = fmt.Errorf("ended without an error")
		}
		select {
		case c.died <- fmt.Errorf("%s: %w", name, err):
		default:
		}
	}()
}

// wait runs until, and returns earlier when a component dies.
func (c *components) wait(ctx context.Context, until func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- until(ctx) }()
	select {
	case err := <-c.died:
		return err
	case err := <-done:
		return err
	}
}

// stop ends all components, the last one first, and leaves behind whoever takes longer than its limit. (An API server
// takes a minute to let go of its watches. Nothing is lost by not waiting: what it has acknowledged is in the store.)
func (c *components) stop() {
	c.stopping.Store(true)
	for i := len(c.running) - 1; i >= 0; i-- {
		p := c.running[i]
		p.stop()
		select {
		case <-p.done:
		case <-time.After(p.limit):
			fmt.Fprintf(os.Stderr, "controlplane: %s still runs %v after it was told to stop, going on without it\n", p.name, p.limit)
		}
	}
}

// exit takes the place of os.Exit for klog.Fatal, which a component calls that is stopped while it is still starting: it
// may not take the process with it before the others are stopped.
func (c *components) exit(code int) {
	if c.stopping.Load() {
		select {}
	}
	os.Exit(code)
}
