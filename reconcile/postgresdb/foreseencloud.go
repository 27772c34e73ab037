package postgresdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

// What a forecast calls what there is not yet.
const (
	foreseenID    = "postgres-new"
	foreseenHost  = "its-address"
	foreseenOrder = "order-new"
	foreseenTask  = -1
)

// foreseenCloud is the cloud as it is, and as it will be: what is read is real until
// it is changed here, where everything succeeds.
type foreseenCloud struct {
	cloud.Reader
	*rehearsal
	known  map[string]*cloud.Instance
	groups map[string][]string
	tasked bool // the task that was running has been waited for
	comes  bool // an order that has no instance yet has been waited for
}

// saw notes a failure to look; what the cloud refuses is an answer.
func (c *foreseenCloud) saw(err error) error {
	switch cloud.ClassOf(err) {
	case "", cloud.Gone, cloud.Refused, cloud.SoldOut:
	default:
		if c.failed == nil {
			c.failed = err
		}
	}
	return err
}

func (c *foreseenCloud) Subnet(ctx context.Context, region, id string) (cloud.Subnet, error) {
	s, err := c.Reader.Subnet(ctx, region, id)
	return s, c.saw(err)
}

func (c *foreseenCloud) Classes(ctx context.Context, region, zone, major string) ([]cloud.InstanceClass, error) {
	all, err := c.Reader.Classes(ctx, region, zone, major)
	return all, c.saw(err)
}

func (c *foreseenCloud) Versions(ctx context.Context, region string) ([]cloud.Version, error) {
	all, err := c.Reader.Versions(ctx, region)
	return all, c.saw(err)
}

// Find finds what is there, and what will be.
func (c *foreseenCloud) Find(ctx context.Context, region, name string) (found []cloud.Instance, err error) {
	if !c.see.New { // of an object that is not there yet, no instance is
		if found, err = c.Reader.Find(ctx, region, name); err != nil {
			return nil, c.saw(err)
		}
	}
	var all []cloud.Instance
	seen := map[string]bool{}
	for _, i := range found {
		if have := c.known[i.ID]; have != nil {
			i = *have
		}
		seen[i.ID] = true
		if i.State != cloud.StateGone {
			all = append(all, i)
		}
	}
	for id, i := range c.known {
		if !seen[id] && i.Name == name && i.State != cloud.StateGone {
			all = append(all, *i)
		}
	}
	return all, nil
}

func (c *foreseenCloud) Get(ctx context.Context, region, id string) (cloud.Instance, error) {
	if i := c.known[id]; i != nil {
		if i.State == cloud.StateGone {
			return *i, &cloud.Error{Class: cloud.Gone, Action: "DescribeDBInstanceAttribute", Region: region, Code: "foreseen", Message: "it is gone"}
		}
		return *i, nil
	}
	i, err := c.Reader.Get(ctx, region, id)
	if err == nil {
		c.known[id] = &i
	}
	return i, c.saw(err)
}

func (c *foreseenCloud) SecurityGroups(ctx context.Context, region, id string) ([]string, error) {
	if g, there := c.groups[id]; there {
		return g, nil
	}
	all, err := c.Reader.SecurityGroups(ctx, region, id)
	return all, c.saw(err)
}

func (c *foreseenCloud) Task(ctx context.Context, region, id string, task int64) (cloud.TaskStatus, error) {
	if task == foreseenTask {
		return cloud.TaskDone, nil
	}
	s, err := c.Reader.Task(ctx, region, id, task)
	if s == cloud.TaskRunning && c.tasked {
		s = cloud.TaskDone
	}
	return s, c.saw(err)
}

func (c *foreseenCloud) Orders(ctx context.Context, region string, names []string) ([]string, error) {
	if len(names) == 1 && names[0] == foreseenOrder {
		return []string{foreseenID}, nil
	}
	ids, err := c.Reader.Orders(ctx, region, names)
	if err == nil && len(ids) == 0 && c.comes {
		s := c.object.Spec
		i := cloud.Instance{ID: foreseenID, Name: InstanceName(string(c.object.UID)), Region: region, State: cloud.StateProvisioning, StorageGB: int(s.StorageGB),
			ChargeType: cloud.ChargeType(s.ChargeType), Version: s.EngineVersion, Tags: map[string]string{}}
		i.CPU, i.MemoryGB = sizeOf(s.InstanceClass)
		c.known[foreseenID] = &i
		return []string{foreseenID}, nil
	}
	return ids, c.saw(err)
}

// Create buys an instance that will be there.
func (c *foreseenCloud) Create(ctx context.Context, region string, r cloud.CreateRequest) (cloud.Created, error) {
	i := cloud.Instance{ID: foreseenID, Name: r.Name, Region: region, Zone: r.Zone, VPCID: r.VPCID, SubnetID: r.SubnetID,
		State: cloud.StateProvisioning, Status: "applying", StorageGB: r.StorageGB, Major: r.Major, Version: r.Major, ChargeType: r.ChargeType,
		DeletionProtection: r.DeletionProtection, Tags: r.Tags}
	i.CPU, i.MemoryGB = sizeOf(c.object.Spec.InstanceClass)
	if err := c.refuse(Buy); err != nil {
		return cloud.Created{}, err
	}
	all, err := c.Reader.Versions(ctx, region)
	if err != nil {
		return cloud.Created{}, c.saw(err)
	}
	for _, v := range all { // the newest minor of its major is what is sold
		if v.Major == r.Major && v.Available && (i.Kernel == "" || newer(v, cloud.Version{Minor: i.Version, Kernel: i.Kernel})) {
			i.Version, i.Kernel = v.Minor, v.Kernel
		}
	}
	c.known[i.ID], c.groups[i.ID] = &i, r.SecurityGroupIDs
	if r.ChargeType == cloud.Prepaid {
		return cloud.Created{Orders: []string{foreseenOrder}}, nil
	}
	return cloud.Created{ID: i.ID}, nil
}

// change is one to an instance that is known.
func (c *foreseenCloud) change(id string, f func(*cloud.Instance)) error {
	i := c.known[id]
	if i == nil {
		return fmt.Errorf("a change to instance %s, which was not read before; this is a bug in Mote", id)
	}
	changed := *i
	f(&changed)
	c.known[id] = &changed
	return nil
}

func (c *foreseenCloud) Resize(ctx context.Context, region, id string, s cloud.Size, _ cloud.Window) error {
	if err := c.refuse(Resize); err != nil {
		return err
	}
	if i := c.known[id]; i != nil {
		if err := c.unsold(ctx, region, *i, s); err != nil {
			return err
		}
	}
	return c.change(id, func(i *cloud.Instance) { i.CPU, i.MemoryGB, i.StorageGB = s.CPU, s.MemoryGB, s.StorageGB })
}

func (c *foreseenCloud) Upgrade(ctx context.Context, region, id, kernel string, _ bool, _ cloud.Window) (int64, error) {
	if err := c.refuse(Upgrade); err != nil {
		return 0, err
	}
	all, err := c.Reader.Versions(ctx, region)
	if err != nil {
		return 0, c.saw(err)
	}
	return foreseenTask, c.change(id, func(i *cloud.Instance) { upgraded(i, all, kernel) })
}

func upgraded(i *cloud.Instance, all []cloud.Version, kernel string) {
	for _, v := range all {
		if v.Kernel == kernel {
			i.Major, i.Version, i.Kernel = v.Major, v.Minor, v.Kernel
		}
	}
}

func (c *foreseenCloud) SwitchNow(_ context.Context, _, id string) error {
	return c.change(id, func(i *cloud.Instance) { i.State = cloud.StateBusy })
}

func (c *foreseenCloud) Rename(_ context.Context, _, id, name string) error {
	return c.change(id, func(i *cloud.Instance) { i.Name = name })
}

func (c *foreseenCloud) SetTags(_ context.Context, _, id string, set map[string]string, drop []string) error {
	return c.change(id, func(i *cloud.Instance) {
		tags := map[string]string{}
		maps.Copy(tags, i.Tags)
		maps.Copy(tags, set)
		for _, k := range drop {
			delete(tags, k)
		}
		i.Tags = tags
	})
}

func (c *foreseenCloud) SetSecurityGroups(_ context.Context, _, id string, groups []string) error {
	if err := c.refuse(SetGroups); err != nil {
		return err
	}
	c.groups[id] = groups
	return nil
}

func (c *foreseenCloud) SetDeletionProtection(_ context.Context, _, id string, on bool) error {
	return c.change(id, func(i *cloud.Instance) { i.DeletionProtection = on })
}

func (*foreseenCloud) ResetPassword(context.Context, string, string, string, string) error {
	return nil
}

func (c *foreseenCloud) Isolate(_ context.Context, _, id string) error {
	return c.change(id, func(i *cloud.Instance) { i.State = cloud.StateIsolating })
}

func (c *foreseenCloud) Destroy(_ context.Context, _, id string) error {
	return c.change(id, func(i *cloud.Instance) { i.State = cloud.StateGone })
}

// settle lets come what is under way; it tells whether anything was.
func (c *foreseenCloud) settle() (moved bool) {
	if st := c.object.Status; st.Create != nil && len(st.Create.Orders) > 0 && !c.comes {
		c.comes, moved = true, true
	}
	if st := c.object.Status; st.Change != nil && st.Change.TaskID > 0 && !c.tasked {
		c.tasked, moved = true, true
	}
	for _, i := range c.known {
		was := *i
		switch i.State {
		case cloud.StateBusy, cloud.StateWaiting:
			i.State = cloud.StateRunning
			c.changed(i)
		case cloud.StateProvisioning, cloud.StateRestoring:
			i.State = cloud.StateRunning
		case cloud.StateIsolating:
			i.State, i.Host, i.Port = cloud.StateIsolated, "", 0
		}
		if i.State == cloud.StateRunning && i.Endpoint() == "" {
			i.Host, i.Port = foreseenHost, 5432
		}
		moved = moved || was.State != i.State || was.Host != i.Host
	}
	return moved
}

// changed is what an instance becomes by the change that was asked for before.
func (c *foreseenCloud) changed(i *cloud.Instance) {
	ask := c.object.Status.Change
	if ask == nil || i.ID != c.object.Status.InstanceID {
		return
	}
	switch ask.Kind {
	case databasev1.ChangeResize:
		fmt.Sscanf(ask.Target, "%dC%dG with %d GB", &i.CPU, &i.MemoryGB, &i.StorageGB)
	case databasev1.ChangeUpgrade:
		version, kernel, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(ask.Target, "PostgreSQL "), ")"), " (")
		if ok {
			i.Version, i.Kernel = version, kernel
			i.Major, _, _ = strings.Cut(version, ".")
		}
	}
}

// believed is a cloud that nobody asks: what the spec wants is for sale, and what the
// status says is so.
type believed struct{ r *rehearsal }

func (b believed) Subnet(_ context.Context, _, id string) (cloud.Subnet, error) {
	s := b.r.object.Spec
	zone := s.Zone
	if zone == "" {
		zone = "the subnet's zone"
	}
	return cloud.Subnet{ID: id, Zone: zone, VPCID: s.VPCID}, nil
}

func (b believed) Classes(context.Context, string, string, string) ([]cloud.InstanceClass, error) {
	c := cloud.InstanceClass{SpecCode: b.r.object.Spec.InstanceClass}
	c.CPU, c.MemoryGB = sizeOf(c.SpecCode)
	return []cloud.InstanceClass{c}, nil
}

const wishedKernel = "newest"

func (b believed) Versions(context.Context, string) ([]cloud.Version, error) {
	wish := b.r.object.Spec.EngineVersion
	major, _, _ := strings.Cut(wish, ".")
	return []cloud.Version{{Kernel: "running", Targets: []string{wishedKernel}, Withdrawn: true},
		{Major: major, Minor: wish, Kernel: wishedKernel, Available: true}}, nil
}

func (believed) Orders(context.Context, string, []string) ([]string, error) { return nil, nil }

func (believed) Find(context.Context, string, string) ([]cloud.Instance, error) { return nil, nil }

func (believed) List(context.Context, string, []string) ([]cloud.Instance, error) {
	return nil, errors.New("there is no cloud to list")
}

func (believed) Task(context.Context, string, string, int64) (cloud.TaskStatus, error) {
	return cloud.TaskRunning, nil
}

func (b believed) SecurityGroups(context.Context, string, string) ([]string, error) {
	return b.r.object.Spec.SecurityGroupIDs, nil
}

// Get is the instance as the status has it. What the status does not tell (tags,
// protection, name) is taken to be as it should be.
func (b believed) Get(_ context.Context, region, id string) (cloud.Instance, error) {
	o := b.r.object
	i := cloud.Instance{ID: id, Name: InstanceName(string(o.UID)), Region: region, State: cloud.StateRunning, Status: "running", Kernel: "running",
		Version: o.Status.EngineVersion, StorageGB: int(o.Status.StorageGB), ChargeType: cloud.ChargeType(o.Spec.ChargeType),
		Tags: map[string]string{TagUID: string(o.UID), TagObject: objectTag(&o)}}
	i.Major, _, _ = strings.Cut(i.Version, ".")
	i.CPU, i.MemoryGB = sizeOf(o.Status.InstanceClass)
	for k, v := range o.Spec.Tags {
		i.Tags[k] = string(v)
	}
	if p := o.Spec.DeletionProtection; p != nil {
		i.DeletionProtection = *p
	}
	if host, port, ok := strings.Cut(o.Status.Endpoint, ":"); ok {
		i.Host, i.Port = host, atoi(port)
	}
	switch {
	case o.Status.InstanceClass == "" || o.Status.Phase == databasev1.PhaseProvisioning && i.Host == "": // nobody has seen it run
		i.CPU, i.MemoryGB = sizeOf(o.Spec.InstanceClass)
		i.StorageGB, i.Version, i.State = int(o.Spec.StorageGB), o.Spec.EngineVersion, cloud.StateProvisioning
	case o.Status.Change != nil && (o.Status.Change.Kind == databasev1.ChangeResize || o.Status.Change.Kind == databasev1.ChangeUpgrade):
		i.State, i.Status = cloud.StateBusy, "changing"
	}
	return i, nil
}
