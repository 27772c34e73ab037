package postgresdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"example.com/mote/cloud"
)

// testCloud sells instances that run at once. What it is asked goes into the
// journal; one of its calls can be made to fail.
type testCloud struct {
	j *journal

	mu        sync.Mutex
	instances map[string]cloud.Instance
	ledger    []string             // ids ever bought
	passwords []string             // of all purchases that were asked for
	answers   map[string]error     // by action, for one call, which has no effect
	lost      map[string]error     // the same, but the call has its effect
	prepaid   bool                 // purchases are answered with an order
	nameless  bool                 // purchases are answered with nothing
	wait      time.Duration        // CreateWait
	asked     *cloud.CreateRequest // the last purchase
	task      cloud.TaskStatus     // of all tasks
	groups    []string             // security groups
}

func newTestCloud(j *journal) *testCloud {
	return &testCloud{j: j, instances: map[string]cloud.Instance{}, answers: map[string]error{}, lost: map[string]error{}, task: cloud.TaskDone}
}

// call is one call: whether it has its effect, and the error to answer.
func (c *testCloud) call(action string) (effect bool, err error) {
	effect, cut := c.j.step("cloud "+action, "")
	c.mu.Lock()
	defer c.mu.Unlock()
	var e *cloud.Error
	switch {
	case errors.As(cut, &e):
		return effect, cut
	case cut != nil:
		return effect, &cloud.Error{Class: cloud.Ambiguous, Action: action, Region: "ap-guangzhou", Code: "mote.NoAnswer", Message: cut.Error()}
	case c.answers[action] != nil:
		err = c.answers[action]
		delete(c.answers, action)
		return false, err
	}
	err = c.lost[action]
	delete(c.lost, action)
	return true, err
}

func (c *testCloud) CreateWait(string) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wait
}

func (c *testCloud) Subnet(_ context.Context, _, id string) (cloud.Subnet, error) {
	_, err := c.call("Subnet")
	return cloud.Subnet{ID: id, VPCID: "vpc-1", Zone: "ap-guangzhou-6"}, err
}

func (c *testCloud) Versions(context.Context, string) ([]cloud.Version, error) {
	_, err := c.call("Versions")
	return []cloud.Version{{Major: "14", Minor: "14.10", Kernel: "v14.10_r1.1", Available: true, Targets: []string{"v14.13_r1.1"}},
		{Major: "14", Minor: "14.13", Kernel: "v14.13_r1.1"}, {Major: "15", Minor: "15.6", Kernel: "v15.6_r1.1", Available: true}}, err
}

func (c *testCloud) Upgrade(_ context.Context, _, id, kernel string, major bool, _ cloud.Window) (int64, error) {
	action := "Upgrade"
	if major {
		action = "UpgradeMajor"
	}
	return 7, c.change(action, id, func(i *cloud.Instance) {
		if c.task != cloud.TaskFailed {
			i.Kernel = kernel
			i.Version, _, _ = strings.Cut(kernel[1:], "_")
			i.Major, _, _ = strings.Cut(i.Version, ".")
		}
	})
}

func (c *testCloud) Task(context.Context, string, string, int64) (cloud.TaskStatus, error) {
	_, err := c.call("Task")
	return c.task, err
}

func (c *testCloud) SwitchNow(_ context.Context, _, id string) error {
	return c.change("SwitchNow", id, func(i *cloud.Instance) { i.State, i.Status = cloud.StateRunning, "running" })
}

func (c *testCloud) Rename(_ context.Context, _, id, name string) error {
	return c.change("Rename", id, func(i *cloud.Instance) { i.Name = name })
}

func (c *testCloud) SetTags(_ context.Context, _, id string, set map[string]string, drop []string) error {
	return c.change("SetTags", id, func(i *cloud.Instance) {
		i.Tags = maps.Clone(i.Tags)
		maps.Copy(i.Tags, set)
		for _, k := range drop {
			delete(i.Tags, k)
		}
	})
}

func (c *testCloud) SecurityGroups(context.Context, string, string) ([]string, error) {
	_, err := c.call("SecurityGroups")
	return c.groups, err
}

func (c *testCloud) SetSecurityGroups(_ context.Context, _, _ string, groups []string) error {
	_, err := c.call("SetSecurityGroups")
	c.groups = groups
	return err
}

func (c *testCloud) Classes(context.Context, string, string, string) ([]cloud.InstanceClass, error) {
	_, err := c.call("Classes")
	return []cloud.InstanceClass{{SpecCode: "pg.small", CPU: 2, MemoryGB: 4}, {SpecCode: "pg.fast", CPU: 4, MemoryGB: 8}}, err
}

func (c *testCloud) Create(_ context.Context, region string, r cloud.CreateRequest) (cloud.Created, error) {
	effect, err := c.call("Create")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passwords, c.asked = append(c.passwords, r.AdminPassword), &r
	if !effect {
		return cloud.Created{}, err
	}
	id := fmt.Sprintf("postgres-%d", len(c.ledger)+1)
	c.ledger = append(c.ledger, id)
	c.instances[id] = cloud.Instance{ID: id, Name: r.Name, Region: region, State: cloud.StateRunning, Status: "running", CPU: 2, MemoryGB: 4,
		StorageGB: r.StorageGB, Major: "14", Version: "14.10", Kernel: "v14.10_r1.1", Host: "10.0.0.1", Port: 5432, DeletionProtection: r.DeletionProtection, Tags: r.Tags}
	switch {
	case err != nil || c.nameless:
		return cloud.Created{}, err
	case c.prepaid:
		return cloud.Created{Orders: []string{"deal-" + id}}, nil
	}
	return cloud.Created{ID: id}, nil
}

func (c *testCloud) Orders(_ context.Context, _ string, names []string) (ids []string, err error) {
	_, err = c.call("Orders")
	for _, n := range names {
		ids = append(ids, n[len("deal-"):])
	}
	return ids, err
}

func (c *testCloud) Find(_ context.Context, _, name string) (found []cloud.Instance, err error) {
	_, err = c.call("Find")
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, i := range c.instances {
		if i.Name == name && !c.prepaid { // an order's instance is listed late
			found = append(found, i)
		}
	}
	return found, err
}

func (c *testCloud) Get(_ context.Context, region, id string) (cloud.Instance, error) {
	_, err := c.call("Get")
	c.mu.Lock()
	defer c.mu.Unlock()
	i, there := c.instances[id]
	if err == nil && !there {
		err = &cloud.Error{Class: cloud.Gone, Action: "Get", Region: region, Code: "InstanceNotExist"}
	}
	return i, err
}

func (c *testCloud) List(context.Context, string, []string) ([]cloud.Instance, error) {
	return nil, errors.New("the watch does not run in these tests")
}

func (c *testCloud) change(action, id string, do func(*cloud.Instance)) error {
	effect, err := c.call(action)
	c.mu.Lock()
	defer c.mu.Unlock()
	if i, there := c.instances[id]; effect && there {
		do(&i)
		c.instances[id] = i
	}
	return err
}

func (c *testCloud) Resize(_ context.Context, _, id string, s cloud.Size, _ cloud.Window) error {
	return c.change("Resize", id, func(i *cloud.Instance) { i.CPU, i.MemoryGB, i.StorageGB = s.CPU, s.MemoryGB, s.StorageGB })
}

func (c *testCloud) SetDeletionProtection(_ context.Context, _, id string, on bool) error {
	return c.change("Protect", id, func(i *cloud.Instance) { i.DeletionProtection = on })
}

func (c *testCloud) ResetPassword(_ context.Context, _, id, _, password string) error {
	c.mu.Lock()
	c.passwords = append(c.passwords, password)
	c.mu.Unlock()
	return c.change("ResetPassword", id, func(*cloud.Instance) {})
}

func (c *testCloud) Isolate(_ context.Context, _, id string) error {
	return c.change("Isolate", id, func(i *cloud.Instance) { i.State, i.Status = cloud.StateIsolated, "isolated" })
}

func (c *testCloud) Destroy(_ context.Context, _, id string) error {
	effect, err := c.call("Destroy")
	c.mu.Lock()
	defer c.mu.Unlock()
	if effect {
		delete(c.instances, id)
	}
	return err
}
