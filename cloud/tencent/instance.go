package tencent

import (
	"strings"

	"example.com/mote/cloud"
)

// dbInstance is an instance as the API describes it, as far as we use it.
type dbInstance struct {
	DBInstanceId, DBInstanceName, DBInstanceStatus string
	Region, Zone, VpcId, SubnetId                  string
	DBInstanceCpu                                  int
	DBInstanceMemory, DBInstanceStorage            int // GB, unlike the memory of a class
	DBMajorVersion, DBVersion, DBKernelVersion     string
	PayType                                        string
	DBInstanceNetInfo                              []netInfo
	TagList                                        []tag
	DeletionProtection                             bool
}

type netInfo struct {
	NetType string // private (in a VPC), inner (classic network), public
	Status  string // initing, opened, closed, opening, closing; some answer their numbers 1 to 5
	Ip      string
	Port    int
}

type tag struct{ TagKey, TagValue string }

// instance translates; region is the one that was asked, for answers without.
func (d dbInstance) instance(region string) cloud.Instance {
	i := cloud.Instance{
		ID: d.DBInstanceId, Name: d.DBInstanceName,
		Region: d.Region, Zone: d.Zone, VPCID: d.VpcId, SubnetID: d.SubnetId,
		State: stateOf(d.DBInstanceStatus), Status: d.DBInstanceStatus,
		CPU: d.DBInstanceCpu, MemoryGB: d.DBInstanceMemory, StorageGB: d.DBInstanceStorage,
		Major: d.DBMajorVersion, Version: d.DBVersion, Kernel: d.DBKernelVersion,
		ChargeType:         chargeType(d.PayType),
		DeletionProtection: d.DeletionProtection,
	}
	if i.Region == "" {
		i.Region = region
	}
	i.Host, i.Port = address(d.DBInstanceNetInfo)
	if len(d.TagList) > 0 {
		i.Tags = make(map[string]string, len(d.TagList))
		for _, t := range d.TagList {
			i.Tags[t.TagKey] = t.TagValue
		}
	}
	return i
}

// address is the open private address; empty while there is none.
func address(nets []netInfo) (host string, port int) {
	for _, n := range nets {
		private := n.NetType == "private" || n.NetType == "inner"
		opened := n.Status == "opened" || n.Status == "2"
		if private && opened && n.Ip != "" && n.Port != 0 {
			return n.Ip, n.Port
		}
	}
	return "", 0
}

// chargeType reads PayType (prepaid, postpaid) and the words of the requests
// (PREPAID, POSTPAID_BY_HOUR); "" for any other.
func chargeType(word string) cloud.ChargeType {
	word = strings.ToLower(word)
	switch {
	case word == "prepaid":
		return cloud.Prepaid
	case strings.HasPrefix(word, "postpaid"):
		return cloud.PostpaidByHour
	}
	return ""
}
