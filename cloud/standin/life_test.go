package standin_test

import (
	"testing"
	"time"

	"example.com/mote/cloud/standin"
)

type (
	standinConfig = standin.Config
	standinChange = standin.Change
)

// seen is a status at a time after the call.
type seen struct {
	after time.Duration
	want  string
}

func (r *rig) follow(id string, steps ...seen) {
	r.t.Helper()
	start := r.clock.now()
	for _, s := range steps {
		r.clock.advance(start.Add(s.after).Sub(r.clock.now()))
		if got := r.status(id); got != s.want {
			r.t.Errorf("after %s: status %q, want %q", s.after, got, s.want)
		}
	}
}

const notFound = "ResourceNotFound.InstanceNotFoundError"

func TestLifeFromCreateToGone(t *testing.T) {
	r := newRig(t)
	id := r.create(nil)
	r.follow(id, seen{0, "applying"}, seen{2 * time.Second, "init"}, seen{4 * time.Second, "initing"},
		seen{8*time.Second - 1, "initing"}, seen{8 * time.Second, "running"})
	if e := r.entry(id); !e.Running.Equal(e.Bought.Add(8 * time.Second)) {
		t.Errorf("ran at %s, bought at %s", e.Running, e.Bought)
	}
	r.refused("OperationDenied.InstanceStatusLimitError", "DestroyDBInstance", params{"DBInstanceId": id})
	r.ok("IsolateDBInstances", params{"DBInstanceIdSet": []string{id}})
	if !r.entry(id).Billed {
		t.Error("billing ended before the isolation did")
	}
	r.refused("OperationDenied.InstanceStatusLimitError", "DestroyDBInstance", params{"DBInstanceId": id})
	r.follow(id, seen{0, "isolating"}, seen{2 * time.Second, "isolated"})
	if e := r.entry(id); e.Billed || e.Isolated.IsZero() || e.Endpoint != "" {
		t.Errorf("isolated: %+v", e)
	}
	r.ok("DestroyDBInstance", params{"DBInstanceId": id})
	r.follow(id, seen{0, "offlining"}, seen{2 * time.Second, "offline"}, seen{3 * time.Second, notFound})
	if e := r.entry(id); !e.Gone || e.Billed || e.Ended.IsZero() || e.Status != "offline" {
		t.Errorf("gone: %+v", e)
	}
	if ids, total := r.list(params{}); total != 0 {
		t.Errorf("still listed: %v", ids)
	}
}

func TestZeroTimesAreImmediate(t *testing.T) {
	r := newRig(t, func(c *standin.Config) { c.Timing = standin.Timing{RecyclePostpaid: time.Hour} })
	id := r.create(nil)
	if got := r.status(id); got != "running" {
		t.Errorf("status %q", got)
	}
	r.ok("ModifyDBInstanceSpec", params{"DBInstanceId": id, "Memory": 8, "Cpu": 4, "Storage": 100})
	if i := r.instance(id); i["DBInstanceCpu"] != 4.0 || i["DBInstanceStatus"] != "running" {
		t.Errorf("after a resize: %v", i)
	}
	r.ok("IsolateDBInstances", params{"DBInstanceIdSet": []string{id}})
	r.ok("DestroyDBInstance", params{"DBInstanceId": id})
	if got := r.status(id); got != notFound {
		t.Errorf("status %q", got)
	}
}

func TestEndpointOpensWhenRunning(t *testing.T) {
	r := newRig(t)
	id := r.create(nil)
	net := func() (private, public params) {
		infos := r.instance(id)["DBInstanceNetInfo"].([]any)
		return infos[0].(params), infos[1].(params)
	}
	private, _ := net()
	if private["Status"] != "initing" || private["Ip"] != "" || private["Port"] != 0.0 {
		t.Errorf("before it runs: %v", private)
	}
	r.clock.advance(8 * time.Second)
	private, public := net()
	if private["NetType"] != "private" || private["Status"] != "opened" || private["Ip"] != "10.6.0.2" || private["Port"] != 5432.0 ||
		private["VpcId"] != "vpc-mote0001" || private["SubnetId"] != "subnet-mote0001" {
		t.Errorf("running: %v", private)
	}
	if public["NetType"] != "public" || public["Status"] != "initing" || public["Ip"] != "" || public["Port"] != 0.0 {
		t.Errorf("public: %v", public)
	}
	if e := r.entry(id); e.Endpoint != "10.6.0.2:5432" {
		t.Errorf("ledger: %s", e.Endpoint)
	}
	r.ok("IsolateDBInstances", params{"DBInstanceIdSet": []string{id}})
	r.clock.advance(2 * time.Second)
	if private, _ = net(); private["Status"] != "closed" {
		t.Errorf("isolated: %v", private)
	}
}

func TestRecycleBin(t *testing.T) {
	r := newRig(t)
	post := r.running(nil)
	r.ok("CreateInstances", order(params{"InstanceChargeType": "PREPAID"}))
	pre := r.server.Ledger()[1].ID
	r.clock.advance(10 * time.Second)
	for _, id := range []string{post, pre} {
		r.ok("IsolateDBInstances", params{"DBInstanceIdSet": []string{id}})
	}
	day := 24 * time.Hour
	r.follow(post, seen{3 * day, "isolated"}, seen{3*day + 2*time.Second, "recycled"}, seen{3*day + 3*time.Second, notFound})
	if got := r.status(pre); got != "isolated" {
		t.Errorf("prepaid after three days: %s", got)
	}
	r.clock.advance(4 * day)
	if got := r.status(pre); got != notFound {
		t.Errorf("prepaid after a week: %s", got)
	}
}

func TestRestoreFromTheBin(t *testing.T) {
	r := newRig(t)
	id := r.running(nil)
	set := params{"DBInstanceIdSet": []string{id}}
	r.refused("OperationDenied.InstanceStatusLimitError", "DisIsolateDBInstances", set)
	r.ok("IsolateDBInstances", set)
	r.clock.advance(2 * time.Second)
	r.refused("OperationDenied.InstanceStatusLimitError", "IsolateDBInstances", set)
	r.ok("DisIsolateDBInstances", set)
	r.follow(id, seen{0, "disisolating"}, seen{2 * time.Second, "running"}, seen{30 * 24 * time.Hour, "running"})
	if e := r.entry(id); !e.Billed || !e.Isolated.IsZero() || e.Endpoint == "" {
		t.Errorf("restored: %+v", e)
	}
	r.refused("InvalidParameterValue.ParameterOutRangeError", "IsolateDBInstances", params{"DBInstanceIdSet": []string{id, "postgres-x"}})
}

func TestDeletionProtection(t *testing.T) {
	r := newRig(t)
	id := r.running(params{"DeletionProtection": true})
	protect := func(on bool) {
		r.ok("ModifyDBInstanceDeletionProtection", params{"DBInstanceId": id, "DeletionProtection": on})
	}
	r.refused("OperationDenied.InstanceStatusDeniedError", "IsolateDBInstances", params{"DBInstanceIdSet": []string{id}})
	protect(false)
	if r.instance(id)["DeletionProtection"] != false {
		t.Error("still protected")
	}
	protect(true)
	if _, err := r.server.Console(id, standin.Change{Do: standin.Isolate}); err != nil {
		t.Fatal(err)
	}
	r.clock.advance(2 * time.Second)
	r.refused("OperationDenied.InstanceStatusDeniedError", "DestroyDBInstance", params{"DBInstanceId": id})
	protect(false)
	r.ok("DestroyDBInstance", params{"DBInstanceId": id})
}

// No mutating call is taken while work is under way, nor for one that is not there.
func TestChangesWaitForTheStatus(t *testing.T) {
	r := newRig(t)
	id := r.create(nil)
	for action, p := range map[string]params{
		"ModifyDBInstanceSpec":               {"Memory": 8, "Storage": 200},
		"UpgradeDBInstanceKernelVersion":     {"TargetDBKernelVersion": "v14.13_r1.1"},
		"UpgradeDBInstanceMajorVersion":      {"TargetDBKernelVersion": "v15.6_r1.9"},
		"ModifyDBInstanceName":               {"InstanceName": "x"},
		"ModifyDBInstanceDeletionProtection": {"DeletionProtection": true},
		"ResetAccountPassword":               {"UserName": "mote", "Password": "An0ther-One"},
		"ModifyDBInstanceSecurityGroups":     {"SecurityGroupIdSet": []string{"sg-0123abcd"}},
		"ModifySwitchTimePeriod":             {"SwitchTag": 0},
		"DestroyDBInstance":                  {},
	} {
		p["DBInstanceId"] = id
		r.refused("OperationDenied.InstanceStatusLimitError", action, p)
		p["DBInstanceId"] = "postgres-nothere0"
		r.refused(notFound, action, p)
	}
	r.region = "ap-shanghai"
	r.refused(notFound, "DescribeDBInstanceAttribute", params{"DBInstanceId": id})
}
