package standin_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"example.com/mote/cloud/standin"
)

// restart makes a second rig on the state that a first one leaves, as a
// process does that comes after one that was killed: nothing is closed.
func (r *rig) restart(change ...func(*standin.Config)) *rig {
	r.t.Helper()
	next := newRig(r.t, change...)
	next.clock.advance(r.clock.now().Sub(next.clock.now()))
	return next
}

func TestStateSurvivesARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	keep := func(c *standin.Config) { c.StateFile, c.Fsync = file, true }
	r := newRig(t, keep)
	id := r.create(nil)
	r.ok("CreateInstances", order(params{"InstanceChargeType": "PREPAID"}))
	r.clock.advance(4 * time.Second)

	r = r.restart(keep) // in the midst of the creation
	r.follow(id, seen{0, "initing"}, seen{4 * time.Second, "running"})
	r.ok("ModifyDBInstanceSpec", params{"DBInstanceId": id, "Memory": 8, "Cpu": 4, "Storage": 200})

	r = r.restart(keep)
	r.clock.advance(5 * time.Second)
	if i := r.instance(id); i["DBInstanceStorage"] != 200.0 || i["DBInstanceStatus"] != "running" {
		t.Errorf("after the resize: %v", i)
	}
	before := r.server.Ledger()
	again := r.restart(keep)
	if after := again.server.Ledger(); len(after) != 2 || !reflect.DeepEqual(before, after) {
		t.Errorf("ledger before %+v\nafter %+v", before, after)
	}
	deal := before[1].DealName
	if deals := again.ok("DescribeOrders", params{"DealNames": []string{deal}})["Deals"].([]any); len(deals) != 1 {
		t.Errorf("orders after a restart: %v", deals)
	}
	if tasks := again.ok("DescribeTasks", params{}); tasks["TotalCount"] != 3.0 {
		t.Errorf("tasks after a restart: %v", tasks)
	}
	// The generator begins anew with its seed, and still gives no id or address twice.
	other := again.running(nil)
	if other == id || other == before[1].ID || again.entry(other).Endpoint == again.entry(id).Endpoint {
		t.Errorf("an id or address was given twice: %s", other)
	}
	if left, err := filepath.Glob(file + "?*"); len(left) != 0 || err != nil {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestEveryChangeIsSavedBeforeItsAnswer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	keep := func(c *standin.Config) { c.StateFile = file }
	r := newRig(t, keep)
	r.faults(standin.Fault{Kind: standin.Cut, After: true})
	if _, err := r.do(r.request(t.Context(), "postgres", "CreateInstances", order(nil))); err == nil {
		t.Fatal("no cut")
	}
	r = r.restart(keep)
	if n := len(r.server.Ledger()); n != 1 {
		t.Fatalf("%d bought", n)
	}
	id := r.server.Ledger()[0].ID
	r.console(id, standin.Change{Name: ptr("by-hand")})
	if e := r.restart(keep).entry(id); e.Name != "by-hand" {
		t.Errorf("the console's change is lost: %+v", e)
	}
}

func TestStateThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "state.json")
	for _, text := range []string{"{", `{"Format":99}`, "[]"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := standin.New(standin.Config{StateFile: file}); err == nil {
			t.Errorf("%s was read", text)
		}
	}
	r := newRig(t, func(c *standin.Config) { c.StateFile = filepath.Join(dir, "missing", "state.json") })
	r.refused("InternalError", "CreateInstances", order(nil))
	if len(r.server.Ledger()) != 1 {
		t.Error("the effect was not kept in memory")
	}
}

func TestSenselessConfigs(t *testing.T) {
	for _, c := range []standin.Config{
		{Timing: standin.Timing{Create: -1}}, {Timing: standin.Timing{MaintenanceStart: 25 * time.Hour}}, {Latency: -1}, {ListLag: -1},
		{Keys: []standin.Key{{ID: "x"}}}, {Keys: []standin.Key{testKey, testKey}},
	} {
		if _, err := standin.New(c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}
