package bed

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sh starts a shell script as a bed's process, and waits for its READY line.
func sh(t *testing.T, ctx context.Context, script string) (*Process, string, error) {
	t.Helper()
	return start(ctx, "script", t.TempDir(), nil, true, time.Minute, "sh", "-c", script)
}

func TestStartReadsTheReadyLine(t *testing.T) {
	p, line, err := sh(t, t.Context(), "echo starting; echo READY url=http://x port=1; echo noise >&2; exec sleep 600")
	if err != nil {
		t.Fatal(err)
	}
	if word(line, "url=") != "http://x" || word(line, "port=") != "1" || word(line, "none=") != "" {
		t.Errorf("READY line: %q", line)
	}
	if rss, err := p.RSS(); err != nil || rss <= 0 {
		t.Errorf("RSS: %d, %v", rss, err)
	}
	if err := p.Stop(time.Minute); !endedBySignal(err) {
		t.Errorf("stopped with %v, want the signal", err)
	}
}

func TestStartQuotesTheLog(t *testing.T) {
	_, _, err := sh(t, t.Context(), "echo the port is taken >&2; exit 3")
	if err == nil || !strings.Contains(err.Error(), "the port is taken") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("error %v: want the exit status and the last words", err)
	}
}

func TestStartEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := sh(t, ctx, "exec sleep 600"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestStopKillsTheStubborn(t *testing.T) {
	p, _, err := sh(t, t.Context(), "trap '' TERM; echo READY now; while :; do sleep 0.1; done")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(100 * time.Millisecond); err == nil || !strings.Contains(err.Error(), "did not end within 100ms") {
		t.Errorf("stop: %v", err)
	}
	select {
	case <-p.Done():
	default:
		t.Error("it still runs")
	}
	p.Signal(syscall.SIGTERM) // to a process that is over: no harm
}
