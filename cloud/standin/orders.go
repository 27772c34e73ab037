package standin

import "time"

// order is a purchase as billing sees it.
type order struct {
	Name       string
	FlowID     int64
	ChargeType string
	Bought     time.Time
	Instances  []string
}

// describeOrders shows a deal in steps: nothing at first, then the deal without
// its instances, and after Timing.Order the whole.
func describeOrders(t *turn, p struct{ DealNames []string }) (any, *apiError) {
	if len(p.DealNames) == 0 {
		return nil, fail("InvalidParameterValue.NullDealNames", "DealNames is empty.")
	}
	type deal struct {
		DealName, OwnerUin string
		Count, PayMode     int // PayMode 0 postpaid, 1 prepaid
		FlowId             int64
		DBInstanceIdSet    []string
	}
	deals := []deal{}
	for _, name := range p.DealNames {
		o := t.world.Orders[name]
		if o == nil {
			return nil, fail("FailedOperation.QueryDealFailed", "The deal `%s` is not found.", name)
		}
		age := t.now.Sub(o.Bought)
		if age < t.timing.Order/2 {
			continue
		}
		d := deal{DealName: name, Count: len(o.Instances), FlowId: o.FlowID, DBInstanceIdSet: []string{}}
		if o.ChargeType == prepaid {
			d.PayMode = 1
		}
		if age >= t.timing.Order {
			d.DBInstanceIdSet = o.Instances
		}
		deals = append(deals, d)
	}
	return struct {
		TotalCount int
		Deals      []deal
	}{len(deals), deals}, nil
}
