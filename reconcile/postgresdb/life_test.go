package postgresdb

import (
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

func adopts(v *View) { v.Object.Spec.InstanceID = "postgres-1" }

// strange is neither by name nor by tag the object's.
func strange(i *cloud.Instance) { i.Name, i.Tags = "theirs", nil }

func TestAdopt(t *testing.T) {
	owned := func(i *cloud.Instance) {
		strange(i)
		i.Tags = map[string]string{TagUID: "u-2", TagObject: "other/db"}
	}
	check(t, []ruling{
		{"reads it", see(adopts), expected{do: ReadInstance, id: "postgres-1"}},
		{"there is none", see(adopts, unknown), expected{do: Rest, phase: "Failed", reason: "InstanceNotFound", after: time.Minute}},
		{"it is on its way out", see(adopts, seenAs(inState(cloud.StateGone))), expected{do: Rest, reason: "InstanceNotFound"}},
		{"another object's", see(adopts, seenAs(owned)), expected{do: Rest, phase: "Failed", reason: "OwnedByAnother"}},
		{"the finalizer first", see(adopts, seenAs(strange)), expected{do: AddFinalizer}},
		{"then its id", see(adopts, finalizer, seenAs(strange)), expected{do: RecordID, id: "postgres-1", reason: "Adopting"}},
		{"deleted before", see(adopts, finalizer, deleted), expected{do: DropFinalizer}},
		{"lives, although strange", see(adopts, ran, seenAs(strange), connected()), expected{do: Rest, phase: "Running"}},
		{"no look-up when it begins to run", see(adopts, bought("Provisioning"), seenAs(strange), connected()), expected{do: Rest, phase: "Running"}},
		{"is missing", see(adopts, ran, unknown), expected{do: Rest, phase: "Failed", reason: "InstanceMissing"}},
		{"is deleted like any other", see(adopts, ran, deleted, seenAs(strange)), expected{do: Isolate, id: "postgres-1"}},
	})
}

func TestLife(t *testing.T) {
	const minute = time.Minute
	fresh, running := bought("Provisioning"), bought("Running")
	unstored := func(v *View) { v.Object.Finalizers = nil }
	noAddress := func(i *cloud.Instance) { i.Host, i.Port = "", 0 }
	check(t, []ruling{
		{"reads the instance", see(fresh), expected{do: ReadInstance, id: "postgres-1"}},
		{"is being made", see(fresh, seenAs(inState(cloud.StateProvisioning))), expected{do: Rest, phase: "Provisioning", reason: "Creating", after: minute}},
		{"is being restored", see(running, seenAs(inState(cloud.StateRestoring))), expected{do: Rest, phase: "Provisioning"}},
		{"is busy", see(running, seenAs(inState(cloud.StateBusy))), expected{do: Rest, phase: "Updating", reason: "Updating", after: minute}},
		{"has no address yet", see(fresh, seenAs(noAddress)), expected{do: Rest, phase: "Provisioning", after: minute}},
		{"isolated outside", see(running, seenAs(inState(cloud.StateIsolated))), expected{do: Rest, phase: "Failed", reason: "IsolatedOutside", after: 10 * minute}},
		{"being isolated outside", see(running, seenAs(inState(cloud.StateIsolating))), expected{do: Rest, phase: "Failed", reason: "IsolatedOutside"}},
		{"a word nobody knows", see(running, seenAs(inState(cloud.StateUnknown))), expected{do: Rest, phase: "Updating", reason: "UnknownStatus", after: minute}},
		{"a word nobody knows, new", see(fresh, seenAs(inState(cloud.StateUnknown))), expected{do: Rest, phase: "Provisioning", reason: "UnknownStatus"}},
		{"somebody else's", see(running, seenAs(strange)), expected{do: Rest, phase: "Failed", reason: "NotOurs", after: minute}},
		{"renamed, but tagged", see(ran, seenAs(func(i *cloud.Instance) { i.Name = "renamed" }), connected()), expected{do: Rename, phase: "Updating", reason: "Renaming"}},
		{"untagged, but named", see(ran, seenAs(func(i *cloud.Instance) { i.Tags = nil }), connected()), expected{do: SetTags, phase: "Updating", reason: "UpdatingTags"}},
		{"the finalizer was taken off", see(running, unstored, seenAs()), expected{do: AddFinalizer}},

		{"not shown yet", see(fresh, changedSince(minute), unknown), expected{do: Rest, phase: "Provisioning", reason: "Creating", after: 15 * time.Second}},
		{"not shown for too long", see(fresh, changedSince(5*minute), unknown), expected{do: LookUp}},
		{"not shown, by a clock put back", see(fresh, changedSince(-time.Hour), unknown), expected{do: LookUp}},
		{"missing although it ran", see(ran, unknown), expected{do: LookUp}},
		{"offline", see(ran, seenAs(inState(cloud.StateGone))), expected{do: LookUp}},
		{"missing", see(ran, unknown, found()), expected{do: Rest, phase: "Failed", reason: "InstanceMissing", after: 10 * minute}},
		{"missing, but listed", see(ran, unknown, found(dbOf())), expected{do: Rest, phase: "Updating", reason: "UnknownStatus"}},
		{"missing, and another was kept", see(ran, unknown, found(dbOf(called("postgres-2")))), expected{do: RecordID, id: "postgres-2"}},
		{"missing, and several others", see(ran, unknown, found(dbOf(called("postgres-2")), dbOf(called("postgres-3")))), expected{do: Rest, reason: "SeveralInstances"}},
		{"the region of the purchase counts", see(ran, func(v *View) { v.Settings.Region = "" }), expected{do: ReadInstance}},
	})
}

func TestRunning(t *testing.T) {
	limited := inState(cloud.StateLimited)
	small := func(i *cloud.Instance) { i.StorageGB = 50 }
	large := func(i *cloud.Instance) { i.StorageGB = 500 }
	fast := func(i *cloud.Instance) { i.CPU, i.MemoryGB = 4, 8 }
	locked := func(i *cloud.Instance) { i.DeletionProtection = true }
	oldVersion := func(i *cloud.Instance) { i.Version = "13.9" }
	pending := func(s *Secret) { s.ResetPending = true }
	more := func(s *Secret) { s.Data["mine"] = "left alone" }
	moved := func(s *Secret) { s.Data["host"] = "10.9.9.9" }
	lost := func(s *Secret) { delete(s.Data, "password") }
	foreign := func(s *Secret) { s.Ours = false }
	unnoted := func(s *Secret) { s.Noted = false }
	invalid := func(s *Secret) {
		s.Data["password"] = "short"
		s.Data["uri"] = connection(see().Object, dbOf(), s.Data)["uri"]
	}
	updating := bought("Updating")
	check(t, []ruling{
		{"first looks for twins", see(bought("Provisioning"), seenAs()), expected{do: LookUp}},
		{"a twin", see(bought("Provisioning"), seenAs(), found(dbOf(), dbOf(called("postgres-2")))), expected{do: Rest, phase: "Failed", reason: "SeveralInstances"}},
		{"a twin in the recycle bin", see(bought("Provisioning"), seenAs(), connected(), found(dbOf(), dbOf(called("postgres-2"), inState(cloud.StateIsolated)))), expected{do: Rest, phase: "Running"}},
		{"not listed yet is no twin", see(bought("Provisioning"), seenAs(), connected(), found()), expected{do: Rest, phase: "Running"}},
		{"then the Secret", see(ran, seenAs()), expected{do: ReadSecret}},
		{"steady", see(ran, seenAs(), connected()), expected{do: Rest, phase: "Running", reason: "Running"}},
		{"limited", see(ran, seenAs(limited), connected()), expected{do: Rest, phase: "Running"}},
		{"another version", see(ran, seenAs(oldVersion), connected()), expected{do: ReadVersions}},
		{"another version, limited", see(ran, seenAs(oldVersion, limited), connected()), expected{do: Rest, phase: "Running", reason: "VersionDiffers"}},

		{"keys of others", see(ran, seenAs(), connected(more)), expected{do: Rest, phase: "Running"}},
		{"another address", see(ran, seenAs(), connected(moved)), expected{do: WriteSecret}},
		{"somebody else's Secret", see(ran, seenAs(), connected(foreign)), expected{do: Rest, phase: "Failed", reason: "NameConflict"}},
		{"no Secret: says so first", see(ran, seenAs(), noSecret), expected{do: Rest, phase: "Updating", reason: "RestoringPassword", after: 20 * time.Millisecond}},
		{"no Secret: then makes one", see(updating, found(), seenAs(), noSecret), expected{do: CreateSecret}},
		{"no password: says so first", see(ran, seenAs(), connected(lost)), expected{do: Rest, phase: "Updating", reason: "RestoringPassword"}},
		{"no password: then makes one", see(updating, found(), seenAs(), connected(lost)), expected{do: WriteSecret}},
		{"a password to set: says so first", see(ran, seenAs(), connected(pending)), expected{do: Rest, phase: "Updating", reason: "RestoringPassword"}},
		{"a password to set", see(updating, found(), seenAs(), connected(pending)), expected{do: ResetPassword, id: "postgres-1"}},
		{"an invalid password", see(ran, seenAs(), connected(pending, invalid)), expected{do: Rest, phase: "Failed", reason: "PasswordInvalid", after: time.Minute}},
		{"an invalid password that the cloud has", see(ran, seenAs(), connected(invalid)), expected{do: Rest, phase: "Running"}},
		{"a password that nobody noted", see(ran, seenAs(), connected(unnoted)), expected{do: WriteSecret}},
		{"an adopted instance's is left alone", see(adopts, ran, seenAs(), connected(pending, unnoted)), expected{do: Rest, phase: "Running"}},
		{"a password to set, limited", see(updating, found(), seenAs(limited), connected(pending)), expected{do: Rest, phase: "Running"}},

		{"more storage", see(ran, seenAs(small), connected()), expected{do: Resize, id: "postgres-1", phase: "Updating", reason: "Resizing"}},
		{"storage that grew outside", see(ran, seenAs(large), connected()), expected{do: Rest, phase: "Running"}},
		{"another class", see(ran, seenAs(fast), connected()), expected{do: Resize}},
		{"resizing, limited", see(ran, seenAs(fast, limited), connected()), expected{do: Rest, phase: "Running"}},
		{"protection wanted", see(ran, protection(true), seenAs(), connected()), expected{do: Protect, id: "postgres-1"}},
		{"protection there", see(ran, protection(true), seenAs(locked), connected()), expected{do: Rest}},
		{"protection not wanted", see(ran, protection(false), seenAs(locked), connected()), expected{do: Unprotect, id: "postgres-1"}},
		{"protection not spoken of", see(ran, seenAs(locked), connected()), expected{do: Rest}},
	})
}

func TestRunningIsToldOnce(t *testing.T) {
	if d := Decide(see(ran, seenAs(), connected())); d.Event != nil || !d.Show.Ready {
		t.Errorf("%+v", d)
	}
	if d := Decide(see(bought("Provisioning"), seenAs(), connected(), found())); d.Event == nil || d.After != 0 {
		t.Errorf("%+v", d)
	}
	if d := Decide(see(ran, seenAs(inState(cloud.StateLimited)), connected())); d.Show.Degraded == "" || !d.Show.Ready {
		t.Errorf("%+v", d.Show)
	}
}

func TestLostPasswordIsMadeAnewAndSet(t *testing.T) {
	d := Decide(see(bought("Updating"), found(), seenAs(), noSecret))
	if !d.NewPassword || !d.Reset || d.SecretData["host"] != "10.0.0.1" {
		t.Errorf("%+v", d)
	}
	d = Decide(see(bought("Updating"), found(), seenAs(), connected(func(s *Secret) { delete(s.Data, "password") })))
	if uri, there := d.SecretData["uri"]; !d.NewPassword || !d.Reset || uri != "" || !there {
		t.Errorf("%+v: the uri with the old password has to go", d)
	}
	// An adopted instance's password is for its owner to put in.
	d = Decide(see(adopts, bought("Updating"), seenAs(), noSecret))
	if d.Do != CreateSecret || d.NewPassword || d.Reset {
		t.Errorf("%+v", d)
	}
	d = Decide(see(adopts, ran, seenAs(), connected(func(s *Secret) { delete(s.Data, "password"); delete(s.Data, "uri") })))
	if d.Do != Rest {
		t.Errorf("%+v", d)
	}
	d = Decide(see(adopts, ran, seenAs(), connected(func(s *Secret) { delete(s.Data, "uri") })))
	if d.Do != WriteSecret || d.SecretData["uri"] == "" || len(d.SecretData) != 1 || d.Reset {
		t.Errorf("%+v", d)
	}
}

func TestWantedSize(t *testing.T) {
	for name, c := range map[string]struct {
		class   string
		storage int32
		want    cloud.Size
		asks    bool
	}{
		"fits":              {"2C4G", 100, cloud.Size{CPU: 2, MemoryGB: 4, StorageGB: 100}, false},
		"storage shrinks":   {"2C4G", 10, cloud.Size{CPU: 2, MemoryGB: 4, StorageGB: 100}, false},
		"storage grows":     {"2C4G", 200, cloud.Size{CPU: 2, MemoryGB: 4, StorageGB: 200}, true},
		"class grows":       {"16C64G", 100, cloud.Size{CPU: 16, MemoryGB: 64, StorageGB: 100}, true},
		"class shrinks":     {"1C2G", 100, cloud.Size{CPU: 1, MemoryGB: 2, StorageGB: 100}, true},
		"both":              {"4C8G", 120, cloud.Size{CPU: 4, MemoryGB: 8, StorageGB: 120}, true},
		"class, not shrunk": {"4C8G", 10, cloud.Size{CPU: 4, MemoryGB: 8, StorageGB: 100}, true},
	} {
		size, why := wantedSize(databasev1.PostgresDBSpec{InstanceClass: c.class, StorageGB: c.storage}, dbOf())
		if size != c.want || (why != "") != c.asks {
			t.Errorf("%s: %+v %q", name, size, why)
		}
	}
}
