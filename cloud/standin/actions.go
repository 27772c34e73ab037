package standin

// services are the names that a credential scope may carry, with the one version
// that each has.
var services = map[string]string{"postgres": "2017-03-12", "vpc": "2017-03-12", "tag": "2018-08-13"}

// action is one entry of the API.
type action struct {
	name      string // set on use
	service   string
	perSecond int // documented calls a second, by action and region
	mutates   bool
	run       func(t *turn, body []byte) (any, *apiError)
}

// read and change make an action of a function over decoded parameters.
func read[P any](service string, perSecond int, f func(*turn, P) (any, *apiError), required ...string) action {
	return action{service: service, perSecond: perSecond, run: func(t *turn, body []byte) (any, *apiError) {
		p, failed := decode[P](body, required)
		if failed != nil {
			return nil, failed
		}
		return f(t, p)
	}}
}

func change[P any](perSecond int, f func(*turn, P) (any, *apiError), required ...string) action {
	return changeOf("postgres", perSecond, f, required...)
}

func changeOf[P any](service string, perSecond int, f func(*turn, P) (any, *apiError), required ...string) action {
	a := read(service, perSecond, f, required...)
	a.mutates = true
	return a
}

// actions is the whole API. The rates are the documented ones, except for
// DescribeDBVersions, DescribeZones, InquiryPriceCreateDBInstances,
// DescribeOrders, DescribeDBInstanceSecurityGroups, ResetAccountPassword and
// ModifyDBInstanceSecurityGroups, where 100 is assumed.
var actions = map[string]action{
	"CreateInstances": change(100, createInstances, "SpecCode", "Storage", "InstanceCount", "Period",
		"Charset", "AdminName", "AdminPassword", "Zone"),

	"DescribeDBInstances":              read("postgres", 1000, describeInstances),
	"DescribeDBInstanceAttribute":      read("postgres", 1000, describeAttribute, "DBInstanceId"),
	"DescribeDBInstanceSecurityGroups": read("postgres", 100, describeSecurityGroups, "DBInstanceId"),
	"DescribeClasses":                  read("postgres", 1000, describeClasses, "Zone", "DBEngine", "DBMajorVersion"),
	"DescribeDBVersions":               read("postgres", 100, describeVersions),
	"DescribeZones":                    read("postgres", 100, describeZones),
	"InquiryPriceCreateDBInstances": read("postgres", 100, inquirePrice,
		"Zone", "SpecCode", "Storage", "InstanceCount", "Period"),
	"DescribeOrders": read("postgres", 100, describeOrders, "DealNames"),
	"DescribeTasks":  read("postgres", 20, describeTasks),

	"ModifyDBInstanceSpec":               change(100, modifySpec, "DBInstanceId", "Memory", "Storage"),
	"ModifySwitchTimePeriod":             change(100, modifySwitchTime, "DBInstanceId", "SwitchTag"),
	"UpgradeDBInstanceKernelVersion":     change(100, upgradeKernel, "DBInstanceId", "TargetDBKernelVersion"),
	"UpgradeDBInstanceMajorVersion":      change(20, upgradeMajor, "DBInstanceId", "TargetDBKernelVersion"),
	"ModifyDBInstanceName":               change(100, modifyName, "DBInstanceId", "InstanceName"),
	"ModifyDBInstanceDeletionProtection": change(20, modifyProtection, "DBInstanceId", "DeletionProtection"),
	"ResetAccountPassword":               change(100, resetPassword, "DBInstanceId", "UserName", "Password"),
	"ModifyDBInstanceSecurityGroups":     change(100, modifySecurityGroups, "SecurityGroupIdSet"),

	"IsolateDBInstances":    change(100, isolateInstances, "DBInstanceIdSet"),
	"DisIsolateDBInstances": change(100, disIsolateInstances, "DBInstanceIdSet"),
	"DestroyDBInstance":     change(50, destroyInstance, "DBInstanceId"),

	"DescribeSubnets": read("vpc", 100, describeSubnets),

	"ModifyResourceTags": changeOf("tag", 20, modifyResourceTags, "Resource"),
}
