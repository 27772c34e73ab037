package standin

import "strings"

// postgresPort is where every instance listens.
const postgresPort = 5432

// wireInstance is an instance as the API describes it.
type wireInstance struct {
	Region, Zone, VpcId, SubnetId                      string
	AppId, ProjectId, Uid                              int
	DBInstanceId, DBInstanceName, DBInstanceStatus     string
	DBInstanceMemory, DBInstanceStorage, DBInstanceCpu int // GB, GB, cores
	DBInstanceClass                                    string
	DBInstanceType, DBInstanceVersion                  string
	DBEngine, DBMajorVersion, DBVersion                string
	DBKernelVersion, DBCharset                         string
	CreateTime, UpdateTime, ExpireTime                 string
	IsolatedTime, OfflineTime                          string
	PayType                                            string
	AutoRenew                                          int
	DBInstanceNetInfo                                  []wireNet
	TagList                                            []tag
	DeletionProtection                                 bool
	DBInstanceStorageType                              string
	DBNodeSet                                          []dbNode
	MasterDBInstanceId, StatusInReadonlyGroup          string
	ReadOnlyInstanceNum, SupportIpv6, IsSupportTDE     int
	NetworkAccessList                                  []empty
}

type wireNet struct {
	Address, Ip                      string
	Port                             int
	NetType, Status, VpcId, SubnetId string
	ProtocolType                     string
}

func (t *turn) wire(i *instance) wireInstance {
	private := wireNet{NetType: "private", Status: "initing", VpcId: i.Vpc, SubnetId: i.Subnet, ProtocolType: "postgresql"}
	switch {
	case i.Open:
		private.Status, private.Ip, private.Port = "opened", i.Address.String(), postgresPort
	case !i.Ran.IsZero():
		private.Status, private.Ip, private.Port = "closed", i.Address.String(), postgresPort
	}
	public := wireNet{NetType: "public", Status: "initing", ProtocolType: "postgresql"}
	return wireInstance{
		Region: i.Region, Zone: i.Zone, VpcId: i.Vpc, SubnetId: i.Subnet,
		AppId: 1250000000, ProjectId: i.Project, Uid: int(i.Seq),
		DBInstanceId: i.ID, DBInstanceName: i.Name, DBInstanceStatus: i.Status,
		DBInstanceMemory: i.Size.MemoryMB / 1024, DBInstanceStorage: i.Size.StorageGB, DBInstanceCpu: i.Size.CPU,
		DBInstanceClass: i.Size.Spec, DBInstanceType: "primary", DBInstanceVersion: "standard",
		DBEngine: engine, DBMajorVersion: i.Major, DBVersion: i.Version, DBKernelVersion: i.Kernel, DBCharset: i.Charset,
		CreateTime: stamp(i.Exists), UpdateTime: stamp(i.Updated), ExpireTime: stamp(i.expires()),
		IsolatedTime: stamp(i.Isolated), OfflineTime: stamp(i.Ended),
		PayType: payType(i), AutoRenew: i.AutoRenew,
		DBInstanceNetInfo: []wireNet{private, public}, TagList: t.tags(i), DeletionProtection: i.Protected,
		DBInstanceStorageType: i.StorageType, DBNodeSet: i.Nodes,
		StatusInReadonlyGroup: running, NetworkAccessList: []empty{},
	}
}

// payType is the charge type in the words of the reads.
func payType(i *instance) string {
	kind, _, _ := strings.Cut(i.ChargeType, "_")
	return strings.ToLower(kind)
}
