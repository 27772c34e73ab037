package standin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestCreateValidation(t *testing.T) {
	tags := func(n int) (out []params) {
		for i := range n {
			out = append(out, params{"TagKey": fmt.Sprint("k", i), "TagValue": "v"})
		}
		return out
	}
	const outOfRange = "InvalidParameterValue.ParameterOutOfRange"
	const badValue = "InvalidParameterValue.InvalidParameterValueError"
	for _, c := range []struct {
		want    string // "" is accepted
		changes params
	}{
		{"", params{}},
		{"", params{"Name": strings.Repeat("n", 59)}},
		{"", params{"Name": nil, "TagList": nil}},
		{"", params{"AdminName": "_" + strings.Repeat("a", 15)}},
		{"", params{"TagList": tags(50), "SecurityGroupIds": []string{"sg-0123abcd"}, "DeletionProtection": true}},
		{"", params{"DBNodeSet": []params{{"Role": "Primary", "Zone": "ap-guangzhou-6"}, {"Role": "Standby", "Zone": "ap-guangzhou-3"}}}},
		{"", params{"DBMajorVersion": nil, "DBVersion": "14.11", "StorageType": "CLOUD_HSSD", "DBEngine": "postgresql"}},
		{"", params{"DBKernelVersion": "v14.11_r1.8"}},
		{"", params{"InstanceChargeType": "PREPAID", "Period": 36, "InstanceCount": 10}},

		{"MissingParameter", params{"SpecCode": nil}},
		{"MissingParameter", params{"Storage": nil}},
		{"MissingParameter", params{"InstanceCount": nil}},
		{"MissingParameter", params{"Period": nil}},
		{"MissingParameter", params{"Charset": nil}},
		{"MissingParameter", params{"AdminName": nil}},
		{"MissingParameter", params{"AdminPassword": nil}},
		{"MissingParameter", params{"Zone": nil}},
		{"MissingParameter", params{"DBMajorVersion": nil}},
		{"MissingParameter", params{"VpcId": nil}},
		{"MissingParameter", params{"SubnetId": nil}},
		{"FailedOperation.CreateBasicNetworkDeniedError", params{"SubnetId": nil, "VpcId": nil}},
		{"UnknownParameter", params{"ClientToken": "t"}},
		{"UnknownParameter", params{"storage": 100}},
		{"UnknownParameter", params{"TagList": []params{{"Key": "a"}}}},
		{"InvalidParameter", params{"Storage": "100"}},
		{"InvalidParameter", params{"TagList": "a=b"}},

		{"InvalidParameterValue.SpecNotRecognizedError", params{"SpecCode": "pg.none"}},
		{"InvalidParameterValue.SpecNotRecognizedError", params{"SpecCode": "pg.at.medium4", "DBMajorVersion": "17"}},
		{"InvalidParameterValue.SpecNotRecognizedError", params{"Zone": "ap-guangzhou-3"}},
		{outOfRange, params{"Storage": 105}},
		{outOfRange, params{"Storage": 0}},
		{outOfRange, params{"Storage": 3010}},
		{outOfRange, params{"Period": 13, "InstanceChargeType": "PREPAID"}},
		{outOfRange, params{"Period": 2}},
		{outOfRange, params{"AutoRenewFlag": 2}},
		{"InvalidParameterValue.InvalidInstanceNum", params{"InstanceCount": 0}},
		{"InvalidParameterValue.InvalidInstanceNum", params{"InstanceCount": 11}},
		{"InvalidParameterValue.InvalidCharset", params{"Charset": "utf8"}},
		{"InvalidParameterValue.IllegalInstanceChargeType", params{"InstanceChargeType": "POSTPAID"}},

		{"InvalidParameterValue.InvalidAccountNameError", params{"AdminName": "postgres"}},
		{"InvalidParameterValue.InvalidAccountNameError", params{"AdminName": "1admin"}},
		{"InvalidParameterValue.InvalidAccountNameError", params{"AdminName": "pg_admin"}},
		{"InvalidParameterValue.InvalidAccountNameError", params{"AdminName": "TencentDB_x"}},
		{"InvalidParameterValue.InvalidAccountNameError", params{"AdminName": "a-b"}},
		{"InvalidParameterValue.InvalidAccountNameError", params{"AdminName": strings.Repeat("a", 17)}},
		{"InvalidParameterValue.InvalidAccountNameError", params{"AdminName": ""}},
		{"InvalidParameterValue.InvalidPasswordLengthError", params{"AdminPassword": "aA1!aA1"}},
		{"InvalidParameterValue.InvalidPasswordLengthError", params{"AdminPassword": strings.Repeat("aA1!", 8) + "x"}},
		{"InvalidParameterValue.InvalidPasswordValueError", params{"AdminPassword": "/aA1!aA1!"}},
		{"InvalidParameterValue.InvalidPasswordValueError", params{"AdminPassword": "alllower1!"}},
		{"InvalidParameterValue.InvalidPasswordValueError", params{"AdminPassword": "ALLUPPER1!"}},
		{"InvalidParameterValue.InvalidPasswordValueError", params{"AdminPassword": "NoDigits!!"}},
		{"InvalidParameterValue.InvalidPasswordValueError", params{"AdminPassword": "NoSpecial11"}},
		{"InvalidParameterValue.InvalidPasswordValueError", params{"AdminPassword": "Space in1t!"}},

		{"InvalidParameterValue.ParameterLengthLimitError", params{"Name": strings.Repeat("n", 60)}},
		{"InvalidParameterValue.ParameterCharacterError", params{"Name": "no dots."}},
		{"LimitExceeded", params{"TagList": tags(51)}},
		{badValue, params{"TagList": append(tags(1), tags(1)...)}},
		{"InvalidParameterValue.ParameterLengthLimitError", params{"TagList": []params{{"TagKey": strings.Repeat("k", 128), "TagValue": ""}}}},
		{"InvalidParameterValue.ParameterLengthLimitError", params{"TagList": []params{{"TagKey": "k", "TagValue": strings.Repeat("v", 256)}}}},
		{badValue, params{"SecurityGroupIds": []string{"default"}}},

		{"InvalidParameterValue.IllegalZone", params{"Zone": "ap-shanghai-2"}},
		{"InvalidParameterValue.IllegalZone", params{"Zone": "ap-guangzhou-2"}},
		{"ResourceInsufficient.ResourceNotEnough", params{"Zone": "ap-guangzhou-7"}},
		{"ResourceInsufficient.ResourceNotEnough", params{"Zone": "ap-guangzhou-4"}},
		{"InvalidParameter.VpcNotFoundError", params{"VpcId": "vpc-nowhere1"}},
		{"ResourceUnavailable.VpcResourceNotFound", params{"SubnetId": "subnet-mote0099"}},
		{"ResourceUnavailable.VpcResourceNotFound", params{"VpcId": "vpc-mote0002"}},
		{badValue, params{"DBMajorVersion": "9"}},
		{badValue, params{"DBMajorVersion": "14", "DBVersion": "14.13"}},
		{badValue, params{"DBMajorVersion": "14", "DBVersion": "14.2"}},
		{badValue, params{"DBEngine": "mssql_compatible"}},
		{badValue, params{"StorageType": "TAPE"}},
		{badValue, params{"DBNodeSet": []params{{"Role": "Standby", "Zone": "ap-guangzhou-6"}}}},
		{badValue, params{"DBNodeSet": []params{{"Role": "Primary", "Zone": "ap-guangzhou-3"}}}},
	} {
		t.Run(fmt.Sprintf("%s %v", c.want, c.changes), func(t *testing.T) {
			r := newRig(t)
			r.refused(c.want, "CreateInstances", order(c.changes))
			bought := len(r.server.Ledger())
			if (bought > 0) != (c.want == "") {
				t.Errorf("%d instances were bought", bought)
			}
		})
	}
}

func TestCreatePostpaid(t *testing.T) {
	r := newRig(t)
	out := r.ok("CreateInstances", order(params{"InstanceCount": 2}))
	ids := out["DBInstanceIdSet"].([]any)
	deals := out["DealNames"].([]any)
	if len(ids) != 2 || len(deals) != 1 || !strings.HasPrefix(ids[0].(string), "postgres-") {
		t.Fatalf("answer %v", out)
	}
	e := r.entry(ids[0].(string))
	if e.Name != "mote-1" || e.Tags["mote-uid"] != "u1" || e.AdminUser != "mote" || e.ChargeType != "POSTPAID_BY_HOUR" ||
		e.RequestID != out["RequestId"] || e.DealName != deals[0] || !e.Billed || !e.Bought.Equal(r.clock.now()) ||
		e.CPU != 2 || e.MemoryGB != 4 || e.Version != "14.11" || e.Kernel != "v14.11_r1.9" || len(e.PasswordSHA256) != 64 {
		t.Errorf("ledger entry %+v", e)
	}
	// The same call again buys again.
	r.create(nil)
	if n := len(r.server.Ledger()); n != 3 {
		t.Errorf("%d instances, want 3", n)
	}
}

func TestPrepaidByDefaultAndByOrder(t *testing.T) {
	r := newRig(t)
	out := r.ok("CreateInstances", order(params{"InstanceChargeType": nil, "Period": 3}))
	if ids := out["DBInstanceIdSet"].([]any); len(ids) != 0 {
		t.Errorf("a prepaid order answered ids: %v", ids)
	}
	deal := out["DealNames"].([]any)[0].(string)
	deals := func() []any { return r.ok("DescribeOrders", params{"DealNames": []string{deal}})["Deals"].([]any) }
	id := r.server.Ledger()[0].ID
	if len(deals()) != 0 {
		t.Error("an order is there at once")
	}
	if got := r.status(id); got != "ResourceNotFound.InstanceNotFoundError" {
		t.Errorf("before delivery: %s", got)
	}
	r.clock.advance(time.Second)
	if d := deals(); len(d) != 1 || len(d[0].(params)["DBInstanceIdSet"].([]any)) != 0 {
		t.Errorf("half way: %v", d)
	}
	r.clock.advance(time.Second)
	d := deals()[0].(params)
	if d["DBInstanceIdSet"].([]any)[0] != id || d["PayMode"] != 1.0 || d["Count"] != 1.0 || d["DealName"] != deal {
		t.Errorf("delivered: %v", d)
	}
	i := r.instance(id)
	if i["PayType"] != "prepaid" || i["ExpireTime"] != "2026-06-01 12:00:02" {
		t.Errorf("PayType %v, ExpireTime %v", i["PayType"], i["ExpireTime"])
	}
	r.refused("FailedOperation.QueryDealFailed", "DescribeOrders", params{"DealNames": []string{"none"}})
	r.refused("InvalidParameterValue.NullDealNames", "DescribeOrders", params{"DealNames": []string{}})
}

func TestSubnetFillsUp(t *testing.T) {
	r := newRig(t, func(c *standinConfig) { c.NoRateLimits = true })
	small := params{"SubnetId": "subnet-mote0004", "VpcId": "vpc-mote0002", "InstanceCount": 10}
	for range 25 {
		r.create(small)
	}
	free := func() any {
		return r.ok("DescribeSubnets", params{"SubnetIds": []string{"subnet-mote0004"}})["SubnetSet"].([]any)[0].(params)["AvailableIpAddressCount"]
	}
	if free() != 3.0 {
		t.Errorf("free addresses: %v, want 3", free())
	}
	r.refused("ResourceInsufficient.ResourceNotEnough", "CreateInstances", order(small))
	small["InstanceCount"] = 3
	r.create(small)
	seen := map[string]bool{}
	r.clock.advance(8 * time.Second)
	for _, e := range r.server.Ledger() {
		if seen[e.Endpoint] || e.Endpoint == "" {
			t.Fatalf("address %q is used twice or missing", e.Endpoint)
		}
		seen[e.Endpoint] = true
	}
	// A destroyed instance gives its address back.
	gone := r.server.Ledger()[0]
	if _, err := r.server.Console(gone.ID, standinChange{Do: "destroy"}); err != nil {
		t.Fatal(err)
	}
	r.clock.advance(3 * time.Second)
	small["InstanceCount"] = 1
	if again := r.running(small); r.entry(again).Endpoint != gone.Endpoint {
		t.Errorf("address %s, want %s again", r.entry(again).Endpoint, gone.Endpoint)
	}
}
