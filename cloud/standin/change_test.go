package standin_test

import (
	"testing"
	"time"

	"example.com/mote/cloud/standin"
)

func TestResize(t *testing.T) {
	r := newRig(t)
	id := r.running(nil)
	spec := func(memory, cpu, storage int) params {
		return params{"DBInstanceId": id, "Memory": memory, "Cpu": cpu, "Storage": storage}
	}
	r.refused("InvalidParameterValue.InvalidInstanceVolume", "ModifyDBInstanceSpec", spec(4, 2, 90))
	r.refused("InvalidParameterValue.BadSpec", "ModifyDBInstanceSpec", spec(5, 2, 100))
	r.refused("InvalidParameterValue.BadSpec", "ModifyDBInstanceSpec", spec(8, 16, 100))
	r.refused("InvalidParameterValue.ParameterOutOfRange", "ModifyDBInstanceSpec", spec(4, 2, 105))
	r.refused("InvalidParameterValue.ParameterOutOfRange", "ModifyDBInstanceSpec", spec(4, 2, 4000))
	out := r.ok("ModifyDBInstanceSpec", spec(16, 4, 200))
	if out["DealName"] == "" || out["BillId"] != "" {
		t.Errorf("answer %v", out)
	}
	r.refused("OperationDenied.InstanceStatusLimitError", "ModifyDBInstanceSpec", spec(16, 4, 300))
	r.follow(id, seen{0, "expanding"}, seen{2500 * time.Millisecond, "job running"})
	if i := r.instance(id); i["DBInstanceStorage"] != 100.0 {
		t.Errorf("the new size shows too early: %v", i["DBInstanceStorage"])
	}
	r.follow(id, seen{2500 * time.Millisecond, "running"})
	i := r.instance(id)
	if i["DBInstanceCpu"] != 4.0 || i["DBInstanceMemory"] != 16.0 || i["DBInstanceStorage"] != 200.0 || i["DBInstanceClass"] != "pg.at.large16" {
		t.Errorf("resized: %v", i)
	}
	// A smaller class is fine, and without Cpu the first with that memory is taken.
	r.ok("ModifyDBInstanceSpec", params{"DBInstanceId": id, "Memory": 4, "Storage": 200})
	r.clock.advance(5 * time.Second)
	if i := r.instance(id); i["DBInstanceCpu"] != 1.0 {
		t.Errorf("without Cpu: %v cores", i["DBInstanceCpu"])
	}
}

func TestSwitchWaits(t *testing.T) {
	// The rig's clock begins at 12:00:00 in the API's zone.
	resize := params{"Memory": 8, "Cpu": 4, "Storage": 100}
	for _, c := range []struct {
		name   string
		change params
		until  time.Duration // from the call, 8 s after noon
	}{
		{"at a time", params{"SwitchTag": 1, "SwitchStartTime": "13:00:00", "SwitchEndTime": "13:30:00"}, time.Hour - 8*time.Second},
		{"at a time that is past today", params{"SwitchTag": 1, "SwitchStartTime": "11:00:08", "SwitchEndTime": "11:30:00"}, 23 * time.Hour},
		{"in the maintenance window", params{"SwitchTag": 2}, 14*time.Hour - 8*time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			id := r.running(nil)
			for k, v := range resize {
				c.change[k] = v
			}
			c.change["DBInstanceId"] = id
			r.ok("ModifyDBInstanceSpec", c.change)
			r.follow(id, seen{5 * time.Second, "waitSwitch"}, seen{c.until - 1, "waitSwitch"}, seen{c.until, "switching"}, seen{c.until + time.Second, "running"})
			if r.instance(id)["DBInstanceCpu"] != 4.0 {
				t.Error("not resized")
			}
		})
	}
	t.Run("ended by hand", func(t *testing.T) {
		r := newRig(t)
		id := r.running(nil)
		end := params{"DBInstanceId": id, "SwitchTag": 0}
		r.refused("OperationDenied.InstanceStatusLimitError", "ModifySwitchTimePeriod", end)
		r.ok("ModifyDBInstanceSpec", params{"DBInstanceId": id, "Memory": 8, "Cpu": 4, "Storage": 100, "SwitchTag": 2})
		r.clock.advance(5 * time.Second)
		if got := r.status(id); got != "waitSwitch" {
			t.Fatalf("status %s", got)
		}
		r.refused("InvalidParameterValue.ParameterOutOfRange", "ModifySwitchTimePeriod", params{"DBInstanceId": id, "SwitchTag": 1})
		r.ok("ModifySwitchTimePeriod", end)
		r.follow(id, seen{0, "switching"}, seen{time.Second, "running"})
	})
	r := newRig(t)
	id := r.running(nil)
	for _, bad := range []params{{"SwitchTag": 3}, {"SwitchTag": 1}, {"SwitchTag": 1, "SwitchStartTime": "25:00:00", "SwitchEndTime": "01:00:00"}} {
		bad["DBInstanceId"], bad["Memory"], bad["Storage"] = id, 8, 100
		if got := r.call("ModifyDBInstanceSpec", bad); got.code == "" {
			t.Errorf("%v was accepted", bad)
		}
	}
}

func TestUpgrades(t *testing.T) {
	const refused = "InvalidParameterValue.InvalidParameterValueError"
	r := newRig(t)
	id := r.running(nil)
	to := func(kernel string) params { return params{"DBInstanceId": id, "TargetDBKernelVersion": kernel} }
	for _, kernel := range []string{"v14.11_r1.9", "v14.10_r1.4", "v14.2_r1.30", "v15.6_r1.9", "v99"} {
		r.refused(refused, "UpgradeDBInstanceKernelVersion", to(kernel))
	}
	for _, kernel := range []string{"v14.13_r1.1", "v13.14_r1.9", "v13.3_r1.22", "v99"} {
		r.refused(refused, "UpgradeDBInstanceMajorVersion", to(kernel))
	}
	task := r.ok("UpgradeDBInstanceKernelVersion", to("v14.13_r1.1"))["TaskId"]
	if got := r.task(task); got["Status"] != "Running" || got["DBInstanceId"] != id || got["EndTime"] != "" {
		t.Errorf("task %v", got)
	}
	r.follow(id, seen{0, "upgrading"}, seen{5 * time.Second, "running"})
	if i := r.instance(id); i["DBVersion"] != "14.13" || i["DBKernelVersion"] != "v14.13_r1.1" || i["DBMajorVersion"] != "14" {
		t.Errorf("after the minor upgrade: %v", i)
	}
	if got := r.task(task); got["Status"] != "Success" || got["Progress"] != 100.0 || got["EndTime"] == "" {
		t.Errorf("task %v", got)
	}

	check := to("v16.2_r1.7")
	check["UpgradeCheck"] = true
	task = r.ok("UpgradeDBInstanceMajorVersion", check)["TaskId"]
	r.follow(id, seen{0, "running"})
	r.clock.advance(4 * time.Second)
	if got := r.task(task); got["Status"] != "Running" || got["Progress"] != 80.0 {
		t.Errorf("check %v", got)
	}
	r.ok("UpgradeDBInstanceMajorVersion", to("v16.2_r1.7"))
	r.follow(id, seen{0, "upgrading"}, seen{5 * time.Second, "running"})
	if i := r.instance(id); i["DBVersion"] != "16.2" || i["DBMajorVersion"] != "16" {
		t.Errorf("after the major upgrade: %v", i)
	}
	if got := r.task(task); got["Status"] != "Success" {
		t.Errorf("check %v", got)
	}
}

func (r *rig) task(id any) params {
	r.t.Helper()
	return r.ok("DescribeTasks", params{"TaskId": id, "Limit": 1})["TaskSet"].([]any)[0].(params)
}

func TestTasks(t *testing.T) {
	r := newRig(t)
	a, b := r.running(nil), r.running(nil)
	out := r.ok("DescribeTasks", params{})
	if out["TotalCount"] != 2.0 {
		t.Errorf("tasks %v", out)
	}
	one := r.ok("DescribeTasks", params{"DBInstanceId": a})["TaskSet"].([]any)
	if len(one) != 1 || one[0].(params)["Status"] != "Success" {
		t.Errorf("tasks of %s: %v", a, one)
	}
	newest := r.ok("DescribeTasks", params{"Limit": 1})["TaskSet"].([]any)[0].(params)
	oldest := r.ok("DescribeTasks", params{"Limit": 1, "Offset": 1})["TaskSet"].([]any)[0].(params)
	if newest["DBInstanceId"] != b || oldest["DBInstanceId"] != a {
		t.Errorf("newest %v, oldest %v", newest, oldest)
	}
	r.refused("InvalidParameterValue.ParameterOutOfRange", "DescribeTasks", params{"Limit": 0})
	r.refused("InvalidParameterValue.ParameterOutOfRange", "DescribeTasks", params{"Limit": 101})
}

// A task that fails leaves the instance as it was; a creation that fails never runs.
func TestTaskFails(t *testing.T) {
	r := newRig(t)
	id := r.running(nil)
	r.faults(standin.Fault{Kind: standin.TaskFail, Action: "ModifyDBInstanceSpec", Times: 1}, standin.Fault{Kind: standin.TaskFail, Action: "CreateInstances"})
	r.ok("ModifyDBInstanceSpec", params{"DBInstanceId": id, "Memory": 8, "Cpu": 4, "Storage": 100})
	r.follow(id, seen{0, "expanding"}, seen{5 * time.Second, "running"})
	if r.instance(id)["DBInstanceCpu"] != 2.0 {
		t.Error("resized although the task failed")
	}
	if got := r.ok("DescribeTasks", params{"DBInstanceId": id})["TaskSet"].([]any)[0].(params); got["Status"] != "Fail" {
		t.Errorf("task %v", got)
	}
	stuck := r.create(nil)
	r.follow(stuck, seen{time.Hour, "initing"})
}

func TestSmallChanges(t *testing.T) {
	r := newRig(t)
	id := r.running(params{"SecurityGroupIds": []string{"sg-0123abcd"}})
	on := func(p params) params { p["DBInstanceId"] = id; return p }
	before := r.entry(id).PasswordSHA256

	r.refused("InvalidParameterValue.ParameterCharacterError", "ModifyDBInstanceName", on(params{"InstanceName": "a b"}))
	r.ok("ModifyDBInstanceName", on(params{"InstanceName": "other"}))
	r.refused("InvalidParameterValue.AccountNotExistError", "ResetAccountPassword", on(params{"UserName": "root", "Password": "An0ther-One"}))
	r.refused("InvalidParameterValue.InvalidPasswordValueError", "ResetAccountPassword", on(params{"UserName": "mote", "Password": "weakweak"}))
	r.ok("ResetAccountPassword", on(params{"UserName": "mote", "Password": "An0ther-One"}))
	r.refused("MissingParameter", "ModifyDBInstanceSecurityGroups", params{"SecurityGroupIdSet": []string{}})
	r.ok("ModifyDBInstanceSecurityGroups", on(params{"SecurityGroupIdSet": []string{"sg-99999999"}}))

	if r.instance(id)["DBInstanceName"] != "other" || r.entry(id).PasswordSHA256 == before {
		t.Error("name or password did not change")
	}
	groups := r.ok("DescribeDBInstanceSecurityGroups", on(params{}))["SecurityGroupSet"].([]any)
	if len(groups) != 1 || groups[0].(params)["SecurityGroupId"] != "sg-99999999" {
		t.Errorf("security groups %v", groups)
	}
}
