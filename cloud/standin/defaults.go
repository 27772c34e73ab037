package standin

import "net/netip"

// DefaultCatalog is what a Server sells when it is told nothing else: three
// regions, zones in every state, two generations of spec codes, majors 13 to
// 17. It is made up in the style of the real one; only its form is fact.
func DefaultCatalog() Catalog {
	return Catalog{Regions: defaultRegions(), Classes: defaultClasses(), Versions: defaultVersions()}
}

func defaultRegions() []Region {
	const older, current = "cdb.pg.sh1", "pg.at"
	return []Region{
		{Name: "ap-guangzhou",
			Zones: []Zone{
				{"ap-guangzhou-2", ZoneClosed, older},
				{"ap-guangzhou-3", ZoneAvailable, older},
				{"ap-guangzhou-4", ZoneModifyOnly, older},
				{"ap-guangzhou-6", ZoneAvailable, current},
				{"ap-guangzhou-7", ZoneSoldOut, current},
			},
			Subnets: []Subnet{
				{"subnet-mote0001", "vpc-mote0001", "edge-6", "ap-guangzhou-6", netip.MustParsePrefix("10.6.0.0/16")},
				{"subnet-mote0002", "vpc-mote0001", "edge-3", "ap-guangzhou-3", netip.MustParsePrefix("10.3.0.0/16")},
				{"subnet-mote0003", "vpc-mote0001", "edge-7", "ap-guangzhou-7", netip.MustParsePrefix("10.7.0.0/16")},
				{"subnet-mote0004", "vpc-mote0002", "lab-3", "ap-guangzhou-3", netip.MustParsePrefix("172.16.0.0/24")},
				{"subnet-mote0005", "vpc-mote0001", "edge-4", "ap-guangzhou-4", netip.MustParsePrefix("10.4.0.0/16")},
			}},
		{Name: "ap-shanghai",
			Zones: []Zone{
				{"ap-shanghai-2", ZoneAvailable, older},
				{"ap-shanghai-5", ZoneAvailable, current},
			},
			Subnets: []Subnet{
				{"subnet-mote0101", "vpc-mote0101", "edge-5", "ap-shanghai-5", netip.MustParsePrefix("10.105.0.0/16")},
				{"subnet-mote0102", "vpc-mote0101", "edge-2", "ap-shanghai-2", netip.MustParsePrefix("10.102.0.0/16")},
			}},
		{Name: "eu-frankfurt",
			Zones: []Zone{
				{"eu-frankfurt-1", ZoneAvailable, current},
				{"eu-frankfurt-2", ZoneAvailable, current},
			},
			Subnets: []Subnet{
				{"subnet-mote0201", "vpc-mote0201", "edge-1", "eu-frankfurt-1", netip.MustParsePrefix("10.201.0.0/16")},
				{"subnet-mote0202", "vpc-mote0201", "edge-2", "eu-frankfurt-2", netip.MustParsePrefix("10.202.0.0/16")},
			}},
	}
}

func defaultClasses() []Class {
	const gb = 1024
	return []Class{
		{1, 2 * gb, "small2", 10, 3000, 1800},
		{1, 4 * gb, "small4", 10, 3000, 2600},
		{2, 4 * gb, "medium4", 10, 3000, 3800},
		{2, 8 * gb, "medium8", 10, 3000, 5200},
		{4, 8 * gb, "large8", 10, 3000, 7800},
		{4, 16 * gb, "large16", 10, 6000, 10500},
		{8, 16 * gb, "2xlarge16", 50, 6000, 15600},
		{8, 32 * gb, "2xlarge32", 50, 6000, 21000},
		{16, 32 * gb, "4xlarge32", 100, 6000, 31200},
		{16, 64 * gb, "4xlarge64", 100, 6000, 42000},
		{32, 128 * gb, "8xlarge128", 200, 12000, 84000},
	}
}

func defaultVersions() []Version {
	return []Version{
		{"13", "13.3", "v13.3_r1.22", VersionDeprecated},
		{"13", "13.14", "v13.14_r1.9", VersionAvailable},
		{"14", "14.2", "v14.2_r1.30", VersionDeprecated},
		{"14", "14.10", "v14.10_r1.4", VersionUpgradeOnly},
		{"14", "14.11", "v14.11_r1.8", VersionAvailable},
		{"14", "14.11", "v14.11_r1.9", VersionAvailable},
		{"14", "14.13", "v14.13_r1.1", VersionUpgradeOnly},
		{"15", "15.1", "v15.1_r1.25", VersionUpgradeOnly},
		{"15", "15.6", "v15.6_r1.9", VersionAvailable},
		{"15", "15.8", "v15.8_r1.2", VersionUpgradeOnly},
		{"16", "16.0", "v16.0_r1.11", VersionUpgradeOnly},
		{"16", "16.2", "v16.2_r1.7", VersionAvailable},
		{"17", "17.0", "v17.0_r1.4", VersionUpgradeOnly},
		{"17", "17.4", "v17.4_r1.7", VersionAvailable},
	}
}
