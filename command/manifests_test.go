package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the Deployment is told is what `mote run` understands, and nobody else's
// words come in from the environment.
func TestManifestArgs(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "--lease-namespace=mote-system --lease-name=mote --credentials-secret=mote-system/mote-credentials"},
		{"--site=edge-01 --workers=4", "--lease-namespace=mote-system --lease-name=mote-b44bab65 --credentials-secret=mote-system/mote-credentials --site=edge-01 --workers=4"},
		{"--namespace=ops --credentials-env=keys --watch-namespace=shop --log-level=debug", "--lease-namespace=ops --lease-name=mote-8a4a8d49 --namespace=shop --log-level=DEBUG"},
		{"--credentials-secret=vault/keys --allow-host-network", "--lease-namespace=mote-system --lease-name=mote --credentials-secret=vault/keys --allow-host-network=true"},
	} {
		m, err := parseManifests(strings.Fields(c.args))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(m.k3s.Args, " "); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.args, got, c.want)
		}
		ran, err := ParseRun(m.k3s.Args, noEnv)
		if err != nil {
			t.Errorf("%s: mote run refuses it: %v", c.args, err)
		}
		if got := ran.scope(); got != m.k3s.Scope {
			t.Errorf("%s: mote run needs rights for %+v, and has those for %+v", c.args, got, m.k3s.Scope)
		}
	}
}

func TestManifestsToAFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "server", "manifests")
	var printed, out, errs bytes.Buffer
	if code := mote.do(context.Background(), []string{"manifests", "--site=a"}, noEnv, &printed, &errs); code != exitOK {
		t.Fatal(code, errs.String())
	}
	for range 2 { // the second time it replaces them
		out.Reset()
		if code := mote.do(context.Background(), []string{"manifests", "--site=a", "-o", folder}, noEnv, &out, &errs); code != exitOK {
			t.Fatal(code, errs.String())
		}
	}
	names := strings.Fields(out.String())
	if len(names) != 2 {
		t.Fatalf("written: %q", names)
	}
	crds, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	controller, err := os.ReadFile(names[1])
	if err != nil {
		t.Fatal(err)
	}
	if printed.String() != string(crds)+"---\n"+string(controller) {
		t.Error("what is printed is not what is written")
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 2 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
	taken := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(taken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := mote.do(context.Background(), []string{"manifests", "-o", taken}, noEnv, &out, &errs); code != exitError || !strings.Contains(errs.String(), taken) {
		t.Errorf("into a file: exit %d, %s", code, errs.String())
	}
}

// A variable that mote run would obey is told to have no part in it.
func TestManifestsIgnoreTheEnvironment(t *testing.T) {
	var with, without, errs, none bytes.Buffer
	env := func(k string) string { return map[string]string{"MOTE_REGION": "ap-shanghai"}[k] }
	mote.do(context.Background(), []string{"manifests"}, env, &with, &errs)
	mote.do(context.Background(), []string{"manifests"}, noEnv, &without, &none)
	if with.String() != without.String() || errs.String() != "mote: note: MOTE_REGION has no part in manifests; what counts is --region\n" || none.Len() > 0 {
		t.Errorf("stderr %q and %q", errs.String(), none.String())
	}
}
