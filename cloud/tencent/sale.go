package tencent

import (
	"context"
	"fmt"

	"example.com/mote/cloud"
)

const engine = "postgresql"

// Subnet tells where a subnet lies; class Refused when the region has no such.
func (c *Client) Subnet(ctx context.Context, region, subnetID string) (cloud.Subnet, error) {
	if subnetID == "" {
		return cloud.Subnet{}, c.refuse(region, describeSubnets, "mote.NoSubnet", "no subnet was given")
	}
	var answer struct {
		SubnetSet []struct{ SubnetId, VpcId, Zone string }
	}
	request := struct{ SubnetIds []string }{[]string{subnetID}}
	id, err := c.call(ctx, region, describeSubnets, request, &answer)
	if err != nil {
		return cloud.Subnet{}, err
	}
	for _, s := range answer.SubnetSet {
		if s.SubnetId == subnetID {
			return cloud.Subnet{ID: s.SubnetId, VPCID: s.VpcId, Zone: s.Zone}, nil
		}
	}
	e := c.refuse(region, describeSubnets, "mote.SubnetNotFound", fmt.Sprintf("the region has no subnet %q", subnetID))
	e.RequestID = id
	return cloud.Subnet{}, e
}

// Classes lists what is for sale in a zone for a major version ("14").
func (c *Client) Classes(ctx context.Context, region, zone, major string) ([]cloud.InstanceClass, error) {
	var answer struct {
		ClassInfoSet []struct {
			SpecCode               string
			CPU                    int
			Memory                 int // MB
			MinStorage, MaxStorage int // GB
		}
	}
	request := struct{ Zone, DBEngine, DBMajorVersion string }{zone, engine, major}
	if _, err := c.call(ctx, region, describeClasses, request, &answer); err != nil {
		return nil, err
	}
	classes := make([]cloud.InstanceClass, 0, len(answer.ClassInfoSet))
	for _, k := range answer.ClassInfoSet {
		classes = append(classes, cloud.InstanceClass{SpecCode: k.SpecCode, CPU: k.CPU, MemoryGB: k.Memory / 1024,
			MinStorage: k.MinStorage, MaxStore: k.MaxStorage})
	}
	return classes, nil
}

// Versions lists the versions of PostgreSQL that the region knows.
func (c *Client) Versions(ctx context.Context, region string) ([]cloud.Version, error) {
	var answer struct {
		VersionSet []struct {
			DBEngine, DBVersion, DBMajorVersion, DBKernelVersion, Status string
			AvailableUpgradeTarget                                       []string
		}
	}
	if _, err := c.call(ctx, region, describeVersions, struct{}{}, &answer); err != nil {
		return nil, err
	}
	all := make([]cloud.Version, 0, len(answer.VersionSet))
	for _, v := range answer.VersionSet {
		if v.DBEngine == engine || v.DBEngine == "" {
			all = append(all, cloud.Version{Major: v.DBMajorVersion, Minor: v.DBVersion,
				Kernel: v.DBKernelVersion, Available: v.Status == "AVAILABLE", Withdrawn: v.Status == "DEPRECATED",
				Targets: v.AvailableUpgradeTarget})
		}
	}
	return all, nil
}
