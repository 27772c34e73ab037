package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/mote/testbed/bed"
)

// The keys that come to be right after those that mote was started with were not.
const rightID, rightKey = "AKIDRIGHT", "the-right-key"

// TestCredentialsOfTheEnvironment heal when the cloud takes them.
func TestCredentialsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start()
	s.apply(database("old", nil))
	s.runs(databases, "old")

	s.keys(rightID, rightKey)
	s.apply(database("new", nil), database("never", nil))
	s.patch("pgdb/old", `{"spec":{"storageGB":50}}`)
	waits := s.stuck(databases, "new", "Pending", "CredentialsRefused", "AuthFailure")
	s.told(waits.uid, "CredentialsRefused", "AuthFailure")
	never := s.stuck(databases, "never", "Pending", "CredentialsRefused")
	s.stuck(databases, "old", "Updating", "CredentialsRefused")
	s.kubectl("delete", "pgdb/never", "--timeout=60s") // it bought nothing
	if len(s.bought(never.uid)) != 0 {
		t.Error("something was bought without credentials")
	}

	s.keys(bed.SecretID, bed.SecretKey)
	s.runs(databases, "new", "old")
	if e := s.entry(s.state(databases, "old").instance); e.StorageGB != 50 {
		t.Errorf("storage is %d", e.StorageGB)
	}
	s.one(waits.uid)
}

// TestCredentialsDirectory: files that are written anew are read anew.
func TestCredentialsDirectory(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	dir := t.TempDir()
	write := func(id, key string) {
		t.Helper()
		for name, text := range map[string]string{"secret-id": id, "secret-key": key} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.keys(rightID, rightKey)
	write(rightID, "a-wrong-key")
	s.secrets = append(s.secrets, "a-wrong-key")
	s.start("--credentials-dir", dir)
	s.apply(database("db", nil))
	s.stuck(databases, "db", "Pending", "CredentialsRefused")
	write(rightID, rightKey)
	s.runs(databases, "db")
}

// TestCredentialsSecret: a Secret that is edited, or comes late, is read anew.
func TestCredentialsSecret(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.keys(rightID, rightKey)
	s.secrets = append(s.secrets, "a-wrong-key")
	s.start("--credentials-secret", s.ns+"/cloud-keys")
	s.apply(database("db", nil))
	s.shows(databases, "db", "waits for credentials", func(st state) bool { return st.ready.Reason == "CredentialsRefused" })
	s.kubectl("create", "secret", "generic", "cloud-keys", "--from-literal=secret-id="+rightID, "--from-literal=secret-key=a-wrong-key")
	s.stuck(databases, "db", "Pending", "CredentialsRefused", "AuthFailure")
	s.patch("secret/cloud-keys", `{"stringData":{"secret-key":"`+rightKey+`"}}`)
	s.runs(databases, "db")
}
