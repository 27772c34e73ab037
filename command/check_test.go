package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A variable that looks like Mote's and is not is told of; what Kubernetes sets for a
// Service called mote is no such thing.
func TestUnknownVariables(t *testing.T) {
	got := UnknownVariables([]string{"HOME=x", "MOTE_SITE=a", "MOTE_SIET=a", "MOTE_PORT=tcp://10.0.0.1:80", "MOTE_PORT_80_TCP=x",
		"MOTE_SERVICE_HOST=10.0.0.1", "MOTE_LOG_LEVEL=debug", "MOTE_A", "MOTE_PORTION=1"})
	if want := []string{"MOTE_A", "MOTE_PORTION", "MOTE_SIET"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Every flag of mote run is one of mote check, from the environment as well.
func TestCheckTakesTheFlagsOfRun(t *testing.T) {
	c, err := parseCheck([]string{"--site=a", "-o", "json", "--credentials-secret=a/b"}, func(k string) string { return map[string]string{"MOTE_REGION": "ap-x"}[k] })
	if err != nil || c.run.site != "a" || c.run.Region != "ap-x" || c.format != "json" || c.run.scope().SecretName != "b" {
		t.Errorf("%+v, %v", c, err)
	}
}

// Without a cluster and without keys, the report says so.
func TestCheckWithoutAnything(t *testing.T) {
	var out, errs bytes.Buffer
	code := mote.do(context.Background(), []string{"check", "--kubeconfig=" + t.TempDir() + "/none", "--credentials-dir=" + t.TempDir()}, noEnv, &out, &errs)
	if code != exitError || errs.Len() > 0 {
		t.Errorf("exit %d, %s", code, errs.String())
	}
	for _, w := range []string{"error    cluster", "unknown  kinds", "error    credentials"} {
		if !strings.Contains(out.String(), w) {
			t.Errorf("no %q in\n%s", w, out.String())
		}
	}
}

// Where no cluster is found, the places that were looked at are named.
func TestMissingKubeconfigIsNamed(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	t.Setenv("KUBECONFIG", "/nonexist"+string(filepath.ListSeparator)+empty)
	_, err := (&RunOptions{}).Cluster()
	if want := "no cluster to work for: /nonexist is not there, " + empty + " names none (give --kubeconfig, or run in a pod)"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
