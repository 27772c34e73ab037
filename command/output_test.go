package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"k8s.io/client-go/rest"
)

// broken is an output that takes nothing.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

// What cannot be printed is an error of every command, told once; that a reader has
// gone is told nobody.
func TestOutputErrors(t *testing.T) {
	manifest := filepath.Join(t.TempDir(), "a.yaml")
	if err := os.WriteFile(manifest, []byte("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	commands := []string{"help", "version", "crds", "completion bash", "completion zsh", "completion fish", "manifests", "manifests --samples", "check --self", "check --self -o json",
		"plan --no-cluster --no-cloud -f " + manifest, "plan -o json --no-cluster --no-cloud -f " + manifest, "plan -o yaml --no-cluster --no-cloud -f " + manifest}
	for _, c := range subcommands() {
		if c.flags != nil && c.name != "completion" {
			commands = append(commands, c.name+" --help")
		}
	}
	for _, args := range commands {
		for err, want := range map[error]string{syscall.ENOSPC: "mote: standard output cannot be written: no space left on device\n", syscall.EPIPE: ""} {
			var errs bytes.Buffer
			code := mote.do(context.Background(), strings.Fields(args), noEnv, broken{fmt.Errorf("write: %w", err)}, &errs)
			if code != exitError || strings.TrimPrefix(errs.String(), "mote: standard output cannot be written: write: ") != strings.TrimPrefix(want, "mote: standard output cannot be written: ") {
				t.Errorf("%s, %v: exit %d, stderr %q", args, err, code, errs.String())
			}
		}
	}
}

// A list of a cluster ends with the reader, and so does what follows it.
func TestStatusWithoutAReader(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[{"apiVersion":"example.com/v1","kind":"MyApp","metadata":{"name":"a","namespace":"b","uid":"c","resourceVersion":"1"}}]}`)
	}))
	defer server.Close()
	for _, watch := range []bool{false, true} {
		var errs bytes.Buffer
		ctx, cancel := context.WithCancel(context.Background())
		out := &output{Writer: broken{syscall.ENOSPC}, stop: cancel}
		l := &looking{command: "status", watch: watch, config: &rest.Config{Host: server.URL}}
		l.output = "text"
		if err := l.check([]string{"mapp"}); err != nil {
			t.Fatal(err)
		}
		code := out.settle(l.show(ctx, surroundings{env: noEnv, stdout: out, stderr: &errs}), &errs)
		if code != exitError || errs.String() != "mote: standard output cannot be written: no space left on device\n" {
			t.Errorf("watch %v: exit %d, stderr %q", watch, code, errs.String())
		}
	}
}

// A signal ends a command at once, and is not worded as an error of the network.
func TestStoppedBySignal(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		for _, command := range []string{"status", "plan", "explain"} {
			ctx, cancel := context.WithCancelCause(context.Background())
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				cancel(stopped{signal})
				<-r.Context().Done()
			}))
			l := &looking{command: command, config: &rest.Config{Host: server.URL}, noCloud: true}
			l.output = "text"
			if err := l.check([]string{"mapp/a"}); err != nil {
				t.Fatal(err)
			}
			var out, errs bytes.Buffer
			s := surroundings{env: noEnv, stdout: &out, stderr: &errs}
			code := map[string]func(context.Context, surroundings) int{"status": l.show, "plan": l.plan, "explain": l.explain}[command](ctx, s)
			if code != want || out.Len()+errs.Len() > 0 {
				t.Errorf("%s, %s: exit %d, stdout %q, stderr %q", command, signal, code, out.String(), errs.String())
			}
			server.Close()
		}
	}
}

// The real signal is the cause of the context's end.
func TestUntilSignal(t *testing.T) {
	ctx, stop := UntilSignal(context.Background())
	defer stop()
	if _, yes := cutShort(ctx); yes {
		t.Error("it ended before")
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	if code, yes := cutShort(ctx); !yes || code != 143 || !errors.Is(context.Cause(ctx), stopped{syscall.SIGTERM}) {
		t.Errorf("exit %d, %v: %v", code, yes, context.Cause(ctx))
	}
}
