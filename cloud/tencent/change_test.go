package tencent_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/cloud/standin"
	"example.com/mote/cloud/tencent"
)

func (r *rig) running(name string) string {
	r.Helper()
	id := r.buy(name)
	r.pass(time.Minute)
	return id
}

func (r *rig) get(id string) cloud.Instance {
	r.Helper()
	i, err := r.Get(r.Context(), region, id)
	r.ok(err)
	return i
}

func (r *rig) task(id string, task int64, want cloud.TaskStatus) {
	r.Helper()
	if got, err := r.Task(r.Context(), region, id, task); got != want || err != nil {
		r.Errorf("task %d: %s %v, want %s", task, got, err, want)
	}
}

func TestUpgrades(t *testing.T) {
	r := newRig(t, nil)
	ctx := t.Context()
	id := r.running("mote-1")
	task, err := r.Upgrade(ctx, region, id, "v14.13_r1.1", false, cloud.Window{})
	r.ok(err)
	if i := r.get(id); i.State != cloud.StateBusy || task == 0 {
		t.Errorf("task %d: %+v", task, i)
	}
	r.task(id, task, cloud.TaskRunning)
	_, err = r.Upgrade(ctx, region, id, "v14.13_r1.1", false, cloud.Window{})
	r.fails(err, cloud.Busy, "OperationDenied.InstanceStatusLimitError")
	r.pass(time.Minute)
	r.task(id, task, cloud.TaskDone)
	if i := r.get(id); i.Version != "14.13" || i.Kernel != "v14.13_r1.1" || i.State != cloud.StateRunning {
		t.Errorf("%+v", i)
	}
	_, err = r.Upgrade(ctx, region, id, "v14.11_r1.9", false, cloud.Window{})
	r.fails(err, cloud.Refused, "InvalidParameterValue.InvalidParameterValueError")

	r.fault(standin.Fault{Action: "UpgradeDBInstanceMajorVersion", Kind: standin.TaskFail, Times: 1})
	task, err = r.Upgrade(ctx, region, id, "v16.2_r1.7", true, cloud.Window{})
	r.ok(err)
	r.pass(time.Minute)
	r.task(id, task, cloud.TaskFailed)
	if i := r.get(id); i.Major != "14" || i.State != cloud.StateRunning {
		t.Errorf("after a failure: %+v", i)
	}
	task, err = r.Upgrade(ctx, region, id, "v16.2_r1.7", true, cloud.Window{})
	r.ok(err)
	r.pass(time.Minute)
	r.task(id, task, cloud.TaskDone)
	if i := r.get(id); i.Major != "16" {
		t.Errorf("%+v", i)
	}
	r.task(id, 999999, cloud.TaskRunning) // not shown, or not yet
}

// The rig's clock begins at 13:06 of the cloud's.
func TestChangesWaitForTheirWindow(t *testing.T) {
	r := newRig(t, nil)
	ctx := t.Context()
	night := cloud.Window{From: "02:00", To: "04:00"}
	waits := func(id string) {
		t.Helper()
		r.pass(time.Minute)
		if i := r.get(id); i.State != cloud.StateWaiting {
			t.Fatalf("%+v", i)
		}
	}
	resized := r.running("mote-1")
	r.ok(r.Resize(ctx, region, resized, cloud.Size{CPU: 4, MemoryGB: 8, StorageGB: 200}, night))
	waits(resized)
	minor := r.running("mote-2")
	_, err := r.Upgrade(ctx, region, minor, "v14.13_r1.1", false, night)
	r.ok(err)
	waits(minor)
	major := r.running("mote-3")
	task, err := r.Upgrade(ctx, region, major, "v15.6_r1.9", true, night)
	r.ok(err)
	waits(major)
	r.task(major, task, cloud.TaskRunning)

	r.ok(r.SwitchNow(ctx, region, resized))
	r.pass(10 * time.Second)
	if i := r.get(resized); i.ClassName() != "4C8G" || i.State != cloud.StateRunning {
		t.Errorf("the wait was ended: %+v", i)
	}
	r.fails(r.SwitchNow(ctx, region, resized), cloud.Busy, "OperationDenied.InstanceStatusLimitError")
	r.pass(14 * time.Hour)
	if i := r.get(minor); i.Version != "14.13" {
		t.Errorf("the night is over: %+v", i)
	}
	if i := r.get(major); i.Major != "15" {
		t.Errorf("the night is over: %+v", i)
	}
}

func TestNameTagsAndSecurityGroups(t *testing.T) {
	r := newRig(t, nil)
	ctx := t.Context()
	id := r.running("mote-1")
	r.ok(r.Rename(ctx, region, id, "other"))
	r.ok(r.SetTags(ctx, region, id, map[string]string{"a": "c", "new": "x"}, nil))
	if i := r.get(id); i.Name != "other" || !maps.Equal(i.Tags, map[string]string{"mote-uid": "mote-1", "a": "c", "new": "x"}) {
		t.Errorf("%+v", i)
	}
	r.ok(r.SetTags(ctx, region, id, map[string]string{"new": "y"}, []string{"a"}))
	r.ok(r.SetTags(ctx, region, id, nil, []string{"new"}))
	if i := r.get(id); !maps.Equal(i.Tags, map[string]string{"mote-uid": "mote-1"}) {
		t.Errorf("%v", i.Tags)
	}
	r.pass(time.Second)
	r.fails(r.SetTags(ctx, region, id, nil, []string{"new"}), cloud.Refused, "ResourceNotFound.AttachedTagKeyNotFound")
	r.fails(r.SetTags(ctx, region, "postgres-nothere0", map[string]string{"a": "b"}, nil), cloud.Refused, "InvalidParameterValue.ResourceIdInvalid")

	groups := []string{"sg-0a1b2c3d", "sg-1a2b3c4d"}
	r.ok(r.SetSecurityGroups(ctx, region, id, groups))
	got, err := r.SecurityGroups(ctx, region, id)
	r.ok(err)
	if slices.Sort(got); !slices.Equal(got, groups) {
		t.Errorf("%v", got)
	}
	for _, err := range []error{
		r.Rename(ctx, region, "", "x"), r.SetTags(ctx, region, "", nil, []string{"a"}), r.SetSecurityGroups(ctx, region, "", groups),
		r.SwitchNow(ctx, region, ""), r.Resize(ctx, region, "", cloud.Size{}, cloud.Window{}),
	} {
		r.fails(err, cloud.Refused, "mote.NoInstance")
	}
	_, err = r.SecurityGroups(ctx, region, "")
	r.fails(err, cloud.Refused, "mote.NoInstance")
	_, err = r.Upgrade(ctx, region, "", "v", true, cloud.Window{})
	r.fails(err, cloud.Refused, "mote.NoInstance")
	_, err = r.Task(ctx, region, "", 1)
	r.fails(err, cloud.Refused, "mote.NoInstance")
}

// What the cloud brings into another form has the same fingerprint whenever it is
// looked at.
func TestNormalisedAnswersHaveOneFingerprint(t *testing.T) {
	r := newRig(t, func(c *standin.Config, _ *tencent.Options) { c.Normalise = true })
	id := r.running("mote-1")
	r.ok(r.SetTags(t.Context(), region, id, map[string]string{"spaced": " x ", "b": "1", "c": "2"}, nil))
	seen := map[uint64]bool{}
	for range 5 {
		i := r.get(id)
		seen[i.Fingerprint()] = true
		if i.Tags["spaced"] != "x" {
			t.Errorf("%q", i.Tags)
		}
		r.pass(time.Millisecond)
	}
	if len(seen) != 1 {
		t.Errorf("%d fingerprints", len(seen))
	}
}
