package tencent

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"example.com/mote/cloud"
)

// createRequest is what we send of CreateInstances. Nothing with a default of
// the cloud's own is left out where the default could cost money.
type createRequest struct {
	Name, SpecCode, Zone, VpcId, SubnetId string
	DBEngine, DBMajorVersion, Charset     string
	Storage                               int // GB
	InstanceCount, Period                 int // Period in months; 1 for postpaid, too
	InstanceChargeType                    string
	AutoRenewFlag                         int
	AdminName, AdminPassword              string
	DeletionProtection                    bool
	SecurityGroupIds                      []string `json:",omitempty"`
	TagList                               []tag    `json:",omitempty"`
}

// Create buys one instance; see cloud.Postgres. A prepaid one is bought for a
// month and renews itself.
func (c *Client) Create(ctx context.Context, region string, r cloud.CreateRequest) (cloud.Created, error) {
	request, refusal := createRequestOf(&r)
	if refusal != nil {
		return cloud.Created{}, c.refuse(region, createInstances, refusal[0], refusal[1])
	}
	var answer struct{ DBInstanceIdSet, DealNames []string }
	id, err := c.call(ctx, region, createInstances, request, &answer, r.AdminPassword)
	if err != nil {
		return cloud.Created{}, err
	}
	created := cloud.Created{Orders: named(answer.DealNames)}
	ids := named(answer.DBInstanceIdSet)
	switch {
	case len(ids) > 1:
		return cloud.Created{}, c.unclear(region, id, fmt.Sprintf("one instance was asked for and %d were answered", len(ids)))
	case len(ids) == 1:
		created.ID = ids[0]
	case len(created.Orders) == 0:
		return cloud.Created{}, c.unclear(region, id, "the cloud said yes, but gave neither an instance nor an order")
	}
	return created, nil
}

// createRequestOf is what is sent for r; refusal is the code and the message of why
// nothing is. Its frame is gone while the call waits.
//
//go:noinline
func createRequestOf(r *cloud.CreateRequest) (request *createRequest, refusal []string) {
	request = &createRequest{
		Name: r.Name, SpecCode: r.SpecCode, Zone: r.Zone, VpcId: r.VPCID, SubnetId: r.SubnetID,
		DBEngine: engine, DBMajorVersion: r.Major, Charset: "UTF8",
		Storage: r.StorageGB, InstanceCount: 1, Period: 1,
		AdminName: r.AdminUser, AdminPassword: r.AdminPassword,
		DeletionProtection: r.DeletionProtection, SecurityGroupIds: r.SecurityGroupIDs,
	}
	switch r.ChargeType {
	case cloud.PostpaidByHour:
		request.InstanceChargeType = "POSTPAID_BY_HOUR"
	case cloud.Prepaid:
		request.InstanceChargeType, request.AutoRenewFlag = "PREPAID", 1
	default:
		return nil, []string{"mote.NoChargeType", fmt.Sprintf("the charge type %q is neither %s nor %s", r.ChargeType, cloud.PostpaidByHour, cloud.Prepaid)}
	}
	if r.Name == "" {
		return nil, []string{"mote.NoName", "without a name a purchase could not be found again"}
	}
	for _, key := range slices.Sorted(maps.Keys(r.Tags)) {
		request.TagList = append(request.TagList, tag{key, r.Tags[key]})
	}
	return request, nil
}

// CreateWait is how long our own rate would turn a purchase away for.
func (c *Client) CreateWait(region string) time.Duration {
	return c.limits.Ready(createInstances.name, region)
}

// unclear is a purchase that was answered, but not so that it can be used.
func (c *Client) unclear(region, requestID, message string) *cloud.Error {
	e := c.refuse(region, createInstances, "mote.UnclearPurchase", message)
	e.Class, e.RequestID = cloud.Ambiguous, requestID
	return e
}

// Orders returns the ids of the instances that orders have produced so far.
func (c *Client) Orders(ctx context.Context, region string, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	var answer struct {
		Deals []struct {
			DealName        string
			DBInstanceIdSet []string
		}
	}
	request := struct{ DealNames []string }{names}
	if _, err := c.call(ctx, region, describeOrders, request, &answer); err != nil {
		return nil, err
	}
	var ids []string
	for _, d := range answer.Deals {
		if slices.Contains(names, d.DealName) {
			ids = append(ids, named(d.DBInstanceIdSet)...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// named leaves out empty names, which the API answers for what is not there yet.
func named(names []string) []string {
	return slices.DeleteFunc(names, func(s string) bool { return s == "" })
}
