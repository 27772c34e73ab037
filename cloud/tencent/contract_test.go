package tencent_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/cloud/standin"
	"example.com/mote/cloud/tencent"
)

func TestWholeLife(t *testing.T) {
	r := newRig(t, nil)
	ctx := t.Context()

	at, err := r.Subnet(ctx, region, subnet)
	r.ok(err)
	if at != (cloud.Subnet{ID: subnet, VPCID: "vpc-mote0001", Zone: "ap-guangzhou-6"}) {
		t.Errorf("subnet %+v", at)
	}
	classes, err := r.Classes(ctx, region, at.Zone, "14")
	r.ok(err)
	if !slices.Contains(classes, cloud.InstanceClass{SpecCode: "pg.at.medium4", CPU: 2, MemoryGB: 4, MinStorage: 10, MaxStore: 3000}) {
		t.Errorf("classes %+v", classes)
	}
	versions, err := r.Versions(ctx, region)
	r.ok(err)
	for _, v := range []cloud.Version{
		{Major: "14", Minor: "14.11", Kernel: "v14.11_r1.9", Available: true, Targets: []string{"v14.13_r1.1"}},
		{Major: "14", Minor: "14.13", Kernel: "v14.13_r1.1", Targets: []string{}},
		{Major: "13", Minor: "13.3", Kernel: "v13.3_r1.22", Withdrawn: true, Targets: []string{"v13.14_r1.9"}},
	} {
		if !slices.ContainsFunc(versions, func(x cloud.Version) bool { return reflect.DeepEqual(x, v) }) {
			t.Errorf("%+v is not in %+v", v, versions)
		}
	}

	request := want("mote-1")
	request.DeletionProtection = true
	request.SecurityGroupIDs = []string{"sg-12345678"}
	made, err := r.Create(ctx, region, request)
	r.ok(err)
	if made.ID == "" || len(made.Orders) != 1 {
		t.Fatalf("made %+v", made)
	}
	bought := r.cloud.Ledger()[0]
	sum := sha256.Sum256([]byte(password))
	if bought.PasswordSHA256 != hex.EncodeToString(sum[:]) || bought.AdminUser != "mote" || !slices.Equal(bought.SecurityGroups, request.SecurityGroupIDs) {
		t.Errorf("bought %+v", bought)
	}

	get := func(state cloud.State) cloud.Instance {
		t.Helper()
		i, err := r.Get(ctx, region, made.ID)
		r.ok(err)
		if i.State != state {
			t.Fatalf("state %s (%s), want %s", i.State, i.Status, state)
		}
		return i
	}
	if i := get(cloud.StateProvisioning); i.Endpoint() != "" {
		t.Errorf("an address at once: %s", i.Endpoint())
	}
	r.pass(10 * time.Second)
	i := get(cloud.StateRunning)
	if i.Endpoint() != bought.Endpoint && i.Endpoint() != r.cloud.Ledger()[0].Endpoint {
		t.Errorf("endpoint %q", i.Endpoint())
	}
	if i.Name != "mote-1" || i.Region != region || i.Zone != at.Zone || i.VPCID != at.VPCID || i.SubnetID != subnet ||
		i.ClassName() != "2C4G" || i.StorageGB != 100 || i.Major != "14" || i.Version != "14.11" || i.Kernel != "v14.11_r1.9" ||
		i.ChargeType != cloud.PostpaidByHour || !i.DeletionProtection || !maps.Equal(i.Tags, request.Tags) {
		t.Errorf("running: %+v", i)
	}
	listed, err := r.List(ctx, region, []string{"postgres-00000000", made.ID})
	r.ok(err)
	if len(listed) != 1 || listed[0].Fingerprint() != i.Fingerprint() || listed[0].Name != i.Name {
		t.Errorf("listed %+v", listed)
	}

	r.ok(r.Resize(ctx, region, made.ID, cloud.Size{CPU: 4, MemoryGB: 8, StorageGB: 200}, cloud.Window{}))
	get(cloud.StateBusy)
	r.fails(r.Resize(ctx, region, made.ID, cloud.Size{CPU: 4, MemoryGB: 8, StorageGB: 300}, cloud.Window{}), cloud.Busy, "OperationDenied.InstanceStatusLimitError")
	r.pass(10 * time.Second)
	if i := get(cloud.StateRunning); i.ClassName() != "4C8G" || i.StorageGB != 200 {
		t.Errorf("resized: %+v", i)
	}
	r.fails(r.Resize(ctx, region, made.ID, cloud.Size{CPU: 4, MemoryGB: 8, StorageGB: 100}, cloud.Window{}), cloud.Refused, "InvalidParameterValue.InvalidInstanceVolume")
	r.ok(r.ResetPassword(ctx, region, made.ID, "mote", "Another0ne!"))
	if now := r.cloud.Ledger()[0].PasswordSHA256; now == bought.PasswordSHA256 {
		t.Error("the password is the old one")
	}

	r.fails(r.Isolate(ctx, region, made.ID), cloud.Busy, "OperationDenied.InstanceStatusDeniedError")
	r.ok(r.SetDeletionProtection(ctx, region, made.ID, false))
	r.fails(r.Destroy(ctx, region, made.ID), cloud.Busy, "OperationDenied.InstanceStatusLimitError")
	r.ok(r.Isolate(ctx, region, made.ID))
	get(cloud.StateIsolating)
	r.pass(3 * time.Second)
	if i := get(cloud.StateIsolated); i.Endpoint() != "" {
		t.Errorf("an isolated instance at %s", i.Endpoint())
	}
	r.ok(r.Destroy(ctx, region, made.ID))
	get(cloud.StateBusy) // offlining is not gone yet
	r.pass(2 * time.Second)
	get(cloud.StateGone)
	r.pass(time.Minute)
	_, err = r.Get(ctx, region, made.ID)
	r.fails(err, cloud.Gone, "ResourceNotFound.InstanceNotFoundError")
	r.fails(r.Destroy(ctx, region, made.ID), cloud.Gone, "ResourceNotFound.InstanceNotFoundError")
	if r.cloud.Ledger()[0].Billed {
		t.Error("still billed")
	}
}

func TestPrepaidOrders(t *testing.T) {
	r := newRig(t, nil)
	request := want("mote-1")
	request.ChargeType = cloud.Prepaid
	made, err := r.Create(t.Context(), region, request)
	r.ok(err)
	if made.ID != "" || len(made.Orders) != 1 {
		t.Fatalf("made %+v", made)
	}
	for range 2 { // no deal at first, then a deal without an instance
		ids, err := r.Orders(t.Context(), region, made.Orders)
		r.ok(err)
		if len(ids) != 0 {
			t.Errorf("at first %v", ids)
		}
		r.pass(time.Second)
	}
	ids, err := r.Orders(t.Context(), region, made.Orders)
	r.ok(err)
	if len(ids) != 1 || ids[0] != r.cloud.Ledger()[0].ID {
		t.Fatalf("delivered %v", ids)
	}
	i, err := r.Get(t.Context(), region, ids[0])
	r.ok(err)
	if i.ChargeType != cloud.Prepaid {
		t.Errorf("charge type %q", i.ChargeType)
	}
	if none, err := r.Orders(t.Context(), region, nil); len(none) > 0 || err != nil {
		t.Errorf("of no orders: %v, %v", none, err)
	}
}

// The cloud's filter finds parts of names: the one that is looked for may be on
// any page.
func TestFindAmongManyNames(t *testing.T) {
	r := newRig(t, func(_ *standin.Config, o *tencent.Options) {
		o.Limits = cloud.NewLimits(nil, 1_000_000, nil)
	})
	for i := range 250 {
		r.buy(fmt.Sprintf("mote-7-%03d", i))
	}
	exact := []string{r.buy("mote-7")}
	for i := range 60 {
		r.buy(fmt.Sprintf("the-mote-7%d", i))
	}
	exact = append(exact, r.buy("mote-7"))
	found, err := r.Find(t.Context(), region, "mote-7")
	r.ok(err)
	var ids []string
	for _, i := range found {
		ids = append(ids, i.ID)
	}
	if !slices.Equal(ids, exact) {
		t.Errorf("found %v, want %v", ids, exact)
	}
	if n := r.calls("DescribeDBInstances"); n != 4 {
		t.Errorf("312 instances took %d pages", n)
	}
	if none, err := r.Find(t.Context(), region, "mote-7-9"); len(none) > 0 || err != nil {
		t.Errorf("a name that nobody has: %v, %v", none, err)
	}
}

func TestFindSeesIsolatedOnes(t *testing.T) {
	r := newRig(t, nil)
	id := r.buy("mote-1")
	r.pass(time.Minute)
	r.ok(r.Isolate(t.Context(), region, id))
	r.pass(time.Minute)
	found, err := r.Find(t.Context(), region, "mote-1")
	r.ok(err)
	if len(found) != 1 || found[0].State != cloud.StateIsolated {
		t.Errorf("found %+v", found)
	}
}

func TestWhatIsWrongIsNotSent(t *testing.T) {
	r := newRig(t, nil)
	ctx := t.Context()
	_, err := r.Get(ctx, region, "")
	r.fails(err, cloud.Refused, "mote.NoInstance")
	r.fails(r.Destroy(ctx, region, ""), cloud.Refused, "mote.NoInstance")
	r.fails(r.Isolate(ctx, region, ""), cloud.Refused, "mote.NoInstance")
	_, err = r.Find(ctx, region, "")
	r.fails(err, cloud.Refused, "mote.NoName")
	_, err = r.List(ctx, region, make([]string, cloud.MaxPage+1))
	r.fails(err, cloud.Refused, "mote.PageTooLarge")
	if all, err := r.List(ctx, region, nil); len(all) > 0 || err != nil {
		t.Errorf("no ids: %v, %v", all, err)
	}
	_, err = r.Subnet(ctx, region, "")
	r.fails(err, cloud.Refused, "mote.NoSubnet")
	request := want("mote-1")
	request.ChargeType = ""
	_, err = r.Create(ctx, region, request)
	r.fails(err, cloud.Refused, "mote.NoChargeType")
	request = want("")
	_, err = r.Create(ctx, region, request)
	r.fails(err, cloud.Refused, "mote.NoName")
	if n := len(r.cloud.Calls(0).Recent); n != 0 {
		t.Errorf("%d calls were made", n)
	}
}

func TestWhatTheCloudRefuses(t *testing.T) {
	r := newRig(t, nil)
	ctx := t.Context()
	_, err := r.Subnet(ctx, region, "subnet-00000000")
	r.fails(err, cloud.Refused, "ResourceNotFound")
	_, err = r.Classes(ctx, region, "nowhere-1", "14")
	r.fails(err, cloud.Refused, "InvalidParameterValue.IllegalZone")
	for code, spoil := range map[string]func(*cloud.CreateRequest){
		"InvalidParameterValue.SpecNotRecognizedError":     func(q *cloud.CreateRequest) { q.SpecCode = "none" },
		"InvalidParameterValue.ParameterOutOfRange":        func(q *cloud.CreateRequest) { q.StorageGB = 11 },
		"InvalidParameterValue.InvalidAccountNameError":    func(q *cloud.CreateRequest) { q.AdminUser = "postgres" },
		"InvalidParameterValue.InvalidPasswordLengthError": func(q *cloud.CreateRequest) { q.AdminPassword = "short" },
		"ResourceUnavailable.VpcResourceNotFound":          func(q *cloud.CreateRequest) { q.SubnetID = "subnet-00000000" },
	} {
		request := want("mote-1")
		spoil(&request)
		_, err := r.Create(ctx, region, request)
		if e := r.fails(err, cloud.Refused, code); e.RequestID == "" || !strings.Contains(e.Error(), e.RequestID) {
			t.Errorf("no request id in %v", e)
		}
	}
	request := want("mote-1")
	request.Zone, request.SubnetID, request.SpecCode = "ap-guangzhou-7", "subnet-mote0003", "pg.at.medium4"
	_, err = r.Create(ctx, region, request)
	r.fails(err, cloud.SoldOut, "ResourceInsufficient.ResourceNotEnough")
	if n := len(r.cloud.Ledger()); n != 0 {
		t.Errorf("%d were bought", n)
	}
}
