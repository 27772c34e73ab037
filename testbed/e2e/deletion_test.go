package e2e

import (
	"slices"
	"testing"

	"example.com/mote/cloud/standin"
)

// TestDeletionPolicies: what becomes of the instance when its object is deleted.
func TestDeletionPolicies(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start()
	policies := []string{"isolate", "delete", "retain"}
	s.apply(
		database("isolate", fields{"deletionPolicy": "Isolate"}),
		database("delete", fields{"deletionPolicy": "Delete"}),
		database("retain", fields{"deletionPolicy": "Retain"}),
	)
	s.runs(databases, policies...)
	uids := map[string]string{}
	for _, name := range policies {
		u := s.get(databases, name)
		if !slices.Contains(u.GetFinalizers(), "database.example.com/instance") {
			t.Errorf("%s has finalizers %v", name, u.GetFinalizers())
		}
		uids[name] = string(u.GetUID())
		s.connection(name + "-connection")
	}
	s.kubectl("delete", "pgdb", "isolate", "delete", "retain", "--timeout=120s")

	if e := s.one(uids["isolate"]); e.Billed || e.Isolated.IsZero() || !e.Ended.IsZero() {
		t.Errorf("Isolate: %+v", e)
	}
	if e := s.one(uids["delete"]); e.Billed || e.Ended.IsZero() {
		t.Errorf("Delete: %+v", e)
	}
	if e := s.one(uids["retain"]); !e.Billed || e.Status != "running" {
		t.Errorf("Retain: %+v", e)
	}
	s.told(uids["isolate"], "Isolated", "recycle bin")
	s.told(uids["delete"], "Deleted")
	s.told(uids["retain"], "Retained", "left running, and billed")
	s.childless()
}

// TestDeletionProtection holds a deletion up until it is lifted.
func TestDeletionProtection(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start()
	s.apply(database("db", fields{"deletionProtection": true}))
	s.runs(databases, "db")
	st := s.state(databases, "db")
	s.becomes(st.instance, "is protected", func(e standin.Entry) bool { return e.DeletionProtection })
	s.remove("pgdb/db")
	s.shows(databases, "db", "waits for its protection to be lifted", func(st state) bool {
		return st.phase == "Deleting" && st.ready.Reason == "DeletionProtected" && says(st.ready.Message, "deletionProtection") == nil
	})
	s.told(st.uid, "DeletionProtected")
	if e := s.one(st.uid); e.Status != "running" || !e.DeletionProtection {
		t.Errorf("a protected instance was touched: %+v", e)
	}
	s.patch("pgdb/db", `{"spec":{"deletionProtection":false}}`)
	s.gone(databases, "db")
	if e := s.one(st.uid); e.Billed || e.Ended.IsZero() {
		t.Errorf("after its deletion: %+v", e)
	}
	s.childless()
}

// TestDeletionInEveryState: an object that is deleted before its instance runs, or
// while that is being changed, leaves nothing behind either.
func TestDeletionInEveryState(t *testing.T) {
	t.Parallel()
	s := newSite(t, "--create-time=4s", "--resize-time=4s")
	s.start()
	s.apply(database("making", nil), database("changing", nil))
	making := s.shows(databases, "making", "has an instance that is being made", func(st state) bool {
		return st.phase == "Provisioning" && st.instance != ""
	})
	s.remove("pgdb/making")
	s.runs(databases, "changing")
	s.patch("pgdb/changing", `{"spec":{"storageGB":90}}`)
	changing := s.shows(databases, "changing", "is being changed", func(st state) bool { return st.phase == "Updating" })
	s.remove("pgdb/changing")
	s.gone(databases, "making", "changing")
	s.one(making.uid)
	s.one(changing.uid)
	s.nothingBilled()
	s.childless()
}
