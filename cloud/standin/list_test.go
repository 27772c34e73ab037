package standin_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/mote/cloud/standin"
)

func TestListFilters(t *testing.T) {
	r := newRig(t)
	a := r.running(params{"Name": "mote-a"})
	b := r.running(params{"Name": "mote-ab", "TagList": []params{{"TagKey": "other", "TagValue": "u1"}}})
	r.ok("CreateInstances", order(params{"Name": "paid", "InstanceChargeType": "PREPAID", "ProjectId": 9}))
	r.clock.advance(10 * time.Second)
	c := r.server.Ledger()[2].ID
	filter := func(pairs ...any) (out []params) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, params{"Name": pairs[i], "Values": pairs[i+1]})
		}
		return out
	}
	type v = []string
	for _, f := range []struct {
		filters []params
		want    []string
	}{
		{filter("db-instance-id", v{a, c}), v{c, a}},
		{filter("db-instance-id", v{"postgres-nothere0"}), nil},
		{filter("db-instance-name", v{"mote-a"}), v{b, a}}, // in part
		{filter("db-instance-name", v{"paid", "mote-ab"}), v{c, b}},
		{filter("db-tag-key", v{"mote-uid"}), v{c, a}},
		{filter("db-tag-key", v{"u1"}), nil}, // the key alone
		{filter("db-pay-mode", v{"prepaid"}), v{c}},
		{filter("db-project-id", v{"9"}), v{c}},
		{filter("db-private-ip", v{"10.6.0.3"}), v{b}},
		{filter("db-public-address", v{"x"}), nil},
		{filter("db-dedicated-cluster-id", v{"x"}), nil},
		{filter("db-tag-key", v{"mote-uid"}, "db-pay-mode", v{"postpaid"}), v{a}},
	} {
		got, total := r.list(params{"Filters": f.filters})
		if !slices.Equal(got, f.want) || total != len(f.want) {
			t.Errorf("%v: %v of %d, want %v", f.filters, got, total, f.want)
		}
	}
	r.refused("InvalidParameterValue.InvalidParameterValueError", "DescribeDBInstances", params{"Filters": filter("status", v{"running"})})
	r.region = "ap-shanghai"
	if got, _ := r.list(params{}); got != nil {
		t.Errorf("another region sees %v", got)
	}
}

func TestListPagesAndOrder(t *testing.T) {
	r := newRig(t)
	var bought []string
	for n := range 12 {
		bought = append(bought, r.create(params{"Name": fmt.Sprintf("n%02d", 11-n)}))
	}
	newest := slices.Clone(bought)
	slices.Reverse(newest)
	byID := slices.Sorted(slices.Values(bought))
	for _, c := range []struct {
		p    params
		want []string
	}{
		{params{}, newest[:10]},
		{params{"Limit": 0}, nil},
		{params{"Limit": 5, "Offset": 10}, newest[10:]},
		{params{"Limit": 5, "Offset": 99}, nil},
		{params{"Limit": 100, "OrderBy": "CreateTime", "OrderByType": "asc"}, bought},
		{params{"Limit": 100, "OrderBy": "Name", "OrderByType": "asc"}, newest},
		{params{"Limit": 100, "OrderBy": "DBInstanceId", "OrderByType": "asc"}, byID},
		{params{"Limit": 3, "OrderBy": "EndTime"}, bought[:3]},
	} {
		got, total := r.list(c.p)
		if !slices.Equal(got, c.want) || total != 12 {
			t.Errorf("%v: %v of %d, want %v", c.p, got, total, c.want)
		}
	}
	for _, p := range []params{{"Limit": 101}, {"Limit": -1}, {"Offset": -1}, {"OrderBy": "Size"}, {"OrderByType": "up"}} {
		if got := r.call("DescribeDBInstances", p); got.code == "" {
			t.Errorf("%v was accepted", p)
		}
	}
}

func TestListLag(t *testing.T) {
	r := newRig(t, func(c *standin.Config) { c.ListLag = 3 * time.Second })
	id := r.create(nil)
	if got, _ := r.list(params{}); got != nil {
		t.Errorf("listed at once: %v", got)
	}
	if got := r.status(id); got != "applying" {
		t.Errorf("the attribute lags too: %s", got)
	}
	r.clock.advance(3 * time.Second)
	if got, _ := r.list(params{}); !slices.Equal(got, []string{id}) {
		t.Errorf("after the lag: %v", got)
	}
}

func TestLagFaults(t *testing.T) {
	r := newRig(t)
	a, b := r.create(params{"Name": "a"}), r.create(params{"Name": "b"})
	r.faults(
		standin.Fault{Kind: standin.Lag, Action: "DescribeDBInstances", Instance: "a", Delay: 5 * time.Second},
		standin.Fault{Kind: standin.Lag, Action: "DescribeDBInstanceAttribute", Delay: 2 * time.Second, Times: 2},
		standin.Fault{Kind: standin.LagTags, Instance: b, Delay: 4 * time.Second},
	)
	if got, total := r.list(params{}); !slices.Equal(got, []string{b}) || total != 1 {
		t.Errorf("lagging list: %v of %d", got, total)
	}
	if got, _ := r.list(params{"Filters": []params{{"Name": "db-tag-key", "Values": []string{"mote-uid"}}}}); got != nil {
		t.Errorf("found by a tag that is not there yet: %v", got)
	}
	for _, id := range []string{a, b} {
		if got := r.status(id); got != notFound {
			t.Errorf("lagging attribute: %s", got)
		}
	}
	if tags := r.instance(b)["TagList"].([]any); len(tags) != 0 { // the other lag is used up
		t.Errorf("lagging tags: %v", tags)
	}
	r.clock.advance(5 * time.Second)
	if got, _ := r.list(params{}); len(got) != 2 {
		t.Errorf("after the lag: %v", got)
	}
	if tags := r.instance(b)["TagList"].([]any); len(tags) != 1 {
		t.Errorf("tags after the lag: %v", tags)
	}
}

func TestHideIsolated(t *testing.T) {
	for _, hide := range []bool{false, true} {
		r := newRig(t, func(c *standin.Config) { c.HideIsolated = hide })
		id := r.running(nil)
		r.ok("IsolateDBInstances", params{"DBInstanceIdSet": []string{id}})
		r.clock.advance(2 * time.Second)
		if got, _ := r.list(params{}); (len(got) == 0) != hide {
			t.Errorf("hide %v: %v", hide, got)
		}
		if got := r.status(id); got != "isolated" {
			t.Errorf("attribute: %s", got)
		}
	}
}

func TestWhatIsForSale(t *testing.T) {
	r := newRig(t)
	spec := func(zone, major string) (code string) {
		for _, c := range r.ok("DescribeClasses", params{"Zone": zone, "DBEngine": "postgresql", "DBMajorVersion": major})["ClassInfoSet"].([]any) {
			if k := c.(params); k["CPU"] == 2.0 && k["Memory"] == 4096.0 {
				code = k["SpecCode"].(string)
			}
		}
		return code
	}
	if a, b, c := spec("ap-guangzhou-6", "14"), spec("ap-guangzhou-3", "14"), spec("ap-guangzhou-3", "17"); a != "pg.at.medium4" || b != "cdb.pg.sh1.medium4" || c != "pg.it.medium4" {
		t.Errorf("spec codes %s %s %s", a, b, c)
	}
	r.refused("InvalidParameterValue.IllegalZone", "DescribeClasses", params{"Zone": "ap-x", "DBEngine": "postgresql", "DBMajorVersion": "14"})
	r.refused("InvalidParameterValue.InvalidParameterValueError", "DescribeClasses", params{"Zone": "ap-guangzhou-6", "DBEngine": "postgresql", "DBMajorVersion": "9"})
	r.refused("MissingParameter", "DescribeClasses", params{"Zone": "ap-guangzhou-6"})

	targets := map[string][]any{}
	for _, v := range r.ok("DescribeDBVersions", params{})["VersionSet"].([]any) {
		targets[v.(params)["DBKernelVersion"].(string)] = v.(params)["AvailableUpgradeTarget"].([]any)
	}
	if got := fmt.Sprint(targets["v14.11_r1.8"]); len(targets) != 14 || got != "[v14.11_r1.9 v14.13_r1.1]" {
		t.Errorf("%d versions, targets of v14.11_r1.8: %s", len(targets), got)
	}
	states := map[any]any{}
	for _, z := range r.ok("DescribeZones", params{})["ZoneSet"].([]any) {
		states[z.(params)["Zone"]] = z.(params)["ZoneState"]
	}
	if states["ap-guangzhou-6"] != "AVAILABLE" || states["ap-guangzhou-7"] != "SELLOUT" {
		t.Errorf("zones %v", states)
	}
}

func TestPrice(t *testing.T) {
	r := newRig(t)
	ask := func(changes params) params {
		p := params{"Zone": "ap-guangzhou-6", "SpecCode": "pg.at.medium4", "Storage": 100, "InstanceCount": 1, "Period": 1, "InstanceChargeType": "POSTPAID"}
		for k, v := range changes {
			p[k] = v
		}
		return p
	}
	hour := r.ok("InquiryPriceCreateDBInstances", ask(nil))
	month := r.ok("InquiryPriceCreateDBInstances", ask(params{"InstanceChargeType": "PREPAID", "Period": 2, "InstanceCount": 3}))
	if hour["Price"] != 172.0 || hour["Currency"] != "CNY" || month["Price"] != 172.0*480*2*3 {
		t.Errorf("prices %v %v", hour, month)
	}
	r.refused("InvalidParameterValue.IllegalChargeType", "InquiryPriceCreateDBInstances", ask(params{"InstanceChargeType": "POSTPAID_BY_HOUR"}))
	r.refused("InvalidParameterValue.SpecNotRecognizedError", "InquiryPriceCreateDBInstances", ask(params{"SpecCode": "x"}))
}

func TestSubnets(t *testing.T) {
	r := newRig(t)
	out := r.ok("DescribeSubnets", params{"SubnetIds": []string{"subnet-mote0001"}, "Limit": "1", "Offset": "0"})["SubnetSet"].([]any)
	if s := out[0].(params); s["VpcId"] != "vpc-mote0001" || s["Zone"] != "ap-guangzhou-6" || s["AvailableIpAddressCount"] != 65533.0 {
		t.Errorf("subnet %v", s)
	}
	inVpc := params{"Filters": []params{{"Name": "vpc-id", "Values": []string{"vpc-mote0002"}}}}
	if out := r.ok("DescribeSubnets", inVpc); out["TotalCount"] != 1.0 {
		t.Errorf("by VPC: %v", out)
	}
	r.refused("ResourceNotFound", "DescribeSubnets", params{"SubnetIds": []string{"subnet-mote0099"}})
	r.refused("InvalidParameterValue.Malformed", "DescribeSubnets", params{"SubnetIds": []string{"mote"}})
	r.refused("InvalidParameter", "DescribeSubnets", params{"Limit": 1})
	r.refused("InvalidParameterValue.Malformed", "DescribeSubnets", params{"Limit": "one"})
	r.refused("InvalidParameterValue.Range", "DescribeSubnets", params{"Limit": "101"})
	inVpc["SubnetIds"] = []string{"subnet-mote0001"}
	r.refused("InvalidParameter.Coexist", "DescribeSubnets", inVpc)
}
