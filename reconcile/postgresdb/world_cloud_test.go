package postgresdb

import (
	"context"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/reconcile"
)

// modelCloud is the cloud, and the cloud's watch, as one turn in a world meets
// them. It sells one size in two classes, and never runs out.
type modelCloud struct {
	cloud.Postgres // nil: what the shell has no business to call panics
	w              *world
	ch             *chooser
	begun          object // the object as the turn read it
	check          func(broken string)
	effects        int // calls that may have changed something
}

func failure(action string, class cloud.Class) error {
	return &cloud.Error{Class: class, Action: action, Region: exploredSettings.Region, Code: string(class), Message: "no"}
}

func (c *modelCloud) Subnet(_ context.Context, _, id string) (cloud.Subnet, error) {
	switch c.ch.choose("", "subnet not read", "credentials refused") {
	case 1:
		return cloud.Subnet{}, failure("DescribeSubnets", cloud.Ambiguous)
	case 2:
		return cloud.Subnet{}, failure("DescribeSubnets", cloud.Denied)
	}
	return cloud.Subnet{ID: id, VPCID: "vpc-1", Zone: "ap-guangzhou-6"}, nil
}

func (c *modelCloud) Versions(context.Context, string) ([]cloud.Version, error) {
	was, later := size{}, size{New: true}
	return []cloud.Version{{Major: "14", Minor: was.version(), Kernel: was.kernel(), Available: true, Targets: []string{later.kernel()}},
		{Major: "14", Minor: later.version(), Kernel: later.kernel()}}, nil
}

func (c *modelCloud) Classes(context.Context, string, string, string) ([]cloud.InstanceClass, error) {
	return []cloud.InstanceClass{{SpecCode: "small", CPU: 2, MemoryGB: 4}, {SpecCode: "fast", CPU: 4, MemoryGB: 8}}, nil
}

func (c *modelCloud) Find(context.Context, string, string) (found []cloud.Instance, err error) {
	if c.ch.choose("", "look-up without an answer") == 1 {
		return nil, failure("DescribeDBInstances", cloud.Ambiguous)
	}
	for n, i := range c.w.Cloud {
		if i.Listed && c.w.lists(i) && !i.Renamed {
			found = append(found, i.typed(uint8(n+1)))
		}
	}
	return found, nil
}

func (c *modelCloud) Get(_ context.Context, _, id string) (cloud.Instance, error) {
	if c.ch.choose("", "read without an answer") == 1 {
		return cloud.Instance{}, failure("DescribeDBInstanceAttribute", cloud.Ambiguous)
	}
	n := numberOf(id)
	if i := c.w.Cloud[n-1]; i.Known && i.State != gone {
		return i.typed(n), nil
	}
	return cloud.Instance{}, failure("DescribeDBInstanceAttribute", cloud.Gone)
}

func (c *modelCloud) Orders(_ context.Context, _ string, names []string) (ids []string, err error) {
	if c.ch.choose("", "orders not read") == 1 {
		return nil, failure("DescribeOrders", cloud.Ambiguous)
	}
	for n, i := range c.w.Cloud {
		for _, name := range names {
			if name == orderOf(uint8(n+1)) && i.State != 0 && i.Age >= 1 {
				ids = append(ids, idOf(uint8(n+1)))
			}
		}
	}
	return ids, nil
}

func (c *modelCloud) Create(_ context.Context, _ string, r cloud.CreateRequest) (created cloud.Created, err error) {
	c.ch.happens(c.w, "the purchase", lateWrite)
	o := c.w.Object
	switch {
	case !o.Exists || !o.Finalizer:
		c.check("a purchase for an object without a finalizer")
	case !o.Status.Intent.Open || o.Status.ID != 0:
		c.check("a purchase without an open intent")
	case c.begun.Deleting:
		c.check("a purchase for an object that is being deleted")
	case r.AdminPassword == "":
		c.check("a purchase without a password")
	case !c.w.Lost && r.AdminPassword != passwords[c.w.Secret.Password]:
		c.check("a purchase with another password than the Secret's")
	case r.Name != InstanceName(testUID) || r.Tags[TagUID] != testUID:
		c.check("a purchase that cannot be found again")
	}
	way := c.ch.choose("", "purchase refused", "purchase throttled", "purchase lost before its effect", "purchase lost after its effect",
		"crash before the purchase", "crash after the purchase")
	switch way {
	case 1:
		return created, failure("CreateInstances", cloud.Refused)
	case 2:
		return created, failure("CreateInstances", cloud.Throttled)
	case 3:
		return created, failure("CreateInstances", cloud.Ambiguous)
	case 5:
		panic(crash{})
	}
	n := uint8(0)
	for at, i := range c.w.Cloud {
		if i.State == 0 {
			n = uint8(at + 1)
			break
		}
	}
	if n == 0 {
		c.check("bought more often than anybody can explain")
		return created, failure("CreateInstances", cloud.Refused)
	}
	c.w.Cloud[n-1] = instance{State: provisioning, Size: size{true, r.StorageGB > 100, r.SpecCode == "fast", false},
		Protected: r.DeletionProtection, Password: passwordNumber(r.AdminPassword), Ordered: r.ChargeType == cloud.Prepaid}
	c.effects++
	if c.w.billed() > 1 && c.w.Cloudy.Lag <= grace {
		c.check("a second instance was bought")
	}
	switch {
	case way == 4:
		return created, failure("CreateInstances", cloud.Ambiguous)
	case way == 6:
		panic(crash{})
	case r.ChargeType == cloud.Prepaid:
		return cloud.Created{Orders: []string{orderOf(n)}}, nil
	}
	return cloud.Created{ID: idOf(n)}, nil
}

func (c *modelCloud) Resize(_ context.Context, _, id string, s cloud.Size, _ cloud.Window) error {
	if c.begun.Deleting {
		c.check("a resize while the object is being deleted")
	}
	return c.change("ModifyDBInstanceSpec", id, running, func(i *instance) {
		i.State, i.Becoming = busy, size{true, s.StorageGB > 100, s.CPU == 4, i.Size.New}
	})
}

func (c *modelCloud) Upgrade(_ context.Context, _, id, kernel string, major bool, _ cloud.Window) (int64, error) {
	if c.begun.Deleting || !c.begun.New || major || kernel != (size{New: true}).kernel() {
		c.check("an upgrade that nobody asked for")
	}
	nothing := c.ch.choose("", "the upgrade comes to nothing") == 1
	return 7, c.change("UpgradeDBInstanceKernelVersion", id, running, func(i *instance) {
		i.State, i.Becoming = busy, i.Size
		i.Becoming.New = i.Size.New || !nothing
	})
}

func (c *modelCloud) Task(_ context.Context, _, id string, _ int64) (cloud.TaskStatus, error) {
	if c.ch.choose("", "task not read") == 1 {
		return "", failure("DescribeTasks", cloud.Ambiguous)
	}
	switch i := c.w.Cloud[numberOf(id)-1]; {
	case i.State == busy:
		return cloud.TaskRunning, nil
	case i.Size.New:
		return cloud.TaskDone, nil
	}
	return cloud.TaskFailed, nil
}

func (c *modelCloud) Rename(_ context.Context, _, id, name string) error {
	if c.begun.Deleting || name != InstanceName(testUID) {
		c.check("an instance was given a name that it should not have")
	}
	return c.change("ModifyDBInstanceName", id, running, func(i *instance) { i.Renamed = false })
}

func (c *modelCloud) SetDeletionProtection(_ context.Context, _, id string, on bool) error {
	if want := c.begun.Protect; !on && want != protectNo || on && want != protectYes {
		c.check("protection was changed although the spec does not say so")
	}
	return c.change("ModifyDBInstanceDeletionProtection", id, running, func(i *instance) { i.Protected = on })
}

func (c *modelCloud) ResetPassword(_ context.Context, _, id, _, password string) error {
	return c.change("ResetAccountPassword", id, running, func(i *instance) { i.Password = passwordNumber(password) })
}

func (c *modelCloud) Isolate(_ context.Context, _, id string) error {
	if !c.begun.Deleting || c.begun.Policy == retainPolicy {
		c.check("an instance was isolated although the object does not say so")
	}
	c.alone("isolated")
	return c.change("IsolateDBInstances", id, running, func(i *instance) {
		if !i.Protected {
			i.State = isolating
		}
	})
}

func (c *modelCloud) Destroy(_ context.Context, _, id string) error {
	if !c.begun.Deleting || c.begun.Policy != deletePolicy {
		c.check("an instance was destroyed although the object does not say so")
	}
	c.alone("destroyed")
	return c.change("DestroyDBInstance", id, isolated, func(i *instance) { i.State = gone })
}

// alone: nothing is ended while several are in plain view.
func (c *modelCloud) alone(what string) {
	billed := 0
	for _, i := range c.w.Cloud {
		if i.Listed && i.billed() {
			billed++
		}
	}
	if billed > 1 {
		c.check("one of several instances was " + what)
	}
}

// change is one change to an instance that is in the right state for it.
func (c *modelCloud) change(action, id string, in word, effect func(*instance)) error {
	c.ch.happens(c.w, action, cloudEvents...)
	i := &c.w.Cloud[numberOf(id)-1]
	way := c.ch.choose("", action+" lost before its effect", action+" lost after its effect", "crash after "+action)
	switch {
	case way == 1:
		return failure(action, cloud.Ambiguous)
	case i.State == gone:
		return failure(action, cloud.Gone)
	case i.State != in:
		return failure(action, cloud.Busy)
	}
	effect(i)
	c.effects++
	switch way {
	case 2:
		return failure(action, cloud.Ambiguous)
	case 3:
		panic(crash{})
	}
	return nil
}

// The cloud's watch, of one instance.

func (c *modelCloud) Track(_, id string, _ reconcile.Key, seen uint64, urgent bool) {
	p := &c.w.Proc
	if n := numberOf(id); p.Follows != n {
		p.Follows, p.Held, p.Held0 = n, false, instance{}
	}
	if p.Held && !(urgent && p.Held0.typed(p.Follows).Fingerprint() == seen) {
		p.Held, p.Held0 = false, instance{}
	}
	p.Seen, p.Urgent = seen, urgent
}

func (c *modelCloud) Forget(_, id string) {
	if p := &c.w.Proc; p.Follows == numberOf(id) {
		p.Follows, p.Seen, p.Urgent, p.Held, p.Held0 = 0, 0, false, false, instance{}
	}
}

func (c *modelCloud) Left(reconcile.Key) {}

func (c *modelCloud) AtRest(reconcile.Key) bool {
	return c.w.Proc.Follows != 0 && !c.w.Proc.Urgent
}

func (c *modelCloud) Latest(_, id string) (cloud.Instance, bool, time.Time, bool) {
	if p := c.w.Proc; p.Held && p.Follows == numberOf(id) {
		return p.Held0.typed(p.Follows), true, present, true
	}
	return cloud.Instance{}, false, time.Time{}, false
}

// poll is the watch's look at the instance that it follows.
func (w *world) poll() {
	p := &w.Proc
	if p.Follows == 0 {
		return
	}
	i := w.Cloud[p.Follows-1]
	if !i.Listed || !w.lists(i) {
		if p.Seen != cloud.Absent { // told again and again until it is acted upon
			p.Turn, p.Held, p.Held0 = wakeNow, false, instance{}
		}
		return
	}
	switch now := i.typed(p.Follows).Fingerprint(); {
	case now != p.Seen:
		p.Seen, p.Held, p.Held0, p.Turn = now, true, i.visible(), wakeNow
	case p.Urgent || p.Held && p.Held0.typed(p.Follows).Fingerprint() == now:
		p.Held, p.Held0 = true, i.visible()
	default:
		p.Held, p.Held0 = false, instance{}
	}
}

// lists: the cloud's lists show instances such as i.
func (w *world) lists(i instance) bool {
	return i.State != 0 && i.State != gone && !(w.Cloudy.HideIsolated && (i.State == isolating || i.State == isolated))
}

func (w *world) billed() (n int) {
	for _, i := range w.Cloud {
		if i.billed() {
			n++
		}
	}
	return n
}
