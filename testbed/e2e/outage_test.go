package e2e

import (
	"net/url"
	"path/filepath"
	"testing"
)

// TestCloudOutage: the cloud goes away and comes back; what ran is not spoiled by
// it, and what waited goes on.
func TestCloudOutage(t *testing.T) {
	t.Parallel()
	s := siteOn(t, cluster, client)
	kept := filepath.Join(s.bed.Dir, "cloud.json")
	cloud := s.startCloud("--state", kept)
	at, err := url.Parse(s.bed.CloudURL)
	if err != nil {
		t.Fatal(err)
	}
	s.start()
	s.apply(database("old", nil), database("making", nil), database("leaving", nil))
	s.runs(databases, "old", "leaving")
	making := s.shows(databases, "making", "is bought", func(st state) bool { return st.instance != "" })
	cloud.Kill()

	s.apply(database("new", nil), app("web", nil))
	s.remove("pgdb/leaving")
	s.shows(databases, "new", "says that the cloud is not to be reached", func(st state) bool { return st.ready.Reason == "CloudUnreachable" })
	s.shows(databases, "leaving", "waits for the cloud", func(st state) bool { return st.phase == "Deleting" })
	s.runs(apps, "web")
	if st := s.state(databases, "old"); st.phase != "Running" || !st.isReady() {
		t.Errorf("what ran is spoiled by the outage: %s", st)
	}
	// What bought nothing goes, even now.
	s.kubectl("delete", "pgdb/new", "--timeout=60s")
	s.apply(database("newer", nil))

	s.startCloud("--state", kept, "--listen", at.Host)
	s.runs(databases, "old", "making", "newer")
	s.gone(databases, "leaving")
	s.one(making.uid)
	if n := len(s.ledger()); n != 4 {
		t.Errorf("%d instances were ever bought, want 4", n)
	}
}
