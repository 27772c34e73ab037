package postgresdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/forecast"
	"example.com/mote/reconcile"
)

// shopWindow is a cloud that can only be looked at.
type shopWindow struct {
	cloud.Reader
	instances map[string]cloud.Instance
	groups    []string
	err       error
	asked     []string // prices
}

func (s *shopWindow) Subnet(_ context.Context, _, id string) (cloud.Subnet, error) {
	return cloud.Subnet{ID: id, VPCID: "vpc-1", Zone: "ap-guangzhou-6"}, s.err
}

func (s *shopWindow) Classes(context.Context, string, string, string) ([]cloud.InstanceClass, error) {
	return []cloud.InstanceClass{{SpecCode: "small", CPU: 2, MemoryGB: 4}, {SpecCode: "large", CPU: 4, MemoryGB: 8}}, s.err
}

func (s *shopWindow) Versions(context.Context, string) ([]cloud.Version, error) {
	return []cloud.Version{{Major: "14", Minor: "14.1", Kernel: "v14.1_r1", Available: true, Targets: []string{"v14.9_r1"}},
		{Major: "14", Minor: "14.9", Kernel: "v14.9_r1"}, {Major: "15", Minor: "15.3", Kernel: "v15.3_r1"}}, s.err
}

func (s *shopWindow) Find(_ context.Context, _, name string) (found []cloud.Instance, err error) {
	for _, i := range s.instances {
		if i.Name == name {
			found = append(found, i)
		}
	}
	return found, s.err
}

func (s *shopWindow) Get(_ context.Context, region, id string) (cloud.Instance, error) {
	if i, there := s.instances[id]; there || s.err != nil {
		return i, s.err
	}
	return cloud.Instance{}, &cloud.Error{Class: cloud.Gone, Action: "DescribeDBInstanceAttribute", Region: region, Code: "NotFound", Message: "no"}
}

func (s *shopWindow) Orders(context.Context, string, []string) ([]string, error) { return nil, s.err }

func (s *shopWindow) Task(context.Context, string, string, int64) (cloud.TaskStatus, error) {
	return cloud.TaskRunning, s.err
}

func (s *shopWindow) SecurityGroups(context.Context, string, string) ([]string, error) {
	return s.groups, s.err
}

func (s *shopWindow) Price(_ context.Context, _ string, of cloud.Priced) (cloud.Price, error) {
	s.asked = append(s.asked, of.SpecCode)
	if s.err != nil {
		return cloud.Price{}, s.err
	}
	return cloud.Price{Cents: map[string]int64{"small": 100, "large": 300}[of.SpecCode] + int64(of.StorageGB), Currency: "CNY"}, nil
}

// dos are the steps by their names.
func dos(steps []forecast.Step) string {
	var all []string
	for _, s := range steps {
		all = append(all, s.Do)
	}
	return strings.Join(all, " ")
}

func TestForesee(t *testing.T) {
	shown := func(i cloud.Instance) *shopWindow {
		return &shopWindow{instances: map[string]cloud.Instance{i.ID: i}}
	}
	instance := func(change func(*cloud.Instance)) cloud.Instance {
		i := dbOf()
		i.Kernel = "v14.1_r1"
		change(&i)
		return i
	}
	same := func(*cloud.Instance) {}
	for name, c := range map[string]struct {
		v      View
		cloud  *shopWindow
		isNew  bool
		secret *Secret
		want   string
		then   forecast.Then
		words  string // in the steps' words
	}{
		"new": {v: see(), cloud: &shopWindow{}, isNew: true, secret: &Secret{}, want: "CreateSecret AddFinalizer Buy WriteSecret",
			then: forecast.Then{Phase: "Running", Ready: true, Reason: "Running"}, words: "buy PostgreSQL 14, 2C4G with 100 GB in ap-guangzhou-6, by the hour"},
		"new and prepaid": {v: see(spec1(func(s *databasev1.PostgresDBSpec) { s.ChargeType = string(cloud.Prepaid) })), cloud: &shopWindow{}, isNew: true, secret: &Secret{},
			want: "CreateSecret AddFinalizer Buy RecordID WriteSecret", then: forecast.Then{Phase: "Running", Ready: true, Reason: "Running"}, words: "prepaid by the month"},
		"not for sale": {v: see(spec1(func(s *databasev1.PostgresDBSpec) { s.InstanceClass = "9C9G" })), cloud: &shopWindow{}, isNew: true, secret: &Secret{},
			want: "CreateSecret", then: forecast.Then{Phase: "Failed", Reason: "ClassNotForSale"}},
		"no region":               {v: see(func(v *View) { v.Settings.Region = "" }), cloud: &shopWindow{}, isNew: true, then: forecast.Then{Phase: "Failed", Reason: "RegionMissing"}},
		"Secret of somebody else": {v: see(), cloud: &shopWindow{}, isNew: true, secret: &Secret{Exists: true}, want: "Rest", then: forecast.Then{Phase: "Pending", Reason: "NameConflict"}},
		"at rest":                 {v: see(ran), cloud: shown(instance(same)), secret: connectedSecret(), then: forecast.Then{Phase: "Running", Ready: true, Reason: "Running"}},
		"resize": {v: see(ran, spec1(func(s *databasev1.PostgresDBSpec) { s.InstanceClass, s.StorageGB = "4C8G", 200 })), cloud: shown(instance(same)), secret: connectedSecret(),
			want: "Resize", then: forecast.Then{Phase: "Running", Ready: true, Reason: "Running"}, words: "from 2C4G with 100 GB to 4C8G with 200 GB"},
		"resize and upgrade, in a window": {v: see(ran, spec1(func(s *databasev1.PostgresDBSpec) {
			s.InstanceClass, s.EngineVersion, s.MaintenanceWindow = "4C8G", "15", "02:00-04:00"
		})), cloud: shown(instance(same)),
			secret: connectedSecret(), want: "Resize Upgrade", then: forecast.Then{Phase: "Running", Ready: true, Reason: "Running"}, words: "PostgreSQL 14.10 to 15.3"},
		"a resize to what is not for sale": {v: see(ran, spec1(func(s *databasev1.PostgresDBSpec) { s.InstanceClass, s.EngineVersion = "3C7G", "15" })), cloud: shown(instance(same)), secret: connectedSecret(),
			want: "Resize", then: forecast.Then{Phase: "Failed", Reason: "CloudRefused"}, words: "! the cloud will refuse this: 3C7G is not for sale in  for PostgreSQL 14; there are 2C4G, 4C8G. asked again every 10m0s"},
		"a resize that was refused": {v: see(ran, spec1(func(s *databasev1.PostgresDBSpec) { s.InstanceClass = "4C8G" }), refusedBefore("ModifyDBInstanceSpec")), cloud: shown(instance(same)), secret: connectedSecret(),
			want: "Resize", then: forecast.Then{Phase: "Failed", Reason: "CloudRefused"}, words: "! the cloud refused this: OperationDenied.X: not today: or ever. asked again at 2"},
		"a resize after another call was refused": {v: see(ran, spec1(func(s *databasev1.PostgresDBSpec) { s.InstanceClass = "4C8G" }), refusedBefore("ModifyDBInstanceSecurityGroups")), cloud: shown(instance(same)), secret: connectedSecret(),
			want: "Resize", then: forecast.Then{Phase: "Running", Ready: true, Reason: "Running"}},
		"a resize of another spec than was refused": {v: see(ran, spec1(func(s *databasev1.PostgresDBSpec) { s.InstanceClass = "4C8G" }), refusedBefore("ModifyDBInstanceSpec"), func(v *View) { v.Object.Generation++ }), cloud: shown(instance(same)), secret: connectedSecret(),
			want: "Resize", then: forecast.Then{Phase: "Running", Ready: true, Reason: "Running"}},
		"a purchase that was refused": {v: see(refusedBefore("CreateInstances")), cloud: &shopWindow{}, secret: connectedSecret(),
			want: "AddFinalizer Buy", then: forecast.Then{Phase: "Failed", Reason: "CloudRefused"}, words: "! the cloud refused this"},
		"drift of tags and protection": {v: see(ran, protection(true)), cloud: shown(instance(func(i *cloud.Instance) { i.Tags = maps.Clone(i.Tags); delete(i.Tags, TagObject) })),
			secret: connectedSecret(), want: "Protect SetTags", then: forecast.Then{Phase: "Running", Ready: true, Reason: "Running"}},
		"password": {v: see(ran), cloud: shown(instance(same)), secret: connectedSecret(func(s *Secret) { s.ResetPending = true }), want: "ResetPassword",
			then: forecast.Then{Phase: "Running", Ready: true, Reason: "Running"}},
		"busy": {v: see(ran), cloud: shown(instance(func(i *cloud.Instance) { i.State = cloud.StateBusy })), secret: connectedSecret(), want: "Rest",
			then: forecast.Then{Phase: "Running", Ready: true, Reason: "Running"}, words: "the cloud is changing instance"},
		"a resize that failed": {v: see(ran, spec1(func(s *databasev1.PostgresDBSpec) { s.StorageGB = 200 }), readyCondition("ResizeFailed", "no"), changedSince(time.Minute), func(v *View) {
			v.Object.Status.Phase, v.Object.Status.Change = "Failed", &databasev1.CloudChange{Kind: databasev1.ChangeResize, Target: "2C4G with 200 GB"}
		}), cloud: shown(instance(same)), secret: connectedSecret(), want: "Rest Resize", then: forecast.Then{Phase: "Running", Ready: true, Reason: "Running"}, words: "it came to nothing"},
		"isolate":   {v: see(ran, deleted), cloud: shown(instance(same)), want: "Isolate DropFinalizer", then: forecast.Then{Gone: true}},
		"destroy":   {v: see(ran, deleted, policyIs("Delete")), cloud: shown(instance(same)), want: "Isolate Destroy DropFinalizer", then: forecast.Then{Gone: true}},
		"retain":    {v: see(ran, deleted, policyIs("Retain")), cloud: shown(instance(same)), want: "DropFinalizer", then: forecast.Then{Gone: true}},
		"protected": {v: see(ran, deleted), cloud: shown(instance(func(i *cloud.Instance) { i.DeletionProtection = true })), want: "Rest", then: forecast.Then{Phase: "Deleting", Reason: "DeletionProtected"}},
		"an open intent": {v: see(openIntent(time.Minute, 1), func(v *View) { v.Object.Spec.Region = "ap-guangzhou" }), cloud: &shopWindow{}, secret: connectedSecret(),
			want: "CountLookup CountLookup CountLookup ClearIntent Buy WriteSecret", then: forecast.Then{Phase: "Running", Ready: true, Reason: "Running"}},
		"gone": {v: see(ran), cloud: &shopWindow{}, then: forecast.Then{Phase: "Failed", Reason: "InstanceMissing"}},
		"adopt": {v: see(spec1(func(s *databasev1.PostgresDBSpec) { s.InstanceID = "postgres-1" })), cloud: shown(instance(func(i *cloud.Instance) { i.Tags = nil })), isNew: true, secret: &Secret{},
			want: "AddFinalizer RecordID CreateSecret", then: forecast.Then{Phase: "Running", Ready: true, Reason: "Running"}, words: "take over instance postgres-1"},
		"new, without a cloud":    {v: see(), isNew: true, want: "CreateSecret AddFinalizer Buy WriteSecret", then: forecast.Then{Phase: "Running", Ready: true, Reason: "Running"}},
		"resize, without a cloud": {v: see(ran, asSeen, spec1(func(s *databasev1.PostgresDBSpec) { s.StorageGB = 200 })), secret: connectedSecret(), want: "Resize", then: forecast.Then{Phase: "Running", Ready: true, Reason: "Running"}},
		"upgrade, without a cloud": {v: see(ran, asSeen, spec1(func(s *databasev1.PostgresDBSpec) { s.EngineVersion = "16" })), secret: connectedSecret(), want: "Upgrade",
			then: forecast.Then{Phase: "Running", Ready: true, Reason: "Running"}},
	} {
		sight := Sight{Now: c.v.Now, New: c.isNew}
		if c.cloud != nil {
			sight.Cloud, sight.Prices = c.cloud, c.cloud
		}
		r := newRehearsal(c.v.Object, c.v.Settings, sight)
		r.secret = c.secret
		steps, then, err := r.play(t.Context())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		words := ""
		for _, s := range steps {
			words += s.What + "\n" + string(s.Sign) + " " + strings.Join(s.Details, ". ") + "\n"
			if s.What == "" || s.Sign == "" || s.Where == "" {
				t.Errorf("%s: %+v says too little", name, s)
			}
		}
		then.Message = ""
		if got := dos(steps); got != c.want || then != c.then || !strings.Contains(words, c.words) {
			t.Errorf("%s: %s and then %+v, want %s and %+v; in words\n%s", name, got, then, c.want, c.then, words)
		}
	}
}

// asSeen: the status has what was seen of the instance.
func asSeen(v *View) {
	i := dbOf()
	v.Object.Status.InstanceClass, v.Object.Status.StorageGB, v.Object.Status.EngineVersion = i.ClassName(), int32(i.StorageGB), i.Version
}

func connectedSecret(change ...func(*Secret)) *Secret {
	v := see(connected(change...))
	return v.Secret
}

func TestForeseenCosts(t *testing.T) {
	costs := func(v View, s *shopWindow, isNew bool) (all []forecast.Cost) {
		r := newRehearsal(v.Object, v.Settings, Sight{Now: v.Now, New: isNew, Cloud: s, Prices: s})
		r.secret = connectedSecret()
		steps, _, err := r.play(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range steps {
			if s.Cost != nil {
				all = append(all, *s.Cost)
			}
		}
		return all
	}
	want := func(what string, got []forecast.Cost, want ...forecast.Cost) {
		if !slices.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	want("by the hour", costs(see(), &shopWindow{}, true), *forecast.Hourly(200, "CNY"))
	want("by the month", costs(see(spec1(func(s *databasev1.PostgresDBSpec) { s.ChargeType = string(cloud.Prepaid) })), &shopWindow{}, true), *forecast.Monthly(200, "CNY"))
	i := dbOf()
	i.Kernel, i.Major, i.ChargeType = "v14.1_r1", "14", cloud.PostpaidByHour
	larger := see(ran, spec1(func(s *databasev1.PostgresDBSpec) { s.InstanceClass, s.StorageGB = "4C8G", 200 }))
	want("a resize", costs(larger, &shopWindow{instances: map[string]cloud.Instance{i.ID: i}}, false),
		forecast.Cost{PerHour: 300, PerMonth: 300 * 730, Currency: "CNY", Difference: true})
	i.CPU = 3 // which is not sold any more
	got := costs(larger, &shopWindow{instances: map[string]cloud.Instance{i.ID: i}}, false)
	if len(got) != 1 || !strings.Contains(got[0].Unknown, "3C4G is not for sale") {
		t.Errorf("a size that is not sold: %+v", got)
	}
}

// Who may not read Secrets gets a plan all the same, and is told what it rests on.
func TestForeseeWithoutSecrets(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"no","code":403}`)
	}))
	defer server.Close()
	client, err := dynamic.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": testName, "namespace": testNamespace}}}
	i := dbOf()
	for want, v := range map[string]View{"": see(ran), "CreateSecret AddFinalizer Buy WriteSecret": see()} {
		var notes []string
		there := map[string]cloud.Instance{}
		if v.Object.Status.InstanceID != "" {
			there[i.ID] = i
		}
		steps, then, err := Foresee(t.Context(), v.Object, v.Settings, Sight{Now: v.Now, Cloud: &shopWindow{instances: there},
			Look: reconcile.NewLook(client, secretResource, u), Note: func(s string) { notes = append(notes, s) }})
		if err != nil || dos(steps) != want || !then.Ready || len(notes) != 1 {
			t.Errorf("%v and then %+v, %v, %v", dos(steps), then, notes, err)
		}
	}
}

// What cannot be seen is an error, and no forecast.
func TestForeseeingFails(t *testing.T) {
	for _, class := range []cloud.Class{cloud.NotSent, cloud.Ambiguous, cloud.Denied, cloud.Throttled} {
		err := &cloud.Error{Class: class, Action: "DescribeSubnets", Code: "No", Message: "no"}
		for name, v := range map[string]View{"new": see(), "runs": see(ran), "ordered": see(openIntent(time.Minute, 1, "order-1"))} {
			steps, _, got := Foresee(t.Context(), v.Object, v.Settings, Sight{Now: v.Now, New: name == "new", Cloud: &shopWindow{err: err}})
			if !errors.Is(got, err) || steps != nil {
				t.Errorf("%s, %s: %v, %v", name, class, steps, got)
			}
		}
	}
	v := see(ran)
	if _, _, err := Foresee(t.Context(), v.Object, v.Settings, Sight{Now: v.Now}); err == nil {
		t.Error("a Secret is believed to be there, and what it holds")
	}
}

// refusedBefore is a status that tells of a call that the cloud refused.
func refusedBefore(action string) func(*View) {
	return func(v *View) {
		readyCondition("CloudRefused", action+" in ap-guangzhou was refused: OperationDenied.X: not today: or ever. Mote tries again when the spec changes, and every 10m0s")(v)
		last := metav1.NewTime(v.Now.Add(-time.Minute))
		v.Object.Status.Phase, v.Object.Status.LastReconciled = databasev1.PhaseFailed, &last
	}
}
