package postgresdb

import (
	"maps"
	"slices"
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

// count is how often a call was made in the turns until it comes to rest.
func (r *rig) settleCounting() map[string]int {
	r.Helper()
	n := map[string]int{}
	for range 30 {
		e := r.next()
		for _, s := range e.steps {
			n[s]++
		}
		if e.err == nil && !e.Retry && !slices.ContainsFunc(e.steps, isChange) {
			return n
		}
	}
	r.Fatalf("it does not come to rest\n%s", r.log)
	return nil
}

// running is a rig with an instance that runs.
func running1(t *testing.T, change func(*databasev1.PostgresDBSpec)) *rig {
	r := newRig(t)
	r.put(change)
	r.settle()
	if status, reason := r.ready(); status != "True" {
		t.Fatal(reason)
	}
	r.j.taken()
	return r
}

func (r *rig) instance() cloud.Instance {
	r.cloud.mu.Lock()
	defer r.cloud.mu.Unlock()
	return r.cloud.instances["postgres-1"]
}

// console changes the instance past Mote.
func (r *rig) console(change func(*cloud.Instance)) {
	r.cloud.mu.Lock()
	defer r.cloud.mu.Unlock()
	i := r.cloud.instances["postgres-1"]
	change(&i)
	r.cloud.instances["postgres-1"] = i
}

func TestUpgradeStepByStep(t *testing.T) {
	r := running1(t, nil)
	e := r.edit(func(o map[string]any) { specOf(o)["engineVersion"] = "14.12" })
	r.wantSteps(e, "GET postgresdbs/orders", "cloud Get", getSecret, "cloud Versions", "cloud Upgrade", patchStatus)
	if c := r.object().Status.Change; c == nil || c.TaskID != 7 || c.Kind != "Upgrade" {
		t.Errorf("%+v", c)
	}
	r.settle()
	if o := r.object(); o.Status.EngineVersion != "14.13" || o.Status.Change != nil || o.Status.Phase != "Running" || o.Status.ObservedGeneration != o.Generation {
		t.Errorf("%+v", o.Status)
	}
	r.edit(func(o map[string]any) { specOf(o)["engineVersion"] = "15" })
	r.settle()
	if o := r.object(); o.Status.EngineVersion != "15.6" {
		t.Errorf("%+v", o.Status)
	}
	r.edit(func(o map[string]any) { specOf(o)["engineVersion"] = "14" })
	r.settle()
	if status, reason := r.ready(); status != "False" || reason != "UpgradeNotPossible" || r.instance().Major != "15" {
		t.Error(status, reason)
	}
}

// An upgrade that fails is asked for once, however many turns come.
func TestUpgradeThatFails(t *testing.T) {
	r := running1(t, nil)
	r.cloud.task = cloud.TaskFailed
	r.edit(func(o map[string]any) { specOf(o)["engineVersion"] = "14.12" })
	n := r.settleCounting()
	maps.Copy(n, r.settleCounting())
	if status, reason := r.ready(); status != "False" || reason != "UpgradeFailed" || n["cloud Upgrade"] != 0 {
		t.Errorf("%s %s, %v", status, reason, n)
	}
	if o := r.object(); o.Status.Phase != "Failed" || o.Status.Endpoint == "" || o.Status.EngineVersion != "14.10" {
		t.Errorf("%+v", o.Status)
	}
	if e := r.next(); e.After <= 0 || e.After > 10*time.Minute {
		t.Errorf("again after %s", e.After)
	}
}

func TestTagsFollowTheSpec(t *testing.T) {
	r := running1(t, func(s *databasev1.PostgresDBSpec) { s.Tags = map[string]databasev1.TagValue{"team": "a", "cost": "1"} })
	if got := r.object().Status.AppliedTags; !slices.Equal(got, []string{"cost", "team"}) {
		t.Errorf("answers for %v", got)
	}
	r.console(func(i *cloud.Instance) { i.Tags = maps.Clone(i.Tags); i.Tags["theirs"] = "x" })
	r.j.before["cloud SetTags"] = func() {
		if got := r.object().Status.AppliedTags; !slices.Contains(got, "new") {
			t.Errorf("set before it was written down: %v", got)
		}
	}
	r.edit(func(o map[string]any) { specOf(o)["tags"] = map[string]any{"team": "b", "new": "y"} })
	if n := r.settleCounting(); n["cloud SetTags"] != 0 {
		t.Errorf("set again: %v", n)
	}
	want := map[string]string{"team": "b", "new": "y", "theirs": "x", TagUID: testUID, TagObject: "shop/orders"}
	if got := r.instance().Tags; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if o := r.object(); !slices.Equal(o.Status.AppliedTags, []string{"new", "team"}) || o.Status.Phase != "Running" {
		t.Errorf("%+v", o.Status)
	}
	r.console(func(i *cloud.Instance) { i.Tags = map[string]string{"theirs": "x"} })
	r.settle()
	if got := r.instance().Tags; !maps.Equal(got, want) {
		t.Errorf("put right: %v, want %v", got, want)
	}
}

func TestSecurityGroupsFollowTheSpec(t *testing.T) {
	r := running1(t, func(s *databasev1.PostgresDBSpec) { s.SecurityGroupIDs = []string{"sg-b", "sg-a"} })
	if !slices.Equal(r.cloud.groups, []string{"sg-a", "sg-b"}) {
		t.Errorf("%v", r.cloud.groups)
	}
	r.wantSteps(r.next(), "GET postgresdbs/orders", "cloud Get", getSecret, "cloud SecurityGroups")
	r.cloud.groups = []string{"sg-evil"}
	r.settle()
	if !slices.Equal(r.cloud.groups, []string{"sg-a", "sg-b"}) {
		t.Errorf("%v", r.cloud.groups)
	}
}

func TestNameIsPutBack(t *testing.T) {
	r := running1(t, nil)
	r.console(func(i *cloud.Instance) { i.Name = "renamed" })
	if n := r.settleCounting(); n["cloud Rename"] != 1 || r.instance().Name != InstanceName(testUID) {
		t.Errorf("%v", n)
	}
	adopted := running1(t, nil)
	adopted.api.edit(databasev1.Resource, testName, func(o map[string]any) { specOf(o)["instanceID"] = "postgres-1" })
	adopted.turn()
	adopted.console(func(i *cloud.Instance) { i.Name = "legacy" })
	if n := adopted.settleCounting(); n["cloud Rename"] != 0 || adopted.instance().Name != "legacy" {
		t.Errorf("adopted: %v", n)
	}
}

// Somebody puts another password into the Secret: the cloud gets it, and the uri.
func TestPasswordIsRotated(t *testing.T) {
	r := running1(t, nil)
	r.putPassword("An0ther-One")
	n := r.settleCounting()
	if last := r.cloud.passwords[len(r.cloud.passwords)-1]; last != "An0ther-One" || n["cloud ResetPassword"] != 1 {
		t.Errorf("%v", n)
	}
	s := r.secret()
	if s["password"] != "An0ther-One" || s["uri"] != "postgresql://dbadmin:An0ther-One@10.0.0.1:5432/postgres?sslmode=prefer" {
		t.Errorf("%v", s)
	}
	if status, reason := r.ready(); status != "True" {
		t.Error(reason)
	}
	r.wantSteps(r.next(), "GET postgresdbs/orders", "cloud Get", getSecret)

	r.putPassword("short")
	n = r.settleCounting()
	if _, reason := r.ready(); reason != "PasswordInvalid" || n["cloud ResetPassword"] != 0 {
		t.Errorf("%s %v", reason, n)
	}
	if e := r.next(); e.After != time.Minute {
		t.Errorf("again after %s", e.After)
	}
	r.putPassword("C0rrected-One")
	r.settle()
	if last := r.cloud.passwords[len(r.cloud.passwords)-1]; last != "C0rrected-One" {
		t.Error("the corrected one was not set")
	}
}

// While the password is on its way, somebody changes it once more: what is noted as
// set is what was set.
func TestPasswordIsRotatedTwice(t *testing.T) {
	r := running1(t, nil)
	r.putPassword("An0ther-One")
	r.j.before["cloud ResetPassword"] = func() { r.putPassword("Yet-An0ther") }
	r.settle()
	if last := r.cloud.passwords[len(r.cloud.passwords)-1]; last != "Yet-An0ther" {
		t.Errorf("the cloud has %q", last)
	}
}

func TestWindowIsTurnedOff(t *testing.T) {
	r := running1(t, func(s *databasev1.PostgresDBSpec) { s.MaintenanceWindow = "02:00-04:00" })
	r.edit(func(o map[string]any) { specOf(o)["storageGB"] = 200 })
	r.console(func(i *cloud.Instance) { i.State, i.Status = cloud.StateWaiting, "waitSwitch" })
	r.next()
	if _, reason := r.ready(); reason != "WaitingForWindow" || r.object().Status.Phase != "Updating" {
		t.Error(reason)
	}
	r.edit(func(o map[string]any) { delete(specOf(o), "maintenanceWindow") })
	r.settle()
	if status, reason := r.ready(); status != "True" || r.object().Status.StorageGB != 200 {
		t.Error(reason)
	}
}
