package postgresdb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

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
	want := size{true, o.Large, o.Fast, o.New}
	p.Spec = databasev1.PostgresDBSpec{
		EngineVersion: "14", InstanceClass: want.class(), StorageGB: int32(want.storage()), SubnetID: "subnet-1",
		AdminUser: "dbadmin", ChargeType: string(cloud.PostpaidByHour), DeletionPolicy: policies[o.Policy],
	}
	if o.New {
		p.Spec.EngineVersion = want.version()
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
		st.EngineVersion, st.InstanceClass, st.StorageGB = s.Seen.version(), s.Seen.class(), int32(s.Seen.storage())
	}
	st.InstanceFingerprint, st.SettledSpec = s.Print.String(), s.Settled.String()
	if s.Change != 0 {
		parts := strings.Split(s.Change.String(), "|")
		task, err := strconv.ParseInt(parts[2], 10, 64)
		if err != nil {
			panic(err)
		}
		st.Change = &databasev1.CloudChange{Kind: parts[0], Target: parts[1], TaskID: task}
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
		if said.Sync != "" {
			synced := metav1.Condition{Type: ConditionSynced, Status: metav1.ConditionFalse, Reason: said.Sync, Message: said.Differs, ObservedGeneration: int64(observed), LastTransitionTime: ago(old)}
			switch said.Sync {
			case reasonAsSpecified:
				synced.Status = metav1.ConditionTrue
			case reasonNotCompared:
				synced.Status = metav1.ConditionUnknown
			}
			st.Conditions = append(st.Conditions, synced)
		}
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
		s.Seen = size{true, st.StorageGB > 100, st.InstanceClass == "4C8G", st.EngineVersion == size{New: true}.version()}
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
	s.Print, s.Settled = wordOf(st.InstanceFingerprint), wordOf(st.SettledSpec)
	if c := st.Change; c != nil {
		s.Change = wordOf(fmt.Sprintf("%s|%s|%d", c.Kind, c.Target, c.TaskID))
	}
	var says said
	for _, c := range st.Conditions {
		switch c.Type {
		case reconcile.ConditionReady:
			says.Ready, says.Reason, says.Message = c.Status == metav1.ConditionTrue, c.Reason, c.Message
		case ConditionDegraded:
			says.Degraded = c.Message
		case ConditionSynced:
			says.Sync, says.Differs = c.Reason, c.Message
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
	t := &Secret{Exists: s.Exists, Ours: s.Exists, Noted: s.Set != 0, ResetPending: s.Pending || s.Set != 0 && s.Password != 0 && s.Set != s.Password, Data: map[string]string{}, version: strconv.Itoa(int(s.Generation))}
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
		Version: i.Size.version(), Kernel: i.Size.kernel(), DeletionProtection: i.Protected,
		Tags: map[string]string{TagUID: testUID, TagObject: testNamespace + "/" + testName},
	}
	if i.Renamed {
		t.Name = "renamed"
	}
	if i.Size.Fast {
		t.CPU, t.MemoryGB = 4, 8
	}
	if i.State == running || i.State == busy {
		t.Host, t.Port = hostOf(n), 5432
	}
	return t
}
