package check

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/crd/examplev1"
	"example.com/mote/k3s"
)

// Plan is what to look at.
type Plan struct {
	Config        *rest.Config // nil: there is no cluster, for ConfigTrouble
	ConfigTrouble string
	Scope         k3s.Scope
	OwnNamespace  string // where Mote lives
	Namespace     string // of the objects; "" is all
	LabelSelector string
	FieldSelector string

	Region     string
	Subnet     string // to be looked at besides those of objects; "" is none
	Credential string // where keys come from, in words
	// Keys tells why there are no keys; nil: there are.
	Keys func(ctx context.Context) error
	// Cloud is asked as Mote asks it; CloudDates is under its transport.
	Cloud      cloud.Postgres
	CloudDates *Dates

	Unknown []string // variables that are of no flag
	Memory  Memory
}

// Bounds of what is looked at.
const (
	mostRegions = 8
	mostSubnets = 32
	asideCalls  = 8 // questions at once
)

// Observe looks at all of it, within a minute. What cannot be reached costs its own
// time only.
func Observe(ctx context.Context, p Plan) Observed {
	o := Observed{Unknown: p.Unknown, Region: p.Region, Credential: p.Credential, Memory: p.Memory}
	use := usage{subnets: map[string]Subnet{}, regions: map[string]bool{}}
	dates := &Dates{}
	if p.Config == nil {
		o.Cluster = Cluster{Host: "the cluster", Trouble: p.ConfigTrouble}
	} else if s, err := newServer(p.Config, dates); err != nil {
		o.Cluster = Cluster{Host: p.Config.Host, Trouble: err.Error()}
	} else if o.Cluster = s.version(ctx, p.Config.Host); o.Cluster.Trouble == "" {
		s.observe(ctx, p, &o, &use)
	}
	if o.Cluster.Trouble == "" || o.Cluster.Refused {
		o.Clocks = append(o.Clocks, dates.clock("the API server"))
	}
	limited, cancel := context.WithTimeout(ctx, probeLimit)
	err := p.Keys(limited)
	cancel()
	if err != nil {
		o.KeyTrouble = err.Error()
		return o
	}
	p.observeCloud(ctx, &o, use)
	if p.CloudDates.clock("").Known {
		o.Clocks = append(o.Clocks, p.CloudDates.clock("the cloud"))
	}
	return o
}

// usage is what objects in the selection use of the cloud.
type usage struct {
	regions map[string]bool
	subnets map[string]Subnet // with Region, ID and By alone; By is of one that names it
}

func (u usage) subnet(region, id, by string) {
	if id == "" {
		return
	}
	u.subnets[region+" "+id] = Subnet{Region: region, ID: id, By: by}
}

func (s *server) version(ctx context.Context, host string) Cluster {
	var v struct{ GitVersion string }
	err := s.get(ctx, "/version", nil, &v)
	c := Cluster{Host: host, Version: v.GitVersion}
	if err != nil {
		c.Trouble, c.Refused = err.Error(), answered(err) == 401
	}
	return c
}

// observe looks at what is in the cluster.
func (s *server) observe(ctx context.Context, p Plan, o *Observed, use *usage) {
	defs, err := embedded()
	if err != nil {
		o.Cluster.Trouble = err.Error()
		return
	}
	kinds := []string{databasev1.Resource, examplev1.Resource}
	o.Kinds = make([]Kind, len(kinds))
	var all sync.WaitGroup
	for i, resource := range kinds {
		d := defs[slices.IndexFunc(defs, func(d definition) bool { return d.Spec.Names.Plural == resource })]
		all.Go(func() {
			o.Kinds[i] = s.kind(ctx, d)
			if o.Kinds[i].Served {
				s.objects(ctx, p, d, &o.Kinds[i], use)
			}
		})
	}
	all.Go(func() { o.Rights = s.rights(ctx, k3s.Rules(p.Scope)) })
	all.Go(func() { o.Lease = s.lease(ctx, p.Scope) })
	all.Go(func() { o.Security = s.security(ctx, p.OwnNamespace) })
	all.Wait()
}

// observeCloud asks each region that is used, and for each subnet.
func (p Plan) observeCloud(ctx context.Context, o *Observed, use usage) {
	if p.Region != "" {
		use.regions[p.Region] = true
	}
	if p.Subnet != "" && p.Region != "" {
		use.subnet(p.Region, p.Subnet, "--subnet")
	}
	regions := slices.Sorted(maps.Keys(use.regions))
	o.Regions = make([]Region, min(len(regions), mostRegions))
	subnets := slices.Sorted(maps.Keys(use.subnets))
	for _, name := range subnets[:min(len(subnets), mostSubnets)] {
		o.Subnets = append(o.Subnets, use.subnets[name])
	}
	var all sync.WaitGroup
	free := make(chan struct{}, asideCalls)
	call := func(f func(ctx context.Context)) {
		all.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			limited, cancel := context.WithTimeout(ctx, probeLimit)
			defer cancel()
			f(limited)
		})
	}
	for i := range o.Regions {
		call(func(ctx context.Context) { o.Regions[i] = p.region(ctx, regions[i]) })
	}
	for i := range o.Subnets {
		call(func(ctx context.Context) {
			found, err := p.Cloud.Subnet(ctx, o.Subnets[i].Region, o.Subnets[i].ID)
			o.Subnets[i].Zone, o.Subnets[i].VPC = found.Zone, found.VPCID
			if err != nil {
				o.Subnets[i].Trouble, o.Subnets[i].Class = words(err), string(cloud.ClassOf(err))
			}
		})
	}
	all.Wait()
}

// words are an error's, without a code that is ours and not the cloud's: its message
// says the same.
func words(err error) string {
	var e *cloud.Error
	if errors.As(err, &e) && strings.HasPrefix(e.Code, "mote.") {
		return strings.Replace(err.Error(), e.Code+": ", "", 1)
	}
	return err.Error()
}

// region asks a signed question whose answer is short: for an instance of a name that
// none of Mote's has.
func (p Plan) region(ctx context.Context, name string) Region {
	r := Region{Name: name}
	_, err := p.Cloud.Find(ctx, name, "mote-check")
	if err != nil {
		r.Trouble, r.Class = words(err), string(cloud.ClassOf(err))
		var e *cloud.Error
		if errors.As(err, &e) {
			r.Network, r.Code = e.Network, e.Code
		}
	}
	return r
}

func (s *server) lease(ctx context.Context, scope k3s.Scope) Lease {
	if scope.LeaseName == "" {
		return Lease{}
	}
	l := Lease{Name: scope.LeaseNamespace + "/" + scope.LeaseName, Now: time.Now()}
	var found struct {
		Spec struct {
			HolderIdentity         string
			LeaseDurationSeconds   int
			AcquireTime, RenewTime time.Time
		}
	}
	err := s.get(ctx, "/apis/coordination.k8s.io/v1/namespaces/"+scope.LeaseNamespace+"/leases/"+scope.LeaseName, nil, &found)
	switch {
	case answered(err) == 404:
	case err != nil:
		l.Trouble = err.Error()
	default:
		l.There, l.Holder, l.Since, l.Renewed = true, found.Spec.HolderIdentity, found.Spec.AcquireTime, found.Spec.RenewTime
		l.Lasts = time.Duration(found.Spec.LeaseDurationSeconds) * time.Second
	}
	return l
}

func (s *server) security(ctx context.Context, namespace string) Security {
	out := Security{Namespace: namespace}
	var found struct {
		Metadata struct{ Labels map[string]string }
	}
	err := s.get(ctx, "/api/v1/namespaces/"+namespace, nil, &found)
	switch {
	case answered(err) == 404:
	case answered(err) == 403:
		out.Trouble = "the ServiceAccount may not read namespace " + namespace + ", and need not: run mote check with your own kubeconfig to see it"
	case err != nil:
		out.Trouble = err.Error()
	default:
		out.There, out.Enforced = true, found.Metadata.Labels["pod-security.kubernetes.io/enforce"]
	}
	return out
}
