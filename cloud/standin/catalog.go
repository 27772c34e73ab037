package standin

import (
	"fmt"
	"net/netip"
	"slices"
)

// Catalog is what is for sale, and where.
type Catalog struct {
	Regions  []Region
	Classes  []Class
	Versions []Version // oldest first within a major
}

// Region is a region with its zones and the account's subnets in it.
type Region struct {
	Name    string
	Zones   []Zone
	Subnets []Subnet
}

// Zone states, as DescribeZones answers them. Instances are sold in an
// available zone only; SUPPORTMODIFYONLY lets those that are there change.
const (
	ZoneAvailable  = "AVAILABLE"
	ZoneClosed     = "UNAVAILABLE"
	ZoneSoldOut    = "SELLOUT"
	ZoneModifyOnly = "SUPPORTMODIFYONLY"
)

// Zone is an availability zone.
type Zone struct {
	Name  string // "ap-guangzhou-6"
	State string
	// Family begins the spec codes of majors before 17: the same size has
	// another code in another zone.
	Family string
}

// Subnet is a subnet of a VPC.
type Subnet struct {
	ID, VpcID, Name, Zone string
	CIDR                  netip.Prefix // IPv4; instances get their addresses from it
}

// Class is a size, for sale in every zone.
type Class struct {
	CPU, MemoryMB int
	Suffix        string // ends the spec code: "medium4"
	MinStorageGB  int
	MaxStorageGB  int
	QPS           int
}

// Version states, as DescribeDBVersions answers them: for sale, reachable by
// an upgrade only, neither.
const (
	VersionAvailable   = "AVAILABLE"
	VersionUpgradeOnly = "UPGRADE_ONLY"
	VersionDeprecated  = "DEPRECATED"
)

// Version is one kernel of one minor version.
type Version struct {
	Major, Version, Kernel string // "14", "14.11", "v14.11_r1.9"
	State                  string
}

func (c *Catalog) region(name string) *Region {
	for i := range c.Regions {
		if c.Regions[i].Name == name {
			return &c.Regions[i]
		}
	}
	return nil
}

func (r *Region) zone(name string) *Zone {
	for i := range r.Zones {
		if r.Zones[i].Name == name {
			return &r.Zones[i]
		}
	}
	return nil
}

func (r *Region) subnet(id string) *Subnet {
	for i := range r.Subnets {
		if r.Subnets[i].ID == id {
			return &r.Subnets[i]
		}
	}
	return nil
}

func (r *Region) hasVpc(id string) bool {
	return slices.ContainsFunc(r.Subnets, func(s Subnet) bool { return s.VpcID == id })
}

// newFamily begins the spec codes of major 17 and later in every zone.
const newFamily = "pg.it"

// specCode is the name under which a size is sold for a major in a zone.
func (z *Zone) specCode(major string, c Class) string {
	family := z.Family
	if major >= "17" {
		family = newFamily
	}
	return fmt.Sprintf("%s.%s", family, c.Suffix)
}

// classBySpec finds a size by its code; nil when the code is not sold there.
func (c *Catalog) classBySpec(z *Zone, major, code string) *Class {
	for i := range c.Classes {
		if z.specCode(major, c.Classes[i]) == code {
			return &c.Classes[i]
		}
	}
	return nil
}

// classBySize finds a size; cpu 0 takes the first with that memory.
func (c *Catalog) classBySize(cpu, memoryMB int) *Class {
	for i, k := range c.Classes {
		if k.MemoryMB == memoryMB && (cpu == 0 || k.CPU == cpu) {
			return &c.Classes[i]
		}
	}
	return nil
}

// newest is the last version that pick accepts.
func (c *Catalog) newest(pick func(Version) bool) *Version {
	for i := len(c.Versions) - 1; i >= 0; i-- {
		if pick(c.Versions[i]) {
			return &c.Versions[i]
		}
	}
	return nil
}

// targets are the kernels that an instance on v may be upgraded to within its
// major: the later ones that are not deprecated.
func (c *Catalog) targets(v Version) []string {
	at := slices.Index(c.Versions, v)
	kernels := []string{}
	for i, w := range c.Versions {
		if i > at && w.Major == v.Major && w.State != VersionDeprecated {
			kernels = append(kernels, w.Kernel)
		}
	}
	return kernels
}

func (c *Catalog) version(kernel string) *Version {
	return c.newest(func(v Version) bool { return v.Kernel == kernel })
}
