package postgresdb

import (
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// world is a whole state of the exploration: the object and its Secret in the
// cluster, the instances in the cloud, what the process remembers, and which of
// the things that happen once have happened. It is comparable, so that a state
// that was reached before is recognised, and it says everything that decides the
// future: times are ages, and the present never moves.
type world struct {
	Object object
	Secret secret
	Cloud  [slots]instance
	Proc   process
	Late   late
	Spent  events // what may happen once, and has
	Lost   bool   // a Secret was deleted: passwords may differ from what was bought
	Cloudy cloudHabits
}

// cloudHabits are what the cloud documents nowhere; they never change in a life.
type cloudHabits struct {
	Lag          uint8 // ticks until lists, and reads by id, show an instance at the latest
	HideIsolated bool  // lists do not show what is in the recycle bin
}

// slots is how many instances are followed; buying one more is a violation.
const slots = 3

// A tick is the step of time.
const tick = time.Minute

// Thresholds of the exploration, in ticks. The assumption that makes the protocol
// sound is that no lag is longer than the grace period, or than ListLag. Ages stop
// growing at old, beyond every threshold.
const (
	goodLag = 2
	grace   = 3
	badLag  = grace + 1
	old     = grace + 1
)

var exploredSettings = Settings{
	Region: "ap-guangzhou", Grace: grace * tick, CleanLookups: grace,
	Watchful: tick, SlowRetry: tick, RefusedRetry: 2 * tick, ListLag: grace * tick,
}

// present is the time at which everything happens.
var present = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	testUID       = "u-1"
	testNamespace = "shop"
	testName      = "orders"
)

var testKey = reconcile.Key{Namespace: testNamespace, Name: testName}

// object is the PostgresDB. Gen and Observed are 2 and at most 2 between turns.
type object struct {
	Exists, Deleting, Finalizer bool
	DeletingAge                 uint8
	Gen, Observed               uint8
	Large, Fast, New            bool // the spec asks for more storage, a larger class, a later version
	Policy                      policy
	Protect                     protect
	Prepaid                     bool
	Status                      status
	Version                     uint8 // resourceVersion, within a turn
}

type policy uint8

const (
	isolatePolicy policy = iota
	deletePolicy
	retainPolicy
)

var policies = [...]string{databasev1.DeletionIsolate, databasev1.DeletionDelete, databasev1.DeletionRetain}

type protect uint8

const (
	protectUnsaid protect = iota
	protectYes
	protectNo
)

// status is a PostgresDBStatus without observedGeneration.
type status struct {
	Phase      word
	ID         uint8 // an instance by its number; 0 is none
	Endpoint   uint8 // the instance whose address it is
	Region     bool
	Seen       size
	Print      word // the fingerprint
	Settled    word // the digest of the spec that was settled
	Change     word // kind, target and task of the change that was asked for
	Intent     intent
	Said       saying
	Written    bool // ever; then ChangedAge is since when it is as it is
	ChangedAge uint8
}

// said is what the conditions say.
type said struct {
	Ready                     bool
	Reason, Message, Degraded string
	Sync, Differs             string // reason and message of Synced
}

type intent struct {
	Open       bool
	StartedAge uint8
	Ambiguous  bool
	Since      uint8 // age
	Clean      uint8
	Order      uint8 // the instance that the order will bring
}

// size is of an instance, with its version; Some is false where nothing was observed.
type size struct{ Some, Large, Fast, New bool }

type secret struct {
	Exists     bool
	Password   uint8 // by number; 0 is none
	Pending    bool
	Set        uint8 // the password that was noted as the cloud's; 0: none was
	User       bool
	Host       uint8 // the instance that it leads to
	URI        uint8 // the password in the uri
	Generation uint8 // resourceVersion, within a turn
}

// instance is one in the cloud. Its number is its place in the array plus one.
type instance struct {
	State     word // a cloud.State; 0 is a free place
	Age       uint8
	Listed    bool // lists show it
	Known     bool // reads by id show it
	Size      size
	Becoming  size // while Busy
	Protected bool
	Renamed   bool
	Password  uint8
	Ordered   bool // prepaid
}

// process is what the running process remembers, and when it takes its next turn.
type process struct {
	Turn    wake
	Follows uint8 // the instance that the cloud's watch follows
	Seen    uint64
	Urgent  bool
	Held    bool // the watch holds a snapshot
	Held0   instance
	Outcome outcomeKind
	Bought  uint8
	Started uint8 // age of the intent that Outcome is of
}

type wake uint8

const (
	wakeNever wake = iota
	wakeNow
	wakeIn // + n ticks
)

type outcomeKind uint8

const (
	outcomeUnknownKind outcomeKind = iota
	outcomeNothing
	outcomeID
	outcomeOrder
)

// events are what happens once at most.
type events struct {
	Deleted, Large, Fast, New, Policy, Protect, Isolated, Destroyed, Restored, Renamed, SecretGone, Password bool
}

func older(age uint8) uint8 { return min(age+1, old) }

// visible is the instance as far as a list shows it.
func (i instance) visible() instance {
	return instance{State: i.State, Size: i.Size, Protected: i.Protected, Renamed: i.Renamed}
}

func ago(age uint8) metav1.Time { return metav1.NewTime(present.Add(-time.Duration(age) * tick)) }

func ageOf(t time.Time) uint8 { return uint8(min(max(present.Sub(t)/tick, 0), old)) }

func idOf(n uint8) string {
	if n == 0 {
		return ""
	}
	return "postgres-" + strconv.Itoa(int(n))
}

func numberOf(id string) uint8 {
	if id == "" {
		return 0
	}
	n, err := strconv.Atoi(id[len("postgres-"):])
	if err != nil || n < 1 || n > slots {
		panic("an instance that the cloud never had: " + id)
	}
	return uint8(n)
}

func hostOf(n uint8) string { return "10.0.0." + strconv.Itoa(int(n)) }

func endpointOf(n uint8) string {
	if n == 0 {
		return ""
	}
	return hostOf(n) + ":5432"
}

func (s size) class() string {
	if s.Fast {
		return "4C8G"
	}
	return "2C4G"
}

func (s size) storage() int {
	if s.Large {
		return 120
	}
	return 100
}

func (s size) version() string {
	if s.New {
		return "14.13"
	}
	return "14.10"
}

func (s size) kernel() string { return "v" + s.version() + "_r1.1" }

// billed: it costs money.
func (i instance) billed() bool {
	return i.State == provisioning || i.State == running || i.State == busy
}
