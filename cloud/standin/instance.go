package standin

import (
	"net/netip"
	"slices"
	"time"
)

// The documented values of DBInstanceStatus that instances here go through.
const (
	applying     = "applying"
	initializing = "init"
	initing      = "initing"
	running      = "running"
	expanding    = "expanding"
	jobRunning   = "job running"
	waitSwitch   = "waitSwitch"
	switching    = "switching"
	upgrading    = "upgrading"
	isolating    = "isolating"
	isolated     = "isolated"
	disisolating = "disisolating"
	recycled     = "recycled"
	offlining    = "offlining"
	offline      = "offline"
)

// statuses are all documented values; the console can set any of them.
var statuses = []string{applying, initializing, initing, running, "limited run", "readonly", expanding,
	jobRunning, waitSwitch, switching, "restarting", "network changing", upgrading, "audit-switching",
	"primary-switching", "deployment changing", "parameter modifying", "log-switching", "migrating",
	"cloning", "restoring", isolating, isolated, disisolating, "recycling", recycled, offlining, offline}

const (
	prepaid  = "PREPAID"
	postpaid = "POSTPAID_BY_HOUR"
)

type tag struct{ TagKey, TagValue string }

type dbNode struct{ Role, Zone string }

// size is what a resize changes.
type size struct {
	Spec                     string
	CPU, MemoryMB, StorageGB int
}

// instance is one instance from its purchase on; it is never forgotten.
type instance struct {
	Seq                int64 // order of purchase
	ID, Name           string
	Region, Zone       string
	Vpc, Subnet        string
	Size               size
	StorageType        string
	Major              string
	Version, Kernel    string
	Charset, Admin     string
	PasswordHash       string // SHA-256 in hex of the admin's present password
	ChargeType         string
	Period             int // months
	AutoRenew, Project int
	Nodes              []dbNode
	Tags               []tag
	SecurityGroups     []string
	Protected          bool
	Address            netip.Addr

	RequestID, Deal string // of the purchase

	// Bought is when the call was answered; Exists when the instance can be
	// seen at all, which for a prepaid one is when its order is delivered.
	Bought, Exists, Updated time.Time
	// Ran is when it first ran; zero until then. Isolated is when it was last
	// isolated; zero while it is not. Ended is when its data went.
	Ran, Isolated, Ended time.Time

	Status string
	Open   bool // its private address answers
	Gone   bool // the API does not know it any more
	Plan   []step
}

// step is what happens to an instance at a time. A change of its plan drops
// the steps that have not come.
type step struct {
	At     time.Time
	Status string // new status; "" keeps the old one
	Do     deed
	Size   size     // of resize
	To     *Version // of upgrade

	Task       int64  // 0: none
	TaskStatus string // what the task becomes
}

type deed string

const (
	doOpen    deed = "open"    // the address answers, and the instance is not isolated
	doResize  deed = "resize"  // Size comes into force
	doUpgrade deed = "upgrade" // To comes into force
	doIsolate deed = "isolate" // the address closes, billing ends
	doEnd     deed = "end"     // the data is gone
	doForget  deed = "forget"  // the API does not know it any more
)

// settle catches up with an instance's plan.
func (w *world) settle(i *instance, now time.Time) {
	for len(i.Plan) > 0 && !i.Plan[0].At.After(now) {
		st := i.Plan[0]
		i.Plan = i.Plan[1:]
		i.Updated = st.At
		if st.Status != "" {
			i.Status = st.Status
		}
		switch st.Do {
		case doOpen:
			i.Open, i.Isolated = true, time.Time{}
			if i.Ran.IsZero() {
				i.Ran = st.At
			}
		case doResize:
			i.Size = st.Size
		case doUpgrade:
			i.Major, i.Version, i.Kernel = st.To.Major, st.To.Version, st.To.Kernel
		case doIsolate:
			i.Open, i.Isolated = false, st.At
		case doEnd:
			i.Open, i.Ended = false, st.At
		case doForget:
			i.Gone = true
		}
		if t := w.Tasks[st.Task]; t != nil {
			t.Status = st.TaskStatus
			if t.over() {
				t.End = st.At
			}
		}
	}
}

// begin gives an instance a new plan. Work that this drops has failed.
func (w *world) begin(i *instance, now time.Time, plan ...step) {
	for _, st := range i.Plan {
		if t := w.Tasks[st.Task]; t != nil && !t.over() {
			t.Status, t.End = taskFail, now
		}
	}
	i.Plan = plan
	w.settle(i, now)
}

// billed tells whether the instance costs money.
func (i *instance) billed() bool {
	return i.Ended.IsZero() && !slices.Contains([]string{isolated, "recycling", recycled, offlining, offline}, i.Status)
}

// resting tells whether an instance that runs can be changed: no work is under way.
func (i *instance) resting() bool {
	return slices.Contains([]string{running, "limited run", "readonly"}, i.Status)
}

// isolation is the plan of an isolation that begins at now.
func (t Timing) isolation(i *instance, now time.Time) []step {
	bin := t.RecyclePostpaid
	if i.ChargeType == prepaid {
		bin = t.RecyclePrepaid
	}
	at := now.Add(t.Isolate)
	return []step{
		{At: now, Status: isolating},
		{At: at, Status: isolated, Do: doIsolate},
		{At: at.Add(bin), Status: recycled, Do: doEnd},
		{At: at.Add(bin + t.Linger), Do: doForget},
	}
}

// restoration is the plan of an instance that comes back from isolation.
func (t Timing) restoration(now time.Time) []step {
	return []step{
		{At: now, Status: disisolating},
		{At: now.Add(t.Isolate), Status: running, Do: doOpen},
	}
}

// destruction is the plan of an instance that is destroyed from now on.
func (t Timing) destruction(now time.Time, taskID int64) []step {
	at := now.Add(t.Destroy)
	return []step{
		{At: now, Status: offlining},
		{At: at, Status: offline, Do: doEnd, Task: taskID, TaskStatus: taskSuccess},
		{At: at.Add(t.Linger), Do: doForget},
	}
}
