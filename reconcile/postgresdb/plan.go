package postgresdb

import (
	"strings"

	"example.com/mote/cloud"
)

// plan works out the purchase from the spec, the subnet and what is for sale;
// when it can't, ok is false and the decision says what to do.
func plan(v View) (cloud.CreateRequest, Decision, bool) {
	s := v.Object.Spec
	none := cloud.CreateRequest{}
	if v.Subnet == nil {
		return none, Decision{Do: ReadSubnet}, false
	}
	zone, vpc := v.Subnet.Zone, v.Subnet.VPCID
	if s.Zone != "" {
		zone = s.Zone
	}
	if s.VPCID != "" && s.VPCID != vpc {
		return none, failed(v.Settings.RefusedRetry, "WrongNetwork", "spec.vpcID is %s, but subnet %s lies in %s", s.VPCID, s.SubnetID, vpc), false
	}
	if v.Offer == nil {
		return none, Decision{Do: ReadOffer}, false
	}
	major, _, _ := strings.Cut(s.EngineVersion, ".")
	if why := versionFor(v.Offer.Versions, s.EngineVersion); why != "" {
		return none, failed(v.Settings.RefusedRetry, "VersionNotForSale", "%s", why), false
	}
	class, why := classFor(v.Offer.Classes, s.InstanceClass, int(s.StorageGB), zone, major)
	if why != "" {
		return none, failed(v.Settings.RefusedRetry, "ClassNotForSale", "%s", why), false
	}
	tags := map[string]string{}
	for k, t := range s.Tags {
		tags[k] = string(t)
	}
	tags[TagUID], tags[TagObject] = string(v.Object.UID), objectTag(v.Object)
	return cloud.CreateRequest{
		Name: InstanceName(string(v.Object.UID)), SpecCode: class.SpecCode, StorageGB: int(s.StorageGB), Major: major,
		Zone: zone, VPCID: vpc, SubnetID: s.SubnetID, ChargeType: cloud.ChargeType(s.ChargeType), AdminUser: s.AdminUser,
		DeletionProtection: s.DeletionProtection != nil && *s.DeletionProtection,
		SecurityGroupIDs:   s.SecurityGroupIDs, Tags: tags,
	}, Decision{}, true
}
