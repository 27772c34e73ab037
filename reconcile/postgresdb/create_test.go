package postgresdb

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

func TestCreateLooksBeforeItBuys(t *testing.T) {
	foreign := func(s *Secret) { s.Ours = false }
	empty := func(s *Secret) { s.Data = map[string]string{} }
	pending := func(s *Secret) { s.ResetPending = true }
	without := func(part tweak) View { return see(readyToBuy, part) }
	check(t, []ruling{
		{"no region", see(func(v *View) { v.Settings.Region = "" }), expected{do: Rest, phase: "Failed", reason: "RegionMissing", after: 10 * time.Minute}},
		{"the spec's region", see(func(v *View) { v.Settings.Region, v.Object.Spec.Region = "", "ap-x" }), expected{do: AskPace}},
		{"the rate first", see(), expected{do: AskPace}},
		{"the rate is used up for long", see(pace(7 * time.Second)), expected{do: Rest, after: 7 * time.Second}},
		{"for a moment, which the purchase sits out", see(pace(3 * time.Second)), expected{do: ReadSecret}},
		{"then the Secret", see(pace(0)), expected{do: ReadSecret}},
		{"no Secret", without(noSecret), expected{do: CreateSecret}},
		{"a Secret without a password", without(secretIs(empty)), expected{do: WriteSecret}},
		{"a password that the cloud would not take", without(secretIs(func(s *Secret) { s.Data["password"] = "short" })), expected{do: Rest, phase: "Pending", reason: "PasswordInvalid", after: time.Minute}},
		{"somebody else's Secret", without(secretIs(foreign)), expected{do: Rest, phase: "Pending", reason: "NameConflict", after: time.Minute}},
		{"then the subnet", see(pace(0), secretIs()), expected{do: ReadSubnet}},
		{"then what is for sale", see(pace(0), secretIs(), subnet), expected{do: ReadOffer}},
		{"then the look-up", see(pace(0), secretIs(), subnet, offer), expected{do: LookUp}},
		{"then the finalizer", see(readyToBuy), expected{do: AddFinalizer}},
		{"then the purchase", see(readyToBuy, finalizer), expected{do: Buy, phase: "Provisioning"}},
		{"one was found: the finalizer", see(readyToBuy, found(dbOf())), expected{do: AddFinalizer}},
		{"one was found: its password", see(readyToBuy, finalizer, found(dbOf())), expected{do: WriteSecret}},
		{"one was found: its id", see(readyToBuy, finalizer, secretIs(pending), found(dbOf())), expected{do: RecordID, id: "postgres-1"}},
		{"two were found", see(readyToBuy, finalizer, found(dbOf(), dbOf(called("postgres-2")))), expected{do: Rest, phase: "Failed", reason: "SeveralInstances"}},
		{"a wrong network", see(readyToBuy, spec1(func(s *databasev1.PostgresDBSpec) { s.VPCID = "vpc-2" })), expected{do: Rest, phase: "Failed", reason: "WrongNetwork"}},
		{"no such version", see(readyToBuy, spec1(func(s *databasev1.PostgresDBSpec) { s.EngineVersion = "15" })), expected{do: Rest, phase: "Failed", reason: "VersionNotForSale", after: 10 * time.Minute}},
		{"no such class", see(readyToBuy, spec1(func(s *databasev1.PostgresDBSpec) { s.InstanceClass = "3C5G" })), expected{do: Rest, phase: "Failed", reason: "ClassNotForSale"}},
	})
}

func TestCreateSecretBeforeThePurchase(t *testing.T) {
	d := Decide(see(readyToBuy, noSecret))
	if !d.NewPassword || d.Reset || !d.Note || d.SecretData["user"] != "dbadmin" {
		t.Errorf("%+v", d)
	}
	// One that was found may have been bought with another password.
	if d := Decide(see(readyToBuy, finalizer, found(dbOf()))); !d.Reset || d.NewPassword {
		t.Errorf("%+v", d)
	}
}

func TestPurchase(t *testing.T) {
	d := Decide(see(readyToBuy, finalizer, protection(true), spec1(func(s *databasev1.PostgresDBSpec) {
		s.ChargeType, s.SecurityGroupIDs = "Prepaid", []string{"sg-1"}
		s.Tags = map[string]databasev1.TagValue{"team": "x", TagUID: "somebody else's"}
		s.Zone = "ap-guangzhou-7"
	})))
	want := cloud.CreateRequest{Name: "mote-" + testUID, SpecCode: "pg.small", StorageGB: 100, Major: "14", Zone: "ap-guangzhou-7", VPCID: "vpc-1",
		SubnetID: "subnet-1", ChargeType: cloud.Prepaid, AdminUser: "dbadmin", DeletionProtection: true, SecurityGroupIDs: []string{"sg-1"},
		Tags: map[string]string{TagUID: testUID, TagObject: "shop/orders", "team": "x"}}
	if !reflect.DeepEqual(d.Purchase, want) {
		t.Errorf("buys %+v\nwant  %+v", d.Purchase, want)
	}
	if d.Event == nil || d.Show == nil || d.Show.Ready {
		t.Errorf("shows %+v, tells %+v", d.Show, d.Event)
	}
}

// Who says that there is no region says of whom.
func TestRegionMissingWords(t *testing.T) {
	for asked, want := range map[bool]string{false: "the controller runs without --region", true: "this command was given no --region (give it the controller's flags)"} {
		d := Decide(see(func(v *View) { v.Settings.Region, v.Settings.Asked = "", asked }))
		if !strings.Contains(d.Show.Message, want) {
			t.Errorf("asked %v: %s", asked, d.Show.Message)
		}
	}
}
