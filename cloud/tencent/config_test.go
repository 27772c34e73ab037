package tencent

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestEndpoints(t *testing.T) {
	for _, c := range []struct{ text, postgres, vpc string }{
		{"", "https://postgres.tencentcloudapi.com", "https://vpc.tencentcloudapi.com"},
		{"http://127.0.0.1:1234", "http://127.0.0.1:1234", "http://127.0.0.1:1234"},
		{"https://proxy.local/", "https://proxy.local", "https://proxy.local"},
		{"https://{service}.intl.tencentcloudapi.com", "https://postgres.intl.tencentcloudapi.com", "https://vpc.intl.tencentcloudapi.com"},
		{"http://[::1]:8080", "http://[::1]:8080", "http://[::1]:8080"},
	} {
		e, err := parseEndpoint(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := e.scheme + "://" + e.domain("postgres"); got != c.postgres {
			t.Errorf("%q: postgres at %s", c.text, got)
		}
		if got := e.scheme + "://" + e.domain("vpc"); got != c.vpc {
			t.Errorf("%q: vpc at %s", c.text, got)
		}
	}
	for _, c := range []struct{ text, says string }{
		{"127.0.0.1:1234", "http://"},
		{"localhost", "http://"},
		{"ftp://host", "http://"},
		{"http://", "missing"},
		{"http://host:", "missing"},
		{"https://host/path", "only a scheme, a host and a port"},
		{"https://host?a=b", "only a scheme, a host and a port"},
		{"https://me:secret@host", "password"},
		{"http://ho st", "not a URL"},
	} {
		_, err := parseEndpoint(c.text)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret@") {
			t.Errorf("%q: %v, want it to say %q", c.text, err, c.says)
		}
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	for _, o := range []Options{
		{},
		{Credentials: EnvCredentials(), Endpoint: "nowhere"},
		{Credentials: EnvCredentials(), Timeout: -time.Second},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

func TestEnvCredentials(t *testing.T) {
	t.Setenv("TENCENTCLOUD_SECRET_ID", "id")
	t.Setenv("TENCENTCLOUD_SECRET_KEY", "")
	t.Setenv("TENCENTCLOUD_TOKEN", "token")
	keys := EnvCredentials()
	if _, err := keys(t.Context()); err == nil {
		t.Error("half a pair was accepted")
	}
	t.Setenv("TENCENTCLOUD_SECRET_KEY", "key")
	if c, err := keys(t.Context()); err != nil || c != (Credential{"id", "key", "token"}) {
		t.Errorf("%v, %v", c, err)
	}
}

func TestDirCredentials(t *testing.T) {
	dir := t.TempDir()
	keys := DirCredentials(dir)
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fails := func(says string) {
		t.Helper()
		if _, err := keys(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want it to say %q", err, says)
		}
	}
	fails("secret-id")
	write(dir, "secret-id", "id\n")
	fails("secret-key")
	write(dir, "secret-key", " \n")
	fails("secret-key is empty")
	write(dir, "secret-key", "key\n")
	want := func(c Credential) {
		t.Helper()
		if got, err := keys(context.Background()); err != nil || got != c {
			t.Errorf("%v, %v; want %v", got, err, c)
		}
	}
	want(Credential{"id", "key", ""})
	write(dir, "token", "token")
	want(Credential{"id", "key", "token"})

	// A mounted Secret: the files of one version come through one link.
	for _, version := range []string{"1", "2"} {
		if err := os.Mkdir(filepath.Join(dir, ".."+version), 0o700); err != nil {
			t.Fatal(err)
		}
		write(filepath.Join(dir, ".."+version), "secret-id", "id"+version)
		write(filepath.Join(dir, ".."+version), "secret-key", "key"+version)
		os.Remove(filepath.Join(dir, "..data"))
		if err := os.Symlink(".."+version, filepath.Join(dir, "..data")); err != nil {
			t.Fatal(err)
		}
		want(Credential{"id" + version, "key" + version, ""})
	}
}
