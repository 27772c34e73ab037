package standin

import (
	"fmt"
	"time"
)

type createParams struct {
	SpecCode                                       string
	Storage, InstanceCount, Period                 int
	Charset, AdminName, AdminPassword, Zone        string
	DBMajorVersion, DBVersion, DBKernelVersion     string
	DBEngine, DBEngineConfig                       string
	VpcId, SubnetId, InstanceChargeType, Name      string
	TagList                                        []tag
	SecurityGroupIds, VoucherIds                   []string
	DeletionProtection                             bool
	StorageType                                    string
	DBNodeSet                                      []dbNode
	AutoRenewFlag, AutoVoucher                     int
	ProjectId, ActivityId                          int
	NeedSupportTDE, NeedSupportIpv6                int
	KMSKeyId, KMSRegion, KMSClusterId, TimerSwitch string
}

type createResult struct {
	DealNames       []string
	BillId          string
	DBInstanceIdSet []string
}

// createInstances buys. It is not idempotent: the same call twice buys twice.
func createInstances(t *turn, p createParams) (any, *apiError) {
	if p.InstanceChargeType == "" {
		p.InstanceChargeType = prepaid
	}
	if p.DBEngine == "" {
		p.DBEngine = engine
	}
	version, failed := t.checkCreate(p)
	if failed != nil {
		return nil, failed
	}
	subnet := t.region.subnet(p.SubnetId)
	if !t.world.hasRoom(subnet, p.InstanceCount, t.now) {
		return nil, fail("ResourceInsufficient.ResourceNotEnough", "The subnet `%s` has not %d addresses left.", subnet.ID, p.InstanceCount)
	}
	serial := t.world.serial()
	deal := &order{Name: fmt.Sprintf("%s%09d", t.now.In(apiZone).Format("20060102"), serial), FlowID: serial,
		ChargeType: p.InstanceChargeType, Bought: t.now}
	for range p.InstanceCount {
		deal.Instances = append(deal.Instances, t.buy(p, version, subnet, deal.Name).ID)
	}
	t.world.Orders[deal.Name] = deal
	result := createResult{DealNames: []string{deal.Name}, BillId: fmt.Sprintf("%d", serial), DBInstanceIdSet: []string{}}
	if p.InstanceChargeType == postpaid {
		result.DBInstanceIdSet = deal.Instances
	}
	return result, nil
}

// buy puts one instance into the world.
func (t *turn) buy(p createParams, version *Version, subnet *Subnet, deal string) *instance {
	zone := t.region.zone(p.Zone)
	class := t.catalog.classBySpec(zone, version.Major, p.SpecCode)
	id := t.world.newInstanceID(t.rand)
	i := &instance{
		Seq: t.world.serial(), ID: id, Name: p.Name,
		Region: t.region.Name, Zone: p.Zone, Vpc: p.VpcId, Subnet: p.SubnetId,
		Size: size{p.SpecCode, class.CPU, class.MemoryMB, p.Storage}, StorageType: p.StorageType,
		Major: version.Major, Version: version.Version, Kernel: version.Kernel,
		Charset: p.Charset, Admin: p.AdminName, PasswordHash: hash([]byte(p.AdminPassword)),
		ChargeType: p.InstanceChargeType, Period: p.Period, AutoRenew: p.AutoRenewFlag, Project: p.ProjectId,
		Nodes: p.DBNodeSet, Tags: t.tagsAsKept(p.TagList), SecurityGroups: t.groupsAsKept(p.SecurityGroupIds),
		Protected: p.DeletionProtection, Address: t.world.takeAddress(subnet),
		RequestID: t.requestID, Deal: deal, Bought: t.now, Exists: t.now,
	}
	if i.Name == "" {
		i.Name = "unnamed"
	}
	if i.StorageType == "" {
		i.StorageType = storageTypes[0]
	}
	if len(i.Nodes) == 0 {
		i.Nodes = []dbNode{{"Primary", p.Zone}, {"Standby", p.Zone}}
	}
	if i.ChargeType == prepaid {
		i.Exists = t.now.Add(t.timing.Order)
	}
	t.world.Instances[id] = i
	t.world.all = append(t.world.all, i)
	i.Status = applying
	t.world.begin(i, t.now, t.creation(i)...)
	return i
}

// creation is the plan of a new instance.
func (t *turn) creation(i *instance) []step {
	from, d := i.Exists, t.timing.Create
	taskID := t.startTask("CreateInstance", i, from, d)
	last := step{At: from.Add(d), Status: running, Do: doOpen, Task: taskID, TaskStatus: taskSuccess}
	if t.failTask {
		last = step{At: from.Add(d), Task: taskID, TaskStatus: taskFail} // stays as it is, for ever
	}
	return []step{
		{At: from, Status: applying},
		{At: from.Add(d / 4), Status: initializing},
		{At: from.Add(d / 2), Status: initing},
		last,
	}
}

// apiZone is the zone of the API's times, which carry none.
var apiZone = time.FixedZone("UTC+8", 8*60*60)

// stamp writes a time as the API does.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "0000-00-00 00:00:00"
	}
	return t.In(apiZone).Format(time.DateTime)
}
