package tencent

// versions are those of the services in use.
var versions = map[string]string{"postgres": "2017-03-12", "vpc": "2017-03-12", "tag": "2018-08-13"}

// action is one action of the API.
type action struct{ service, name string }

// The actions in use. What each takes and answers stands beside its caller;
// the fields are spelled as the API spells them.
var (
	describeSubnets = action{"vpc", "DescribeSubnets"}

	describeClasses          = action{"postgres", "DescribeClasses"}
	describeVersions         = action{"postgres", "DescribeDBVersions"}
	inquirePrice             = action{"postgres", "InquiryPriceCreateDBInstances"}
	describeInstances        = action{"postgres", "DescribeDBInstances"}
	describeInstance         = action{"postgres", "DescribeDBInstanceAttribute"}
	describeOrders           = action{"postgres", "DescribeOrders"}
	createInstances          = action{"postgres", "CreateInstances"}
	modifySpec               = action{"postgres", "ModifyDBInstanceSpec"}
	modifyDeletionProtection = action{"postgres", "ModifyDBInstanceDeletionProtection"}
	modifySwitchTime         = action{"postgres", "ModifySwitchTimePeriod"}
	upgradeKernel            = action{"postgres", "UpgradeDBInstanceKernelVersion"}
	upgradeMajor             = action{"postgres", "UpgradeDBInstanceMajorVersion"}
	describeTasks            = action{"postgres", "DescribeTasks"}
	modifyName               = action{"postgres", "ModifyDBInstanceName"}
	describeSecurityGroups   = action{"postgres", "DescribeDBInstanceSecurityGroups"}
	modifySecurityGroups     = action{"postgres", "ModifyDBInstanceSecurityGroups"}
	resetPassword            = action{"postgres", "ResetAccountPassword"}
	isolateInstances         = action{"postgres", "IsolateDBInstances"}
	destroyInstance          = action{"postgres", "DestroyDBInstance"}

	modifyTags = action{"tag", "ModifyResourceTags"}
)

// aboutInstance says whether the action is about instances that are there, so
// that "not found" means that one is gone.
func aboutInstance(name string) bool {
	switch name {
	case describeSubnets.name, describeClasses.name, describeVersions.name, inquirePrice.name, describeOrders.name, createInstances.name:
		return false
	}
	return true
}
