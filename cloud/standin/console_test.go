package standin_test

import (
	"slices"
	"testing"
	"time"

	"example.com/mote/cloud/standin"
)

func ptr[T any](v T) *T { return &v }

func (r *rig) console(id string, c standin.Change) standin.Entry {
	r.t.Helper()
	e, err := r.server.Console(id, c)
	if err != nil {
		r.t.Fatal(err)
	}
	return e
}

func TestConsoleValues(t *testing.T) {
	r := newRig(t)
	id := r.running(nil)
	e := r.console(id, standin.Change{Name: ptr("by-hand"), CPU: ptr(4), MemoryGB: ptr(16), StorageGB: ptr(50), Kernel: ptr("v14.10_r1.4"),
		SecurityGroups: ptr([]string{"sg-aaaaaaaa"}), Tags: ptr(map[string]string{"b": "2", "a": "1"}), DeletionProtection: ptr(true)})
	if e.Name != "by-hand" || e.StorageGB != 50 || e.Version != "14.10" || e.SecurityGroups[0] != "sg-aaaaaaaa" || !e.DeletionProtection || e.Status != "running" {
		t.Errorf("entry %+v", e)
	}
	i := r.instance(id)
	if i["DBInstanceCpu"] != 4.0 || i["DBInstanceMemory"] != 16.0 || i["DBInstanceStorage"] != 50.0 || i["DBInstanceClass"] != "pg.at.large16" ||
		i["DBKernelVersion"] != "v14.10_r1.4" || i["DBInstanceName"] != "by-hand" || len(i["TagList"].([]any)) != 2 {
		t.Errorf("instance %v", i)
	}
	// What is not given stays.
	if e = r.console(id, standin.Change{StorageGB: ptr(60)}); e.Name != "by-hand" || len(e.Tags) != 2 || e.StorageGB != 60 {
		t.Errorf("entry %+v", e)
	}
}

func TestConsoleDeeds(t *testing.T) {
	r := newRig(t)
	id := r.create(params{"DeletionProtection": true})
	r.console(id, standin.Change{Do: standin.Isolate}) // whatever the status and the protection
	r.follow(id, seen{0, "isolating"}, seen{2 * time.Second, "isolated"})
	if task := r.ok("DescribeTasks", params{"DBInstanceId": id})["TaskSet"].([]any)[0].(params); task["Status"] != "Fail" {
		t.Errorf("the dropped creation: %v", task)
	}
	r.console(id, standin.Change{Do: standin.Restore})
	r.follow(id, seen{0, "disisolating"}, seen{2 * time.Second, "running"})
	r.ok("ModifyDBInstanceSpec", params{"DBInstanceId": id, "Memory": 8, "Cpu": 4, "Storage": 100, "SwitchTag": 2})
	r.clock.advance(5 * time.Second)
	r.console(id, standin.Change{Do: standin.Switch})
	r.follow(id, seen{time.Second, "running"})
	r.console(id, standin.Change{Do: standin.Destroy})
	r.follow(id, seen{0, "offlining"}, seen{3 * time.Second, notFound})
	if _, err := r.server.Console(id, standin.Change{Do: standin.Restore}); err == nil {
		t.Error("a gone instance was restored")
	}
}

func TestConsoleStatus(t *testing.T) {
	r := newRig(t)
	id := r.create(nil)
	for _, c := range []struct {
		status         string
		open, isolated bool
	}{{"running", true, false}, {"readonly", true, false}, {"restarting", true, false}, {"isolated", false, true}, {"limited run", true, false}} {
		e := r.console(id, standin.Change{Status: c.status})
		if e.Status != c.status || (e.Endpoint != "") != c.open || e.Isolated.IsZero() == c.isolated || e.Billed == c.isolated {
			t.Errorf("%s: %+v", c.status, e)
		}
		r.clock.advance(time.Hour)
		if got := r.status(id); got != c.status {
			t.Errorf("%s became %s", c.status, got)
		}
	}
	r.console(id, standin.Change{Status: "waitSwitch"})
	r.ok("ModifySwitchTimePeriod", params{"DBInstanceId": id, "SwitchTag": 0})
	r.follow(id, seen{0, "running"})
	if e := r.console(id, standin.Change{Status: "recycled"}); e.Billed || e.Ended.IsZero() {
		t.Errorf("recycled: %+v", e)
	}
}

func TestConsoleRefuses(t *testing.T) {
	r := newRig(t)
	id := r.running(nil)
	before := r.entry(id)
	for _, c := range []standin.Change{
		{Status: "broken"}, {Do: "explode"}, {Do: standin.Switch}, {Do: standin.Restore}, {Do: standin.Isolate, Status: "running"},
		{StorageGB: ptr(0)}, {CPU: ptr(-1)}, {Name: ptr("x"), Kernel: ptr("v99")},
	} {
		if _, err := r.server.Console(id, c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
	if after := r.entry(id); after.Name != before.Name || after.Status != before.Status || !slices.Equal(after.SecurityGroups, before.SecurityGroups) {
		t.Errorf("a refused change changed %+v", after)
	}
	if _, err := r.server.Console("postgres-nothere0", standin.Change{}); err == nil {
		t.Error("an unknown instance was changed")
	}
}
