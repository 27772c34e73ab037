package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/mote/cloud"
)

// What helps against more than one trouble.
const (
	fixCRDs   = "mote crds | kubectl apply -f -"
	fixRights = "mote manifests ... | kubectl apply -f - (with the flags that this Mote has)"
)

// Judge makes the report: a line for each thing that was looked at.
func Judge(o Observed) []Finding {
	var all []Finding
	all = append(all, o.settings()...)
	all = append(all, o.memory(), o.cluster())
	if o.Cluster.Trouble != "" {
		all = append(all, Finding{"kinds, rights, lease", Unknown, "not looked at, because the cluster cannot be", ""})
	} else {
		for _, k := range o.Kinds {
			all = append(all, k.judge()...)
		}
		all = append(all, o.rights()...)
		all = append(all, o.lease(), o.security())
	}
	all = append(all, o.cloud()...)
	for _, c := range o.Clocks {
		all = append(all, c.judge())
	}
	return all
}

func (o Observed) settings() []Finding {
	var all []Finding
	for _, name := range o.Unknown {
		all = append(all, Finding{"environment", Warning, name + " is no variable of Mote's, and has no effect", "mote run --help lists the flags: --log-level is MOTE_LOG_LEVEL"})
	}
	without := 0
	for _, k := range o.Kinds {
		without += k.NoRegion
	}
	switch {
	case o.Region != "":
		all = append(all, Finding{"region", OK, "objects without a region are of " + o.Region, ""})
	case without > 0:
		all = append(all, Finding{"region", Error, fmt.Sprintf("there is no --region, and %d objects name none", without), "give --region, or name spec.region in each"})
	default:
		all = append(all, Finding{"region", Warning, "there is no --region: each PostgresDB has to name its own", "give --region, like ap-guangzhou"})
	}
	return all
}

// leastMemory is what Mote needs with few objects, and to spare.
const leastMemory = 32 << 20

func (o Observed) memory() Finding {
	f := Finding{Check: "memory", Level: OK}
	switch m := o.Memory; {
	case m.Trouble != "":
		f.Level, f.Message = Unknown, "the limit cannot be read: "+m.Trouble
	case m.Limit == 0:
		f.Message = "there is no limit"
	case m.Limit < leastMemory:
		f.Level, f.Message = Error, fmt.Sprintf("the limit is %d MiB: Mote would be killed", m.Limit>>20)
		f.Fix = "limits.memory: 64Mi is enough for 100,000 objects"
	default:
		f.Message = fmt.Sprintf("the limit is %d MiB", m.Limit>>20)
	}
	return f
}

func (o Observed) cluster() Finding {
	c := o.Cluster
	switch {
	case c.Refused:
		return Finding{"cluster", Error, c.Host + " does not accept the credentials: " + c.Trouble, "check --kubeconfig, or in a pod the ServiceAccount's token (has the ServiceAccount been made anew?)"}
	case c.Trouble != "":
		return Finding{"cluster", Error, "could not ask " + c.Host + ": " + c.Trouble, "check --kubeconfig, the network, and that k3s runs"}
	}
	return Finding{"cluster", OK, c.Host + " is Kubernetes " + c.Version, ""}
}

// Rules of clocks: the cloud takes requests that were signed within five minutes of its
// own time.
const (
	skewTolerated = 30 * time.Second
	skewRefused   = 5 * time.Minute
)

func (c Clock) judge() Finding {
	f := Finding{Check: "clock of " + c.Whose, Level: OK}
	how, off := "ahead of", c.Ahead
	if off < 0 {
		how, off = "behind", -off
	}
	f.Message = fmt.Sprintf("it is %s %s ours", off.Round(time.Second), how)
	switch {
	case !c.Known:
		return Finding{f.Check, Unknown, "it did not tell its time", ""}
	case off < 2*time.Second: // a Date has whole seconds
		f.Message = "it shows the same time as ours"
	case off >= skewRefused:
		f.Level, f.Fix = Error, "set this node's clock (chrony, ntpd, timedatectl): the cloud refuses what is 5 minutes off"
	case off > skewTolerated:
		f.Level, f.Fix = Warning, "set this node's clock (chrony, ntpd, timedatectl): at 5 minutes the cloud refuses every call"
	}
	return f
}

func (o Observed) cloud() []Finding {
	if o.KeyTrouble != "" {
		return []Finding{
			{"credentials", Error, o.KeyTrouble, "put secret-id and secret-key (and token, for temporary ones) there; they are used without a restart, except from the environment"},
			{"cloud", Unknown, "not asked, for want of credentials", ""},
		}
	}
	all := []Finding{{"credentials", OK, "from " + o.Credential, ""}}
	for _, r := range o.Regions {
		all = append(all, r.judge())
	}
	if len(o.Regions) == 0 {
		all = append(all, Finding{"cloud", Unknown, "not asked: no region is known", "give --region"})
	}
	// Where a region turned a signed question away, it says nothing of its subnets.
	away := map[string]bool{}
	for _, r := range o.Regions {
		away[r.Name] = r.Trouble != ""
	}
	for _, s := range o.Subnets {
		if s.Trouble != "" && away[s.Region] {
			all = append(all, Finding{"subnet " + s.ID, Unknown, "not seen, because of cloud in " + s.Region, ""})
			continue
		}
		f := Finding{"subnet " + s.ID, OK, fmt.Sprintf("is in zone %s, %s, as %s needs it", s.Zone, s.VPC, s.By), ""}
		switch {
		case s.Trouble != "" && s.Class == string(cloud.Refused):
			f = Finding{f.Check, Error, fmt.Sprintf("%s names it, and %s has none: %s", s.By, s.Region, s.Trouble), "name a subnet of that region and account in spec.subnetID"}
		case s.Trouble != "" && s.Class == string(cloud.Denied):
			f = Finding{f.Check, Error, "may not be looked at: " + s.Trouble, "allow the keys vpc:DescribeSubnets"}
		case s.Trouble != "":
			f = Finding{f.Check, Unknown, s.Trouble, ""}
		}
		all = append(all, f)
	}
	return all
}

func (r Region) judge() Finding {
	f := Finding{Check: "cloud in " + r.Name, Level: Error, Message: r.Trouble}
	switch {
	case r.Trouble == "":
		f.Level, f.Message = OK, "answers a signed request"
	case r.Network:
		f.Message = "cannot be reached: " + r.Trouble
		f.Fix = "check DNS, routes and proxies from this node (HTTPS_PROXY), and --cloud-endpoint; databases that run are not touched meanwhile"
	case strings.HasPrefix(r.Code, "AuthFailure.SignatureExpire"):
		f.Fix = "set this node's clock"
	case r.Class == string(cloud.Denied) && strings.HasPrefix(r.Code, "AuthFailure"):
		f.Fix = "check secret-id, secret-key and token: revoked, mistyped or, if temporary, expired"
	case r.Class == string(cloud.Denied):
		f.Fix = "allow the keys the actions of postgres, vpc:DescribeSubnets and tag:ModifyResourceTags"
	case r.Class == string(cloud.Refused):
		f.Fix = "check that the region exists and sells PostgreSQL: --region and spec.region are like ap-guangzhou"
	case r.Class == string(cloud.Throttled):
		f.Level, f.Fix = Warning, "something else uses the account's rate; try again"
	default:
		f.Level, f.Fix = Warning, "try again; if it stays so, give the request id to the cloud's support"
	}
	return f
}

// some is a few of many, in order.
func some(list []string) string {
	list = slices.Sorted(slices.Values(list))
	const most = 6
	if len(list) > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
	}
	return strings.Join(list, ", ")
}
