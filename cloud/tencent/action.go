package tencent

// version is the one version of both services.
const version = "2017-03-12"

// action is one action of the API.
type action struct{ service, name string }

// The actions in use. What each takes and answers stands beside its caller;
// the fields are spelled as the API spells them.
var (
	describeSubnets = action{"vpc", "DescribeSubnets"}

	describeClasses          = action{"postgres", "DescribeClasses"}
	describeVersions         = action{"postgres", "DescribeDBVersions"}
	describeInstances        = action{"postgres", "DescribeDBInstances"}
	describeInstance         = action{"postgres", "DescribeDBInstanceAttribute"}
	describeOrders           = action{"postgres", "DescribeOrders"}
	createInstances          = action{"postgres", "CreateInstances"}
	modifySpec               = action{"postgres", "ModifyDBInstanceSpec"}
	modifyDeletionProtection = action{"postgres", "ModifyDBInstanceDeletionProtection"}
	resetPassword            = action{"postgres", "ResetAccountPassword"}
	isolateInstances         = action{"postgres", "IsolateDBInstances"}
	destroyInstance          = action{"postgres", "DestroyDBInstance"}
)

// aboutInstance says whether the action is about instances that are there, so
// that "not found" means that one is gone.
func aboutInstance(name string) bool {
	switch name {
	case describeSubnets.name, describeClasses.name, describeVersions.name, describeOrders.name, createInstances.name:
		return false
	}
	return true
}
