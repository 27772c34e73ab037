package standin

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// find is the instance with an id in the call's region, as it is now.
func (t *turn) find(id string) (*instance, *apiError) {
	i := t.world.Instances[id]
	if i != nil {
		t.world.settle(i, t.now)
	}
	if i == nil || !t.exists(i) {
		return nil, notFound(id)
	}
	return i, nil
}

func notFound(id string) *apiError {
	return fail("ResourceNotFound.InstanceNotFoundError", "The instance `%s` is not found.", id)
}

func (t *turn) exists(i *instance) bool {
	return !i.Gone && i.Region == t.region.Name && !t.now.Before(i.Exists)
}

// lagging tells whether the call does not see an instance, or its tags, yet.
func (t *turn) lagging(i *instance, kind Kind) bool {
	return slices.ContainsFunc(t.lags, func(f Fault) bool {
		return f.Kind == kind && (f.Instance == "" || f.Instance == i.ID || f.Instance == i.Name) &&
			t.now.Before(i.Bought.Add(f.Delay))
	})
}

// listed tells whether DescribeDBInstances shows an instance.
func (t *turn) listed(i *instance) bool {
	binned := !i.Isolated.IsZero() || i.Status == offlining || i.Status == offline
	return t.exists(i) && !t.lagging(i, Lag) && !t.now.Before(i.Bought.Add(t.listLag)) && !(t.hideIsolated && binned)
}

func (t *turn) tags(i *instance) []tag {
	if t.lagging(i, LagTags) {
		return []tag{}
	}
	tags := append([]tag{}, i.Tags...)
	if t.normalise {
		slices.SortFunc(tags, func(a, b tag) int { return cmp.Compare(a.TagKey, b.TagKey) })
		if t.now.UnixNano()/int64(time.Millisecond)%2 == 0 {
			slices.Reverse(tags)
		}
	}
	return tags
}

func describeAttribute(t *turn, p struct{ DBInstanceId string }) (any, *apiError) {
	i, failed := t.find(p.DBInstanceId)
	if failed != nil {
		return nil, failed
	}
	if t.lagging(i, Lag) {
		return nil, notFound(p.DBInstanceId)
	}
	return struct{ DBInstance wireInstance }{t.wire(i)}, nil
}

func describeSecurityGroups(t *turn, p struct{ DBInstanceId, ReadOnlyGroupId string }) (any, *apiError) {
	i, failed := t.find(p.DBInstanceId)
	if failed != nil {
		return nil, failed
	}
	type group struct{ SecurityGroupId, SecurityGroupName, SecurityGroupDescription string }
	out := struct{ SecurityGroupSet []group }{[]group{}}
	for _, id := range i.SecurityGroups {
		out.SecurityGroupSet = append(out.SecurityGroupSet, group{SecurityGroupId: id})
	}
	return out, nil
}

type listParams struct {
	Filters              []filter
	Limit                *int
	Offset               int
	OrderBy, OrderByType string
}

func describeInstances(t *turn, p listParams) (any, *apiError) {
	limit := 10
	if p.Limit != nil {
		limit = *p.Limit
	}
	if limit < 0 || limit > 100 {
		return nil, outOfRange("Limit", limit)
	}
	if p.Offset < 0 {
		return nil, outOfRange("Offset", p.Offset)
	}
	order, failed := instanceOrder(p)
	if failed != nil {
		return nil, failed
	}
	var found []*instance
	for _, i := range t.world.settled(t.now) {
		keep := t.listed(i)
		for _, f := range p.Filters {
			match, ok := instanceFilters[f.Name]
			if !ok {
				return nil, fail("InvalidParameterValue.InvalidParameterValueError", "The filter `%s` is not known.", f.Name)
			}
			keep = keep && slices.ContainsFunc(f.Values, func(v string) bool { return match(t, i, v) })
		}
		if keep {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, order)
	out := struct {
		TotalCount    int
		DBInstanceSet []wireInstance
	}{len(found), []wireInstance{}}
	for _, i := range found[min(p.Offset, len(found)):min(p.Offset+limit, len(found))] {
		out.DBInstanceSet = append(out.DBInstanceSet, t.wire(i))
	}
	return out, nil
}

// instanceFilters are the documented filters. Several are all to match, each
// by any of its values; a name matches in part, a tag by its key alone.
var instanceFilters = map[string]func(t *turn, i *instance, value string) bool{
	"db-instance-id":          func(_ *turn, i *instance, v string) bool { return i.ID == v },
	"db-instance-name":        func(_ *turn, i *instance, v string) bool { return strings.Contains(i.Name, v) },
	"db-project-id":           func(_ *turn, i *instance, v string) bool { return strconv.Itoa(i.Project) == v },
	"db-pay-mode":             func(_ *turn, i *instance, v string) bool { return payType(i) == v },
	"db-private-ip":           func(_ *turn, i *instance, v string) bool { return i.Open && i.Address.String() == v },
	"db-public-address":       func(*turn, *instance, string) bool { return false }, // none is ever opened
	"db-dedicated-cluster-id": func(*turn, *instance, string) bool { return false },
	"db-tag-key": func(t *turn, i *instance, v string) bool {
		return slices.ContainsFunc(t.tags(i), func(g tag) bool { return g.TagKey == v })
	},
}

// instanceOrder is how a list is sorted: newest first unless asked otherwise.
func instanceOrder(p listParams) (func(a, b *instance) int, *apiError) {
	var order func(a, b *instance) int
	switch p.OrderBy {
	case "", "CreateTime":
		order = func(a, b *instance) int { return cmp.Compare(a.Seq, b.Seq) }
	case "DBInstanceId":
		order = func(a, b *instance) int { return cmp.Compare(a.ID, b.ID) }
	case "Name":
		order = func(a, b *instance) int { return cmp.Compare(a.Name, b.Name) }
	case "EndTime":
		order = func(a, b *instance) int { return a.expires().Compare(b.expires()) }
	default:
		return nil, fail("InvalidParameterValue.InvalidParameterValueError", "OrderBy `%s` is not known.", p.OrderBy)
	}
	switch {
	case p.OrderByType == "asc":
		return order, nil
	case p.OrderByType == "" || p.OrderByType == "desc":
		return func(a, b *instance) int { return order(b, a) }, nil
	}
	return nil, fail("InvalidParameterValue.InvalidParameterValueError", "OrderByType `%s` is not asc or desc.", p.OrderByType)
}

// expires is when a prepaid instance runs out; zero for a postpaid one.
func (i *instance) expires() time.Time {
	if i.ChargeType != prepaid {
		return time.Time{}
	}
	return i.Exists.AddDate(0, i.Period, 0)
}
