package standin

import "slices"

const engine = "postgresql"

// storageTypes are the documented ones; the first is the default.
var storageTypes = []string{"PHYSICAL_LOCAL_SSD", "CLOUD_PREMIUM", "CLOUD_SSD", "CLOUD_HSSD"}

// periods are the months that can be bought.
var periods = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 24, 36}

// checkCreate refuses what the real API refuses, and finds the version to buy.
func (t *turn) checkCreate(p createParams) (*Version, *apiError) {
	if p.InstanceChargeType != prepaid && p.InstanceChargeType != postpaid {
		return nil, fail("InvalidParameterValue.IllegalInstanceChargeType", "The charge type `%s` is not valid.", p.InstanceChargeType)
	}
	if p.InstanceCount < 1 || p.InstanceCount > 10 {
		return nil, fail("InvalidParameterValue.InvalidInstanceNum", "InstanceCount must be 1 to 10, not %d.", p.InstanceCount)
	}
	if !slices.Contains(periods, p.Period) || p.InstanceChargeType == postpaid && p.Period != 1 {
		return nil, outOfRange("Period", p.Period)
	}
	if p.Charset != "UTF8" && p.Charset != "LATIN1" {
		return nil, fail("InvalidParameterValue.InvalidCharset", "The charset `%s` is not supported, only UTF8 and LATIN1.", p.Charset)
	}
	if p.DBEngine != engine || p.StorageType != "" && !slices.Contains(storageTypes, p.StorageType) {
		return nil, fail("InvalidParameterValue.InvalidParameterValueError", "DBEngine or StorageType is not valid.")
	}
	for _, failed := range []*apiError{
		checkAccount(p.AdminName), checkPassword(p.AdminPassword), checkTags(p.TagList),
		checkSecurityGroups(p.SecurityGroupIds), flag("AutoRenewFlag", p.AutoRenewFlag), flag("AutoVoucher", p.AutoVoucher),
		flag("NeedSupportTDE", p.NeedSupportTDE), flag("NeedSupportIpv6", p.NeedSupportIpv6),
	} {
		if failed != nil {
			return nil, failed
		}
	}
	if p.Name != "" {
		if failed := checkName(p.Name); failed != nil {
			return nil, failed
		}
	}
	zone, failed := t.checkPlace(p)
	if failed != nil {
		return nil, failed
	}
	version, failed := t.checkVersion(p)
	if failed != nil {
		return nil, failed
	}
	class := t.catalog.classBySpec(zone, version.Major, p.SpecCode)
	if class == nil {
		return nil, fail("InvalidParameterValue.SpecNotRecognizedError", "The spec `%s` is not recognized.", p.SpecCode)
	}
	return version, checkStorage(class, p.Storage)
}

// checkPlace checks zone, network and nodes.
func (t *turn) checkPlace(p createParams) (*Zone, *apiError) {
	zone := t.region.zone(p.Zone)
	if zone == nil {
		return nil, fail("InvalidParameterValue.IllegalZone", "The zone `%s` is not valid in %s.", p.Zone, t.region.Name)
	}
	switch {
	case p.VpcId == "" && p.SubnetId == "":
		return nil, fail("FailedOperation.CreateBasicNetworkDeniedError", "The classic network takes no new instances; VpcId and SubnetId are needed.")
	case p.VpcId == "":
		return nil, fail("MissingParameter", "The request is missing a required parameter `VpcId`.")
	case p.SubnetId == "":
		return nil, fail("MissingParameter", "The request is missing a required parameter `SubnetId`.")
	case !t.region.hasVpc(p.VpcId):
		return nil, fail("InvalidParameter.VpcNotFoundError", "The VPC `%s` is not found.", p.VpcId)
	}
	if s := t.region.subnet(p.SubnetId); s == nil || s.VpcID != p.VpcId {
		return nil, fail("ResourceUnavailable.VpcResourceNotFound", "The subnet `%s` is not found in the VPC `%s`.", p.SubnetId, p.VpcId)
	}
	primaries := 0
	for _, n := range p.DBNodeSet {
		primary := n.Role == "Primary"
		if primary {
			primaries++
		}
		if t.region.zone(n.Zone) == nil || primary && n.Zone != p.Zone || !primary && n.Role != "Standby" {
			return nil, fail("InvalidParameterValue.InvalidParameterValueError", "DBNodeSet is not valid.")
		}
	}
	if len(p.DBNodeSet) > 0 && primaries != 1 {
		return nil, fail("InvalidParameterValue.InvalidParameterValueError", "DBNodeSet needs exactly one Primary.")
	}
	switch zone.State {
	case ZoneAvailable:
		return zone, nil
	case ZoneClosed:
		return nil, fail("InvalidParameterValue.IllegalZone", "The zone `%s` is not open.", p.Zone)
	}
	return nil, fail("ResourceInsufficient.ResourceNotEnough", "The zone `%s` is sold out.", p.Zone)
}

// checkVersion finds what is for sale under the names given.
func (t *turn) checkVersion(p createParams) (*Version, *apiError) {
	if p.DBMajorVersion == "" && p.DBVersion == "" && p.DBKernelVersion == "" {
		return nil, fail("MissingParameter", "The request is missing a required parameter `DBMajorVersion`.")
	}
	v := t.catalog.newest(func(v Version) bool {
		return v.State == VersionAvailable && (p.DBMajorVersion == "" || p.DBMajorVersion == v.Major) &&
			(p.DBVersion == "" || p.DBVersion == v.Version) && (p.DBKernelVersion == "" || p.DBKernelVersion == v.Kernel)
	})
	if v == nil {
		return nil, fail("InvalidParameterValue.InvalidParameterValueError",
			"The version (DBMajorVersion `%s`, DBVersion `%s`, DBKernelVersion `%s`) is not for sale.",
			p.DBMajorVersion, p.DBVersion, p.DBKernelVersion)
	}
	return v, nil
}
