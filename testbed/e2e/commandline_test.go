package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/mote/crd"
)

// mote runs a command that ends by itself, with nothing but these variables in
// its environment.
func mote(t *testing.T, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), cluster.Paths.Mote, args...)
	c.Env = env
	if env == nil {
		c.Env = []string{}
	}
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), complaint.String(), c.ProcessState.ExitCode()
}

func TestCommandLineRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		env  []string
		word string
	}{
		{args: []string{"run", "--no-such-flag"}, word: "--no-such-flag"},
		{args: []string{"run", "--workers", "many"}, word: "workers"},
		{args: []string{"run", "--workers", "0"}, word: "--workers 0"},
		{args: []string{"run", "--poll-interval", "10"}, word: "poll-interval"},
		{args: []string{"run", "--poll-interval", "1ms"}, word: "--poll-interval 1ms: at least"},
		{args: []string{"run", "--log-level", "loud"}, word: "log-level"},
		{args: []string{"run", "--log-format", "xml"}, word: "--log-format"},
		{args: []string{"run", "--site", "a,b"}, word: "--site"},
		{args: []string{"run", "--label-selector", "a in b"}, word: "--label-selector"},
		{args: []string{"run", "--field-selector", "a"}, word: "--field-selector"},
		{args: []string{"run", "--credentials-secret", "name-alone"}, word: "namespace/name"},
		{args: []string{"run", "--credentials-secret", "a/b", "--credentials-dir", "/c"}, word: "exclude each other"},
		{args: []string{"run", "--cloud-endpoint", "ftp://x"}, word: "--cloud-endpoint"},
		{args: []string{"run", "now"}, word: `"now"`},
		{args: []string{"run"}, env: []string{"MOTE_WORKERS=some"}, word: "MOTE_WORKERS"},
		{args: []string{"run"}, env: []string{"MOTE_LEASE_DURATION=1s"}, word: "--lease-duration 1s"},
		{args: []string{"walk"}, word: `"walk"`},
		{args: []string{"version", "--long"}, word: "--long"},
		{args: []string{"crds", "all"}, word: "all"},
	} {
		out, complaint, code := mote(t, c.env, c.args...)
		if code != 2 || out != "" || !strings.Contains(complaint, c.word) || strings.Count(complaint, "\n") != 1 || !strings.HasSuffix(complaint, "\n") {
			t.Errorf("mote %q with %v: exit code %d, one line with %q wanted:\n%s%s", c.args, c.env, code, c.word, out, complaint)
		}
	}
	if _, complaint, code := mote(t, nil); code != 2 || !strings.Contains(complaint, "mote run") {
		t.Errorf("mote alone: exit code %d, %s", code, complaint)
	}
}

func TestCommandsThatPrint(t *testing.T) {
	t.Parallel()
	for command, word := range map[string]string{
		"version": "mote ", "help": "mote run", "--help": "mote run", "run --help": "MOTE_LOG_LEVEL", "crds": string(crd.All()),
	} {
		out, complaint, code := mote(t, nil, strings.Fields(command)...)
		if code != 0 || complaint != "" || !strings.Contains(out, word) {
			t.Errorf("mote %s: exit code %d, %s%s", command, code, out, complaint)
		}
	}
	out, _, _ := mote(t, nil, "version")
	if f := strings.Fields(out); len(f) != 4 || f[1] == "dev" || f[1] == "" {
		t.Errorf("version is not stamped: %q", out)
	}
}

// TestNoCluster: what cannot work is said in one line, with exit code 1.
func TestNoCluster(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	broken := filepath.Join(empty, "broken")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		env  []string
		word string
	}{
		{args: []string{"run"}, env: []string{"HOME=" + empty}, word: "--kubeconfig"},
		{args: []string{"run", "--kubeconfig", filepath.Join(empty, "none")}, word: "none"},
		{args: []string{"run", "--kubeconfig", broken}, word: "broken"},
		{args: []string{"run"}, env: []string{"KUBERNETES_SERVICE_HOST=10.0.0.1", "KUBERNETES_SERVICE_PORT=443"}, word: "ServiceAccount"},
	} {
		out, complaint, code := mote(t, c.env, c.args...)
		lines := strings.Split(strings.TrimSpace(complaint), "\n")
		if last := lines[len(lines)-1]; code != 1 || out != "" || !strings.HasPrefix(last, "mote: ") || !strings.Contains(last, c.word) {
			t.Errorf("mote %q with %v: exit code %d, a last line with %q wanted:\n%s%s", c.args, c.env, code, c.word, out, complaint)
		}
	}
}

// TestEnvironment: every flag can be given as a variable; the flag wins. The log
// of a process without a terminal is JSON.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	kubeconfig := s.bed.Kubeconfig
	s.bed.Kubeconfig = "" // so that --kubeconfig is not given
	p := s.startWith([]string{"KUBECONFIG=" + kubeconfig, "MOTE_NAMESPACE=" + s.ns, "MOTE_LEASE_NAMESPACE=" + s.ns,
		"MOTE_LEASE_NAME=by-environment", "MOTE_POLL_INTERVAL=500ms", "MOTE_LOG_LEVEL=error", "MOTE_WORKERS=3"}, "--log-level", "debug")
	s.bed.Kubeconfig = kubeconfig
	s.apply(database("db", nil))
	s.runs(databases, "db")
	s.get(leases, "by-environment") // it has to be there
	levels := map[string]bool{}
	for line := range strings.Lines(p.Output()) {
		var entry struct{ Time, Level, Msg string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Time == "" || entry.Level == "" || entry.Msg == "" {
			t.Errorf("a log line is not what slog's JSON is: %v %s", err, line)
		}
		levels[entry.Level] = true
	}
	if !levels["DEBUG"] {
		t.Error("the flag does not win over MOTE_LOG_LEVEL=error")
	}
}
