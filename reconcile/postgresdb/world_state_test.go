package postgresdb

import (
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/cloud"
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
	Large, Fast                 bool // the spec asks for more storage, a larger class
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
	Intent     intent
	Said       saying
	Written    bool // ever; then ChangedAge is since when it is as it is
	ChangedAge uint8
}

// said is what the conditions say.
type said struct {
	Ready                     bool
	Reason, Message, Degraded string
}

type intent struct {
	Open       bool
	StartedAge uint8
	Ambiguous  bool
	Since      uint8 // age
	Clean      uint8
	Order      uint8 // the instance that the order will bring
}

// size is of an instance; Some is false where nothing was observed.
type size struct{ Some, Large, Fast bool }

type secret struct {
	Exists     bool
	Password   uint8 // by number; 0 is none
	Pending    bool
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
	Deleted, Large, Fast, Policy, Protect, Isolated, Destroyed, SecretGone bool
}

// word is a string, and saying what conditions say, by its number in a table: so
// a world is small, flat and quickly compared.
type (
	word   uint16
	saying uint16
)

type table[T comparable] struct {
	numbers map[T]uint16
	all     []T
}

func newTable[T comparable]() *table[T] {
	var zero T
	return &table[T]{numbers: map[T]uint16{zero: 0}, all: []T{zero}}
}

func (t *table[T]) number(v T) uint16 {
	n, ok := t.numbers[v]
	if !ok {
		n = uint16(len(t.all))
		t.numbers[v], t.all = n, append(t.all, v)
	}
	return n
}

var (
	words   = newTable[string]()
	sayings = newTable[said]()
)

func (w word) String() string      { return words.all[w] }
func wordOf(s string) word         { return word(words.number(s)) }
func stateWord(s cloud.State) word { return wordOf(string(s)) }
func (s saying) what() said        { return sayings.all[s] }

var (
	provisioning = stateWord(cloud.StateProvisioning)
	running      = stateWord(cloud.StateRunning)
	busy         = stateWord(cloud.StateBusy)
	isolating    = stateWord(cloud.StateIsolating)
	isolated     = stateWord(cloud.StateIsolated)
	gone         = stateWord(cloud.StateGone)
)

func older(age uint8) uint8 { return min(age+1, old) }

// visible is the instance as far as a list shows it.
func (i instance) visible() instance {
	return instance{State: i.State, Size: i.Size, Protected: i.Protected}
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

// typed is the object as the API server would give it.
func (o object) typed() *databasev1.PostgresDB {
	p := &databasev1.PostgresDB{}
	p.Namespace, p.Name, p.UID, p.Generation = testNamespace, testName, testUID, int64(o.Gen)
	p.CreationTimestamp = ago(old)
	if o.Deleting {
		at := ago(o.DeletingAge)
		p.DeletionTimestamp = &at
	}
	if o.Finalizer {
		p.Finalizers = []string{databasev1.Finalizer}
	}
	want := size{true, o.Large, o.Fast}
	p.Spec = databasev1.PostgresDBSpec{
		EngineVersion: "14", InstanceClass: want.class(), StorageGB: int32(want.storage()), SubnetID: "subnet-1",
		AdminUser: "dbadmin", ChargeType: string(cloud.PostpaidByHour), DeletionPolicy: policies[o.Policy],
	}
	if o.Prepaid {
		p.Spec.ChargeType = string(cloud.Prepaid)
	}
	if o.Protect != protectUnsaid {
		on := o.Protect == protectYes
		p.Spec.DeletionProtection = &on
	}
	p.Status = o.Status.typed(o.Observed)
	return p
}

func (s status) typed(observed uint8) databasev1.PostgresDBStatus {
	st := databasev1.PostgresDBStatus{Phase: s.Phase.String(), InstanceID: idOf(s.ID), Endpoint: endpointOf(s.Endpoint), ObservedGeneration: int64(observed)}
	if s.Region {
		st.Region = exploredSettings.Region
	}
	if s.Seen.Some {
		st.EngineVersion, st.InstanceClass, st.StorageGB = "14.10", s.Seen.class(), int32(s.Seen.storage())
	}
	if i := s.Intent; i.Open {
		st.Create = &databasev1.CreateIntent{Name: InstanceName(testUID), StartedAt: ago(i.StartedAge), CleanLookups: int32(i.Clean)}
		if i.Ambiguous {
			since := ago(i.Since)
			st.Create.AmbiguousSince = &since
		}
		if i.Order != 0 {
			st.Create.Orders = []string{orderOf(i.Order)}
		}
	}
	if s.Written {
		changed := ago(s.ChangedAge)
		st.LastReconciled = &changed
	}
	if said := s.Said.what(); said.Reason != "" {
		ready := metav1.Condition{Type: reconcile.ConditionReady, Status: metav1.ConditionFalse, Reason: said.Reason, Message: said.Message, ObservedGeneration: int64(observed), LastTransitionTime: ago(old)}
		if said.Ready {
			ready.Status = metav1.ConditionTrue
		}
		st.Conditions = []metav1.Condition{ready}
		if said.Degraded != "" {
			st.Conditions = append(st.Conditions, metav1.Condition{Type: ConditionDegraded, Status: metav1.ConditionTrue, Reason: "Limited", Message: said.Degraded, ObservedGeneration: int64(observed), LastTransitionTime: ago(old)})
		}
	}
	return st
}

func orderOf(n uint8) string { return "deal-" + strconv.Itoa(int(n)) }

// statusOf is the reverse of typed. It panics on what the model has no place for.
func statusOf(st databasev1.PostgresDBStatus) (s status, observed uint8) {
	s = status{Phase: wordOf(st.Phase), ID: numberOf(st.InstanceID), Region: st.Region != ""}
	if st.Endpoint != "" {
		for n := uint8(1); n <= slots; n++ {
			if endpointOf(n) == st.Endpoint {
				s.Endpoint = n
			}
		}
	}
	if st.InstanceClass != "" {
		s.Seen = size{true, st.StorageGB > 100, st.InstanceClass == "4C8G"}
	}
	if c := st.Create; c != nil {
		s.Intent = intent{Open: true, StartedAge: ageOf(c.StartedAt.Time), Clean: uint8(c.CleanLookups)}
		if c.AmbiguousSince != nil {
			s.Intent.Ambiguous, s.Intent.Since = true, ageOf(c.AmbiguousSince.Time)
		}
		if len(c.Orders) > 0 {
			s.Intent.Order = uint8(c.Orders[0][len("deal-")] - '0')
		}
	}
	var says said
	for _, c := range st.Conditions {
		switch c.Type {
		case reconcile.ConditionReady:
			says.Ready, says.Reason, says.Message = c.Status == metav1.ConditionTrue, c.Reason, c.Message
		case ConditionDegraded:
			says.Degraded = c.Message
		default:
			panic("a condition that the model does not know: " + c.Type)
		}
	}
	s.Said = saying(sayings.number(says))
	if st.LastReconciled != nil {
		s.Written, s.ChangedAge = true, ageOf(st.LastReconciled.Time)
	}
	return s, uint8(st.ObservedGeneration)
}

// typed is the Secret as a turn sees it.
func (s secret) typed() *Secret {
	t := &Secret{Exists: s.Exists, Ours: s.Exists, ResetPending: s.Pending, Data: map[string]string{}, version: strconv.Itoa(int(s.Generation))}
	if s.User {
		t.Data["user"] = "dbadmin"
	}
	if s.Password != 0 {
		t.Data["password"] = passwords[s.Password]
	}
	if s.Host != 0 {
		for k, v := range connection(object{}.typed(), cloud.Instance{Host: hostOf(s.Host), Port: 5432}, map[string]string{"password": passwords[s.URI]}) {
			if k != "password" {
				t.Data[k] = v
			}
		}
	}
	return t
}

// take is the reverse: the data that a write leaves.
func (s *secret) take(data map[string]string) {
	s.User, s.Password, s.Host, s.URI = data["user"] != "", passwordNumber(data["password"]), 0, 0
	for n := uint8(1); n <= slots; n++ {
		if data["host"] == hostOf(n) {
			s.Host = n
		}
	}
	if data["uri"] != "" {
		s.URI = s.Password
	}
}

// passwords are those that the process makes, by number.
var passwords = func() (all [8]string) {
	for n := range all {
		if n > 0 {
			p, err := NewPassword(sameBytes(n))
			if err != nil {
				panic(err)
			}
			all[n] = p
		}
	}
	return all
}()

// sameBytes is a source of one byte, so that its password can be told.
type sameBytes byte

func (b sameBytes) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}

func passwordNumber(p string) uint8 {
	n := slices.Index(passwords[:], p)
	if n < 0 {
		panic("a password that nobody made: " + p)
	}
	return uint8(n)
}

// typed is the instance as the cloud reports it.
func (i instance) typed(n uint8) cloud.Instance {
	t := cloud.Instance{
		ID: idOf(n), Name: InstanceName(testUID), State: cloud.State(i.State.String()), Status: i.State.String(), CPU: 2, MemoryGB: 4, StorageGB: i.Size.storage(),
		Version: "14.10", DeletionProtection: i.Protected, Tags: map[string]string{TagUID: testUID},
	}
	if i.Size.Fast {
		t.CPU, t.MemoryGB = 4, 8
	}
	if i.State == running || i.State == busy {
		t.Host, t.Port = hostOf(n), 5432
	}
	return t
}

// billed: it costs money.
func (i instance) billed() bool {
	return i.State == provisioning || i.State == running || i.State == busy
}
