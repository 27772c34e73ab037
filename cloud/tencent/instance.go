package tencent

import (
	"strings"

	"example.com/mote/cloud"
	"example.com/mote/jsonscan"
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

func (d *dbInstance) scan(s *jsonscan.Scanner) error {
	return s.Object(func(key []byte) error {
		switch string(key) {
		case "DBInstanceId":
			return s.String(&d.DBInstanceId)
		case "DBInstanceName":
			return s.String(&d.DBInstanceName)
		case "DBInstanceStatus":
			return s.String(&d.DBInstanceStatus)
		case "Region":
			return s.String(&d.Region)
		case "Zone":
			return s.String(&d.Zone)
		case "VpcId":
			return s.String(&d.VpcId)
		case "SubnetId":
			return s.String(&d.SubnetId)
		case "DBInstanceCpu":
			return s.Int(&d.DBInstanceCpu)
		case "DBInstanceMemory":
			return s.Int(&d.DBInstanceMemory)
		case "DBInstanceStorage":
			return s.Int(&d.DBInstanceStorage)
		case "DBMajorVersion":
			return s.String(&d.DBMajorVersion)
		case "DBVersion":
			return s.String(&d.DBVersion)
		case "DBKernelVersion":
			return s.String(&d.DBKernelVersion)
		case "PayType":
			return s.String(&d.PayType)
		case "DeletionProtection":
			return s.Bool(&d.DeletionProtection)
		case "DBInstanceNetInfo":
			d.DBInstanceNetInfo = d.DBInstanceNetInfo[:0]
			return s.Array(func() error {
				d.DBInstanceNetInfo = append(d.DBInstanceNetInfo, netInfo{})
				return d.DBInstanceNetInfo[len(d.DBInstanceNetInfo)-1].scan(s)
			})
		case "TagList":
			d.TagList = d.TagList[:0]
			return s.Array(func() error {
				d.TagList = append(d.TagList, tag{})
				return d.TagList[len(d.TagList)-1].scan(s)
			})
		}
		return s.Skip()
	})
}

func (n *netInfo) scan(s *jsonscan.Scanner) error {
	return s.Object(func(key []byte) error {
		switch string(key) {
		case "NetType":
			return s.String(&n.NetType)
		case "Status":
			return s.String(&n.Status)
		case "Ip":
			return s.String(&n.Ip)
		case "Port":
			return s.Int(&n.Port)
		}
		return s.Skip()
	})
}

func (t *tag) scan(s *jsonscan.Scanner) error {
	return s.Object(func(key []byte) error {
		switch string(key) {
		case "TagKey":
			return s.String(&t.TagKey)
		case "TagValue":
			return s.String(&t.TagValue)
		}
		return s.Skip()
	})
}

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
