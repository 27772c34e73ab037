package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// output is a command's standard output. It keeps the first error, so that one place
// tells it: most commands print without looking.
type output struct {
	io.Writer
	stop context.CancelFunc // ends what goes on for a reader who is gone
	err  error
}

// Write is io.Writer's; after an error nothing more is written.
func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.Writer.Write(p)
	if err != nil {
		o.err = err
		o.stop()
	}
	return n, err
}

// settle is the exit code of a command that ended with code: what could not be
// printed was not done. Who closes a pipe has read enough, and is told nothing.
func (o *output) settle(code int, stderr io.Writer) int {
	switch {
	case o.err == nil:
		return code
	case !errors.Is(o.err, syscall.EPIPE):
		fmt.Fprintf(stderr, "mote: standard output cannot be written: %v\n", o.err)
	}
	return exitError
}

// stopped is why a context ended of which a signal was the end.
type stopped struct{ signal syscall.Signal }

func (s stopped) Error() string { return "stopped: " + s.signal.String() }

// UntilSignal ends ctx at SIGINT or SIGTERM.
func UntilSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	came := make(chan os.Signal, 1)
	signal.Notify(came, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-came:
			number, _ := s.(syscall.Signal)
			cancel(stopped{number})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(came); cancel(nil) }
}

// cutShort tells whether ctx ended before the command did, and with which exit code:
// that of a shell for the signal. What failed after that failed for that reason, and
// is not told.
func cutShort(ctx context.Context) (code int, yes bool) {
	if ctx.Err() == nil {
		return exitOK, false
	}
	if s, ok := errors.AsType[stopped](context.Cause(ctx)); ok {
		return 128 + int(s.signal), true
	}
	return exitError, true
}
