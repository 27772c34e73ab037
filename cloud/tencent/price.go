package tencent

import (
	"context"

	"example.com/mote/cloud"
)

// Price is the list price with the account's discounts: of an hour, or of a month
// when the instance is prepaid.
func (c *Client) Price(ctx context.Context, region string, of cloud.Priced) (cloud.Price, error) {
	charge := "POSTPAID" // here it is not spelled as it is in a purchase
	if of.ChargeType == cloud.Prepaid {
		charge = "PREPAID"
	}
	request := struct {
		Zone, SpecCode                 string
		Storage, InstanceCount, Period int
		InstanceChargeType             string
	}{of.Zone, of.SpecCode, of.StorageGB, 1, 1, charge}
	var answer struct {
		Price    *int64 // fen
		Currency string
	}
	id, err := c.call(ctx, region, inquirePrice, request, &answer)
	if err != nil {
		return cloud.Price{}, err
	}
	if answer.Price == nil || *answer.Price < 0 {
		e := c.refuse(region, inquirePrice, "mote.UnreadableAnswer", "the answer has no price")
		e.Class, e.RequestID = cloud.Ambiguous, id
		return cloud.Price{}, e
	}
	if answer.Currency == "" {
		answer.Currency = "CNY"
	}
	return cloud.Price{Cents: *answer.Price, Currency: answer.Currency}, nil
}
