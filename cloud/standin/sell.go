package standin

import "slices"

// The reads that tell what can be bought, where and for how much.

type classParams struct{ Zone, DBEngine, DBMajorVersion, StorageType string }

func describeClasses(t *turn, p classParams) (any, *apiError) {
	zone := t.region.zone(p.Zone)
	if zone == nil {
		return nil, fail("InvalidParameterValue.IllegalZone", "The zone `%s` is not valid in %s.", p.Zone, t.region.Name)
	}
	known := t.catalog.newest(func(v Version) bool { return v.Major == p.DBMajorVersion })
	if p.DBEngine != engine || known == nil || p.StorageType != "" && !slices.Contains(storageTypes, p.StorageType) {
		return nil, fail("InvalidParameterValue.InvalidParameterValueError",
			"DBEngine `%s`, DBMajorVersion `%s` or StorageType `%s` is not known.", p.DBEngine, p.DBMajorVersion, p.StorageType)
	}
	type class struct {
		SpecCode                                 string
		CPU, Memory, MaxStorage, MinStorage, QPS int // Memory in MB, storage in GB
	}
	out := struct{ ClassInfoSet []class }{[]class{}}
	for _, c := range t.catalog.Classes {
		out.ClassInfoSet = append(out.ClassInfoSet, class{zone.specCode(p.DBMajorVersion, c),
			c.CPU, c.MemoryMB, c.MaxStorageGB, c.MinStorageGB, c.QPS})
	}
	return out, nil
}

func describeVersions(t *turn, _ struct{ StorageType string }) (any, *apiError) {
	type version struct {
		DBEngine, DBVersion, DBMajorVersion, DBKernelVersion, Status string
		SupportedFeatureNames, AvailableUpgradeTarget                []string
	}
	out := struct{ VersionSet []version }{[]version{}}
	for _, v := range slices.Backward(t.catalog.Versions) {
		out.VersionSet = append(out.VersionSet, version{engine, v.Version, v.Major, v.Kernel, v.State,
			[]string{}, t.catalog.targets(v)})
	}
	return out, nil
}

func describeZones(t *turn, _ empty) (any, *apiError) {
	type zone struct {
		Zone, ZoneName, ZoneState string
		ZoneId, ZoneSupportIpv6   int
		StandbyZoneSet            []string
	}
	out := struct {
		TotalCount int
		ZoneSet    []zone
	}{len(t.region.Zones), []zone{}}
	for n, z := range t.region.Zones {
		out.ZoneSet = append(out.ZoneSet, zone{Zone: z.Name, ZoneName: z.Name, ZoneState: z.State, ZoneId: n + 1,
			StandbyZoneSet: []string{z.Name}})
	}
	return out, nil
}

type priceParams struct {
	Zone, SpecCode, InstanceChargeType, InstanceType, DBEngine, StorageType string
	Storage, InstanceCount, Period, Pid                                     int
}

// The prices, in fen. They are made up.
const (
	cpuHour, memoryGBHour, storageGBHour = 20, 8, 1
	hoursPaidInMonth                     = 480 // a prepaid month is cheaper than its hours
)

// inquirePrice quotes one hour (POSTPAID) or Period months (PREPAID).
func inquirePrice(t *turn, p priceParams) (any, *apiError) {
	zone := t.region.zone(p.Zone)
	if zone == nil {
		return nil, fail("InvalidParameterValue.IllegalZone", "The zone `%s` is not valid in %s.", p.Zone, t.region.Name)
	}
	var class *Class
	for _, v := range t.catalog.Versions {
		if c := t.catalog.classBySpec(zone, v.Major, p.SpecCode); c != nil {
			class = c
		}
	}
	if class == nil {
		return nil, fail("InvalidParameterValue.SpecNotRecognizedError", "The spec `%s` is not recognized.", p.SpecCode)
	}
	if failed := checkStorage(class, p.Storage); failed != nil {
		return nil, failed
	}
	if p.InstanceCount < 1 || p.InstanceCount > 10 {
		return nil, fail("InvalidParameterValue.InvalidInstanceNum", "InstanceCount must be 1 to 10, not %d.", p.InstanceCount)
	}
	hours := 1
	switch p.InstanceChargeType {
	case "POSTPAID":
	case "", "PREPAID":
		if !slices.Contains(periods, p.Period) {
			return nil, outOfRange("Period", p.Period)
		}
		hours = hoursPaidInMonth * p.Period
	default:
		return nil, fail("InvalidParameterValue.IllegalChargeType", "The charge type `%s` is not PREPAID or POSTPAID.", p.InstanceChargeType)
	}
	price := (class.CPU*cpuHour + class.MemoryMB/1024*memoryGBHour + p.Storage*storageGBHour) * hours * p.InstanceCount
	return struct {
		OriginalPrice, Price int
		Currency             string
	}{price, price, "CNY"}, nil
}
