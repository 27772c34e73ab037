package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/cloud/standin"
)

// condition is one of an object's conditions now; nil when it has none of the kind.
func (s *site) condition(name, kind string) map[string]any {
	s.t.Helper()
	all, _, _ := unstructured.NestedSlice(s.get(databases, name).Object, "status", "conditions")
	for _, c := range all {
		if c := c.(map[string]any); c["type"] == kind {
			return c
		}
	}
	return nil
}

// TestTagsAndSecurityGroups follow the spec, and what others have put on stays. The
// cloud brings them into a form of its own, which must make no loop.
func TestTagsAndSecurityGroups(t *testing.T) {
	t.Parallel()
	s := newSite(t, "--normalise")
	s.start("--sweep-interval", "1s")
	s.apply(database("db", fields{"tags": map[string]string{"team": " orders ", "cost": "1"}, "securityGroupIDs": []string{"sg-0a1b2c3d", "sg-1a2b3c4d"}}))
	s.runs(databases, "db")
	st := s.state(databases, "db")
	if n := s.count("ModifyResourceTags") + s.count("ModifyDBInstanceSecurityGroups"); n != 0 {
		t.Errorf("%d changes to what was just bought so", n)
	}
	theirs := s.entry(st.instance).Tags
	theirs["theirs"] = "x"
	if _, err := s.cloud.Console(t.Context(), st.instance, standin.Change{Tags: &theirs}); err != nil {
		t.Fatal(err)
	}
	s.kubectl("patch", "pgdb/db", "--type=merge", "-p", `{"spec":{"tags":{"cost":null,"team":"shop","new":"y"},"securityGroupIDs":["sg-2a3b4c5d","sg-0a1b2c3d"]}}`)
	s.kubectl("wait", "--for=condition=Ready", "pgdb/db", "--timeout=120s")
	want := map[string]string{"mote-uid": st.uid, "mote-object": s.ns + "/db", "team": "shop", "new": "y", "theirs": "x"}
	e := s.entry(st.instance)
	if !maps.Equal(e.Tags, want) || !slices.Equal(slices.Sorted(slices.Values(e.SecurityGroups)), []string{"sg-0a1b2c3d", "sg-2a3b4c5d"}) {
		t.Errorf("%v %v", e.Tags, e.SecurityGroups)
	}
	s.sweeps(5)
	if tags, groups := s.count("ModifyResourceTags"), s.count("ModifyDBInstanceSecurityGroups"); tags != 1 || groups != 1 {
		t.Errorf("%d changes of tags and %d of security groups, want one each", tags, groups)
	}
	s.kubectl("wait", "--for=condition=Synced", "pgdb/db", "--timeout=60s")
}

// TestDrift: what somebody changes in the console is seen by the sweep, told, and
// put right where the spec speaks.
func TestDrift(t *testing.T) {
	t.Parallel()
	s := newSite(t, "--upgrade-time=1500ms")
	p := s.start(append(anyPort, "--sweep-interval", "1s")...)
	s.apply(database("db", fields{"deletionProtection": true, "tags": map[string]string{"team": "a"}}))
	s.runs(databases, "db")
	st := s.state(databases, "db")
	h := s.follow(databases, "db")
	console := func(c standin.Change) {
		t.Helper()
		if _, err := s.cloud.Console(t.Context(), st.instance, c); err != nil {
			t.Fatal(err)
		}
	}
	console(standin.Change{Name: ptr("somebody's"), DeletionProtection: ptr(false), Tags: &map[string]string{"mote-uid": st.uid, "theirs": "x"}, CPU: ptr(4), MemoryGB: ptr(16)})
	s.becomes(st.instance, "is as the spec says", func(e standin.Entry) bool {
		return e.Name == "mote-"+st.uid && e.DeletionProtection && e.CPU == 2 && e.MemoryGB == 4 &&
			maps.Equal(e.Tags, map[string]string{"mote-uid": st.uid, "mote-object": s.ns + "/db", "team": "a", "theirs": "x"})
	})
	s.runs(databases, "db")
	s.eventually("Events tell of them", func() error {
		return says(strings.Join(notes(s.eventsOf(st.uid, "Drifted")), "\n"), "changed outside", "name somebody's", "tags: set", "4C16G")
	})
	s.kubectl("wait", "--for=condition=Synced", "pgdb/db", "--timeout=60s")
	if n := s.scrape(p).value("mote_drift_total", "kind", "PostgresDB"); n < 1 {
		t.Errorf("drift was counted %v times", n)
	}
	s.metric(p, 0, "mote_objects_drifted", "kind", "PostgresDB")
	updating := false
	for _, seen := range h.upTo(s, s.state(databases, "db").version) {
		updating = updating || seen.phase == "Updating"
	}
	if !updating {
		t.Error("phase Updating was never seen")
	}

	// A later version satisfies the spec; an older major than what runs is refused.
	console(standin.Change{Kernel: ptr("v14.13_r1.1")})
	s.shows(databases, "db", "shows the version that somebody upgraded to", func(st state) bool { return st.engineVersion == "14.13" && st.isReady() })
	console(standin.Change{Kernel: ptr("v15.6_r1.9")})
	s.stuck(databases, "db", "Failed", "UpgradeNotPossible", "15.6", "no way back to 14")
	if c := s.condition("db", "Synced"); c["status"] != string(metav1.ConditionFalse) || c["reason"] != "Drifted" {
		t.Errorf("Synced is %v", c)
	}
	s.patch("pgdb/db", `{"spec":{"engineVersion":"15","deletionProtection":false}}`)
	s.runs(databases, "db")
	for _, action := range []string{"ModifyDBInstanceName", "ModifyResourceTags", "ModifyDBInstanceSpec"} {
		if n := s.count(action); n != 1 {
			t.Errorf("%s was called %d times", action, n)
		}
	}
}

// TestPasswordRotation: whoever changes the password in the connection Secret changes
// it in the cloud.
func TestPasswordRotation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start("--resync-interval", "2s")
	s.apply(database("db", nil))
	s.runs(databases, "db")
	id := s.state(databases, "db").instance
	put := func(password string) {
		t.Helper()
		s.secrets = append(s.secrets, password)
		s.patch("secret/db-connection", fmt.Sprintf(`{"stringData":{"password":%q}}`, password))
	}
	put("R0tated-by-a-person")
	s.becomes(id, "has the new password", func(e standin.Entry) bool { return e.PasswordSHA256 == sha256hex("R0tated-by-a-person") })
	s.eventually("the uri has it too", func() error {
		return says(s.connection("db-connection")["uri"], ":R0tated-by-a-person@")
	})
	s.runs(databases, "db")
	put("tooweak")
	s.stuck(databases, "db", "Failed", "PasswordInvalid", "db-connection", "8 to 32")
	put("C0rrected-by-a-person")
	s.becomes(id, "has the corrected password", func(e standin.Entry) bool { return e.PasswordSHA256 == sha256hex("C0rrected-by-a-person") })
	s.runs(databases, "db")
	if n := s.count("ResetAccountPassword"); n != 2 {
		t.Errorf("%d passwords were set", n)
	}
	s.kubectl("delete", "secret", "db-connection") // nobody asks for a turn
	s.becomes(id, "has a password made anew", func(e standin.Entry) bool { return e.PasswordSHA256 != sha256hex("C0rrected-by-a-person") })
	s.eventually("the new Secret has it", func() error {
		u, err := s.fetch(secretsResource, "db-connection")
		if err != nil {
			return err
		}
		if data, _, _ := unstructured.NestedStringMap(u.Object, "data"); data["password"] == "" || u.GetAnnotations()["database.example.com/password-set"] == "" {
			return errNone
		}
		return nil
	})
	if sha256hex(s.connection("db-connection")["password"]) != s.entry(id).PasswordSHA256 {
		t.Error("the new Secret's password is not the cloud's")
	}
}
