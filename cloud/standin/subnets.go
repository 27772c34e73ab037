package standin

import (
	"regexp"
	"slices"
	"strconv"
)

// The one action of the service vpc.

var subnetID = regexp.MustCompile(`^subnet-[a-z0-9]{8}$`)

type subnetParams struct {
	SubnetIds     []string
	Filters       []filter
	Limit, Offset string // strings here, unlike in postgres
}

type wireSubnet struct {
	VpcId, SubnetId, SubnetName, CidrBlock, Zone string
	IsDefault                                    bool
	TotalIpAddressCount, AvailableIpAddressCount int
	CreatedTime                                  string
}

func describeSubnets(t *turn, p subnetParams) (any, *apiError) {
	if len(p.SubnetIds) > 0 && len(p.Filters) > 0 {
		return nil, fail("InvalidParameter.Coexist", "The parameters `SubnetIds` and `Filters` cannot be given together.")
	}
	if len(p.SubnetIds) > 100 {
		return nil, fail("LimitExceeded", "At most 100 SubnetIds can be given, not %d.", len(p.SubnetIds))
	}
	limit, failed := number("Limit", p.Limit, 20, 1, 100)
	if failed != nil {
		return nil, failed
	}
	offset, failed := number("Offset", p.Offset, 0, 0, 1<<30)
	if failed != nil {
		return nil, failed
	}
	for _, id := range p.SubnetIds {
		if !subnetID.MatchString(id) {
			return nil, fail("InvalidParameterValue.Malformed", "The subnet id `%s` is malformed.", id)
		}
		if t.region.subnet(id) == nil {
			return nil, fail("ResourceNotFound", "The subnet `%s` is not found.", id)
		}
	}
	set := []wireSubnet{}
	for n := range t.region.Subnets {
		s := &t.region.Subnets[n]
		keep := len(p.SubnetIds) == 0 || slices.Contains(p.SubnetIds, s.ID)
		for _, f := range p.Filters {
			field, ok := map[string]string{"subnet-id": s.ID, "vpc-id": s.VpcID, "zone": s.Zone, "subnet-name": s.Name}[f.Name]
			if !ok {
				return nil, fail("InvalidParameterValue", "The filter `%s` is not known.", f.Name)
			}
			keep = keep && slices.Contains(f.Values, field)
		}
		if keep {
			set = append(set, wireSubnet{VpcId: s.VpcID, SubnetId: s.ID, SubnetName: s.Name, CidrBlock: s.CIDR.String(), Zone: s.Zone,
				TotalIpAddressCount: s.size(), AvailableIpAddressCount: t.world.free(s, t.now), CreatedTime: "2024-01-01 00:00:00"})
		}
	}
	return struct {
		TotalCount int
		SubnetSet  []wireSubnet
	}{len(set), set[min(offset, len(set)):min(offset+limit, len(set))]}, nil
}

// number reads a number that the API takes as a string.
func number(name, text string, absent, low, high int) (int, *apiError) {
	if text == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fail("InvalidParameterValue.Malformed", "The value of parameter `%s` is not a number.", name)
	}
	if n < low || n > high {
		return 0, fail("InvalidParameterValue.Range", "The value %d of parameter `%s` is not within %d to %d.", n, name, low, high)
	}
	return n, nil
}
