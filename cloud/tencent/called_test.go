package tencent_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/cloud/standin"
	"example.com/mote/cloud/tencent"
)

// Every call is told of when it ends, whatever became of it.
func TestCalled(t *testing.T) {
	var told []string
	r := newRig(t, func(_ *standin.Config, o *tencent.Options) {
		o.Limits = cloud.NewLimits(map[string]int{"DescribeSubnets": 1}, 100, o.Now)
		o.Called = func(action, region string, took time.Duration, err error) {
			if took < 0 {
				t.Errorf("%s took %s", action, took)
			}
			told = append(told, fmt.Sprintf("%s in %s: %s", action, region, cloud.ClassOf(err)))
		}
	})
	r.List(t.Context(), "ap-guangzhou", []string{"postgres-none0000"})
	r.Subnet(t.Context(), "ap-guangzhou", "subnet-mote0001")
	r.Subnet(t.Context(), "ap-guangzhou", "subnet-mote0001") // too early by our own rate
	r.use(tencent.Credential{SecretID: "AKIDmote", SecretKey: "wrong"})
	r.List(t.Context(), "ap-guangzhou", []string{"postgres-none0000"})
	want := []string{"DescribeDBInstances in ap-guangzhou: ", "DescribeSubnets in ap-guangzhou: ",
		"DescribeSubnets in ap-guangzhou: Throttled", "DescribeDBInstances in ap-guangzhou: Denied"}
	if !slices.Equal(told, want) {
		t.Errorf("told of %q, want %q", told, want)
	}
}
