package e2e

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/mote/testbed/bed"
)

// TestSteadyStateIsSilent: with ten objects that are as they should be, mote writes
// nothing but its Lease, asks the API server for nothing and the cloud for one
// page in each sweep; and it needs little memory.
func TestSteadyStateIsSilent(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	user, kubeconfig := s.audited(s.ns)
	p := s.start("--kubeconfig", kubeconfig, "--poll-interval", "200ms", "--sweep-interval", "1s")
	var dbs, webs []string
	var all []manifest
	for i := range 5 {
		db, web := fmt.Sprintf("db-%d", i), fmt.Sprintf("web-%d", i)
		dbs, webs = append(dbs, db), append(webs, web)
		all = append(all, database(db, nil), app(web, fields{"config": map[string]any{"a": "b"}}))
	}
	s.apply(all...)
	s.runs(databases, dbs...)
	s.runs(apps, webs...)
	if n := len(requests(t, user)); n < 30 {
		t.Fatalf("the audit log knows of %d requests only: it does not see mote", n)
	}

	// Once it has come to rest, it stays so.
	s.eventually("it comes to rest", func() error { return s.noise(user, len(dbs), 3) })
	if err := s.noise(user, len(dbs), 12); err != nil {
		t.Error(err)
	}
	checkIdleMemory(s, p)
}

// noise watches for a number of sweeps of the cloud, and as many seconds' worth of
// renewals of the Lease, and tells of all that is not silence.
func (s *site) noise(user string, instances, sweeps int) error {
	s.t.Helper()
	versions, asked := s.versions(), len(requests(s.t, user))
	before := s.calls(0)
	last := before[len(before)-1].Seq
	leaseBefore := s.get(leases, "mote").GetResourceVersion()
	s.eventually(fmt.Sprintf("%d sweeps pass", sweeps), func() error {
		if n := len(s.calls(last)); n < sweeps {
			return fmt.Errorf("%d have passed", n)
		}
		if s.get(leases, "mote").GetResourceVersion() == leaseBefore {
			return errors.New("the Lease was not renewed")
		}
		return nil
	})
	var heard []string
	for _, c := range s.calls(last) {
		if c.Action != "DescribeDBInstances" || len(c.About) != instances {
			heard = append(heard, fmt.Sprintf("call to the cloud: %s about %v", c.Action, c.About))
		}
	}
	for _, r := range requests(s.t, user)[asked:] {
		if !strings.HasPrefix(r.UserAgent, "mote/") {
			return fatal{fmt.Errorf("somebody else (%s) uses mote's ServiceAccount", r.UserAgent)}
		}
		if r.Verb != "watch" && r.ObjectRef.Resource != "leases" {
			heard = append(heard, "request to the API server: "+r.Verb+" "+r.URI)
		}
	}
	if now := s.versions(); !maps.Equal(now, versions) {
		heard = append(heard, fmt.Sprintf("objects changed: %v became %v", versions, now))
	}
	if len(heard) > 0 {
		return errors.New(strings.Join(heard, "\n"))
	}
	return nil
}

// versions are the resourceVersions of all objects of the site that mote writes.
func (s *site) versions() map[string]string {
	s.t.Helper()
	out := map[string]string{}
	for _, r := range []schema.GroupVersionResource{databases, apps, deployments, services, configMaps, secretsResource, eventsResource} {
		for _, u := range s.list(r, "") {
			if controller, _ := u.Object["reportingController"].(string); r == eventsResource && !strings.HasPrefix(controller, "mote") {
				continue
			}
			out[r.Resource+" "+u.GetName()] = u.GetResourceVersion()
		}
	}
	return out
}

// idleMemory is the most that mote may hold with ten objects, in bytes.
const idleMemory = 24 << 20

func checkIdleMemory(s *site, p *bed.Process) {
	s.t.Helper()
	var rss int64
	s.eventually("idle RSS is at most 24 MiB", func() (err error) {
		if rss, err = p.RSS(); err == nil && rss > idleMemory {
			err = fmt.Errorf("it is %.1f MiB", float64(rss)/(1<<20))
		}
		return err
	})
	peak, err := p.PeakRSS()
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Logf("RSS with ten objects: %.1f MiB, at most so far %.1f MiB", float64(rss)/(1<<20), float64(peak)/(1<<20))
}
