package postgresdb

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/reconcile"
)

// outage is the error of a call that was not made because of one.
func outage(since time.Duration) *cloud.Error {
	return &cloud.Error{Class: cloud.NotSent, Action: "Get", Region: "ap-guangzhou", Code: "mote.CloudUnreachable", Message: "not sent",
		Outage: &cloud.Outage{Since: present.Add(-since), Cause: "mote.NoAnswer: connection refused"}}
}

func reachable(v View, s *Show) (status, message string) {
	c := reconcile.GetCondition(Status(v, *s).Conditions, ConditionCloudReachable)
	if c == nil {
		return "", ""
	}
	return string(c.Status), c.Message
}

func TestOutageIsShown(t *testing.T) {
	v := see(bought("Provisioning"))
	f := onFailure(v, outage(time.Hour))
	status, message := reachable(v, f.Show)
	if status != "False" || !strings.Contains(message, "since 2029-12-31T23:00:00Z") || !strings.Contains(message, "connection refused") || f.Retry || f.After != 10*time.Minute {
		t.Errorf("%s %q, again after %s", status, message, f.After)
	}
	// However often it is met, it is written once.
	v.Object.Status = Status(v, *f.Show)
	for _, since := range []time.Duration{time.Hour, time.Minute} { // the latter: by a process that began later
		if again := onFailure(v, outage(since)); !reflect.DeepEqual(Status(v, *again.Show), v.Object.Status) {
			t.Errorf("written again: %+v", again.Show)
		}
	}
	// It is over when the cloud has answered, and not by what was seen before.
	steady := see(bought("Provisioning"), seenAs(), connected(), found())
	steady.Object.Status = v.Object.Status
	steady.Object.Status.Phase = "Provisioning"
	if status, _ := reachable(steady, Decide(steady).Show); status != "True" {
		t.Error(status)
	}
	unasked := see(bought("Provisioning"))
	unasked.Object.Status = v.Object.Status
	if status, _ := reachable(unasked, &Show{Phase: "Failed", Reason: "NameConflict"}); status != "False" {
		t.Error(status)
	}
	// Nobody speaks of it who has never met one.
	never := see(ran, seenAs(), connected())
	if status, _ := reachable(never, Decide(never).Show); status != "" {
		t.Error(status)
	}
}

// What runs, and of which nothing new is asked, is not written to.
func TestOutageLeavesWhatRunsAlone(t *testing.T) {
	if f := onFailure(see(ran), outage(time.Hour)); f.Show != nil || f.Event != nil || f.Retry {
		t.Errorf("%+v", f)
	}
	if f := onFailure(see(ran, deleted), outage(time.Hour)); f.Show == nil || f.Show.Phase != "Deleting" {
		t.Errorf("%+v", f.Show)
	}
}

func TestAwaiting(t *testing.T) {
	var a awaiting
	k := func(name string) reconcile.Key { return reconcile.Key{Namespace: "n", Name: name} }
	for _, name := range []string{"a", "b", "b", "c"} {
		a.add("r", k(name))
	}
	a.add("other", k("d"))
	a.drop(k("c"))
	var woken []string
	wake := func(key reconcile.Key) { woken = append(woken, key.Name) }
	a.wake("r", wake)
	a.wake("r", wake)
	a.wake("nowhere", wake)
	if slices.Sort(woken); !slices.Equal(woken, []string{"a", "b"}) {
		t.Errorf("woken %v", woken)
	}
}

// An object that meets an outage makes no call, and waits to be woken.
func TestObjectsWaitForTheEndOfAnOutage(t *testing.T) {
	r := running1(t, nil)
	r.j.fail["cloud Get"] = outage(time.Hour)
	e := r.edit(func(o map[string]any) { specOf(o)["storageGB"] = 200 })
	if _, reason := r.ready(); reason != "CloudUnreachable" {
		t.Error(reason)
	}
	// This rig's gate is open, so the outage is over and the turn comes at once.
	if e.err != nil || e.Retry || e.After != soon {
		t.Errorf("%+v %v", e.Result, e.err)
	}
	delete(r.j.fail, "cloud Get")
	r.settle()
	c := reconcile.GetCondition(r.object().Status.Conditions, ConditionCloudReachable)
	if status, reason := r.ready(); status != "True" || c == nil || c.Status != "True" || r.object().Status.StorageGB != 200 {
		t.Errorf("%s: %+v", reason, c)
	}
}
