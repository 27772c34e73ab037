package cloud

import (
	"context"
	"time"
)

// Postgres is a cloud that sells PostgreSQL instances. Every method is one API
// call (Find: one for each page), bounded by ctx, never retried inside, and
// returns a *Error when it fails, so that the caller alone decides what a
// failure means. Implementations are safe for use by many goroutines.
type Postgres interface {
	// Subnet tells where a subnet lies.
	Subnet(ctx context.Context, region, subnetID string) (Subnet, error)
	// Classes lists what is for sale in a zone for a major version ("14").
	Classes(ctx context.Context, region, zone, major string) ([]InstanceClass, error)
	// Versions lists the engine versions the region knows.
	Versions(ctx context.Context, region string) ([]Version, error)

	// Create buys one instance. It is NOT idempotent: an error of class
	// Ambiguous may have bought one. A nil error carries an ID, or order names
	// (prepaid), never neither.
	Create(ctx context.Context, region string, r CreateRequest) (Created, error)
	// Orders returns the ids that orders have produced so far; none at first.
	Orders(ctx context.Context, region string, names []string) ([]string, error)

	// Find returns all instances with exactly this name, over all pages.
	// Isolated ones are included when the cloud lists them.
	Find(ctx context.Context, region, name string) ([]Instance, error)
	// Get reads one instance live; class Gone when the cloud does not know it.
	Get(ctx context.Context, region, id string) (Instance, error)
	// List reads up to MaxPage instances by id in one call; ids that the cloud
	// does not know are left out without an error.
	List(ctx context.Context, region string, ids []string) ([]Instance, error)

	// Resize asks for a new size; it completes later (State Busy meanwhile, and
	// Waiting until the window w when that is not the zero Window).
	Resize(ctx context.Context, region, id string, s Size, w Window) error
	// Upgrade asks for a kernel of the same major version or, when major is set, of
	// a later one; like Resize it completes later. The task tells how it ended.
	Upgrade(ctx context.Context, region, id, kernel string, major bool, w Window) (task int64, err error)
	// Task tells how a task that an action has begun stands.
	Task(ctx context.Context, region, id string, task int64) (TaskStatus, error)
	// SwitchNow ends the wait of a change for its window (State Waiting).
	SwitchNow(ctx context.Context, region, id string) error
	// Rename gives an instance another name.
	Rename(ctx context.Context, region, id, name string) error
	// SetTags puts tags on an instance, replacing the values of those that are
	// there, and takes those with the keys in drop away; all others stay. At least
	// one of set and drop is not empty, and they have no key in common.
	SetTags(ctx context.Context, region, id string, set map[string]string, drop []string) error
	// SecurityGroups are the ids of an instance's security groups, in no order.
	SecurityGroups(ctx context.Context, region, id string) ([]string, error)
	// SetSecurityGroups replaces all of an instance's security groups.
	SetSecurityGroups(ctx context.Context, region, id string, groups []string) error
	// SetDeletionProtection turns the cloud's own protection on or off.
	SetDeletionProtection(ctx context.Context, region, id string, on bool) error
	// ResetPassword gives an account a new password. Repeating it is harmless;
	// when it takes effect cannot be seen.
	ResetPassword(ctx context.Context, region, id, user, password string) error
	// Isolate stops an instance and its billing; the data waits in the recycle bin.
	Isolate(ctx context.Context, region, id string) error
	// Destroy ends an isolated instance and its data for good.
	Destroy(ctx context.Context, region, id string) error
}

// Pacer is a Postgres that can tell beforehand whether its own rate would turn a
// purchase away, so that nobody prepares one in vain.
type Pacer interface {
	// CreateWait is how long Create in the region would be turned away for; zero
	// promises nothing. No call is made or counted.
	CreateWait(region string) time.Duration
}

// MaxPage is the largest page that a list call takes (DescribeDBInstances, Limit).
const MaxPage = 100

// Subnet is where an instance's address comes from.
type Subnet struct {
	ID, VPCID, Zone string
}

// InstanceClass is a size that is for sale.
type InstanceClass struct {
	SpecCode             string // the cloud's name for it, e.g. "pg.it.medium4"
	CPU, MemoryGB        int
	MinStorage, MaxStore int // GB
}

// Version is an engine version known to a region.
type Version struct {
	Major, Minor string   // "14" and "14.1": the community version
	Kernel       string   // the cloud's own build, e.g. "v14.1_r1.8"
	Available    bool     // may be bought (a deprecated or upgrade-only one may not)
	Withdrawn    bool     // neither bought nor upgraded to
	Targets      []string // the kernels that this one can be upgraded to
}

// Window is a daily time in which a change may interrupt the instance; the zero
// Window is at once.
type Window struct {
	From, To string // "02:00", in the cloud's time zone; To may be earlier, over midnight
}

// TaskStatus is how a task stands, in our own words.
type TaskStatus string

// The states of a task. What the cloud does not say clearly is TaskRunning.
const (
	TaskRunning TaskStatus = "Running"
	TaskDone    TaskStatus = "Done"
	TaskFailed  TaskStatus = "Failed"
)

// Size is what Resize can change.
type Size struct {
	CPU, MemoryGB, StorageGB int
}

// ChargeType is how an instance is paid for.
type ChargeType string

// The charge types, in the words of our own API.
const (
	PostpaidByHour ChargeType = "PostpaidByHour"
	Prepaid        ChargeType = "Prepaid"
)

// CreateRequest is everything that buying one instance takes.
type CreateRequest struct {
	Name               string // unique to the object; looked up afterwards
	SpecCode           string
	StorageGB          int
	Major              string // "14"
	Zone               string
	VPCID, SubnetID    string
	ChargeType         ChargeType // never left out: the cloud's own default buys a month
	AdminUser          string
	AdminPassword      string // never logged, never in an error
	DeletionProtection bool
	SecurityGroupIDs   []string
	Tags               map[string]string // carries the object's UID as proof of ownership
}

// Created is what a successful purchase answers.
type Created struct {
	ID     string   // empty for prepaid orders until Orders knows it
	Orders []string // order (deal) names
}
