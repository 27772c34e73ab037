package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"example.com/mote/cloud/standin/control"
	"example.com/mote/k3s"
	"example.com/mote/testbed/bed"
)

// site is a test's own part of the world.
type site struct {
	t      *testing.T
	ns     string
	bed    *bed.Bed // the site's processes, and the cluster they belong to
	client dynamic.Interface
	cloud  *control.Client // nil: no cloud

	motes   []*bed.Process       // all that were started
	rights  map[k3s.Scope]string // the kubeconfigs of its ServiceAccounts
	secrets []string             // what must be nowhere but in Secrets

	looker, lookerConfig string // who only looks; see onlyLooked
}

// quick are the stand-in's flags in tests: every state can be seen, none lasts.
var quick = []string{"--create-time=1500ms", "--resize-time=1500ms", "--order-time=500ms",
	"--isolate-time=500ms", "--destroy-time=500ms"}

// newSite makes a site with a cloud, on the shared control plane; further flags
// of the stand-in win.
func newSite(t *testing.T, flags ...string) *site {
	t.Helper()
	s := siteOn(t, cluster, client)
	s.startCloud(flags...)
	return s
}

// newSiteWithoutCloud makes a site where nothing answers for the cloud.
func newSiteWithoutCloud(t *testing.T) *site {
	t.Helper()
	s := siteOn(t, cluster, client)
	s.bed.CloudURL = "http://127.0.0.1:1"
	return s
}

// siteOn makes a site without processes in a cluster.
func siteOn(t *testing.T, in *bed.Bed, client dynamic.Interface) *site {
	t.Helper()
	b, err := bed.New(in.Paths)
	if err != nil {
		t.Fatal(err)
	}
	b.Kubeconfig = in.Kubeconfig
	s := &site{t: t, ns: namespaceOf(t.Name()), bed: b, client: client, secrets: []string{bed.SecretKey}}
	t.Cleanup(s.close)
	s.makeNamespace(s.ns)
	return s
}

// namespaceOf is a namespace's name for a test; another one each time that it is run.
func namespaceOf(test string) string {
	name := strings.ToLower(strings.TrimPrefix(test, "Test"))
	name = strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name), "-")
	name = strings.TrimRight(name[:min(len(name), 50)], "-")
	namesMu.Lock()
	defer namesMu.Unlock()
	if names[name]++; names[name] > 1 {
		name = fmt.Sprintf("%s-%d", name, names[name])
	}
	return name
}

var (
	namesMu sync.Mutex
	names   = map[string]int{} // how often each was given
)

// makeNamespace makes a namespace in which pods can be made.
func (s *site) makeNamespace(name string) {
	s.t.Helper()
	ctx := s.t.Context()
	_, err := s.client.Resource(namespaces).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) { // several tests share some
		s.t.Fatal(err)
	}
	for limit := time.Now().Add(patience); ; time.Sleep(glance) {
		_, err := s.client.Resource(serviceAccounts).Namespace(name).Get(ctx, "default", metav1.GetOptions{})
		if err == nil {
			return
		}
		if time.Now().After(limit) {
			s.t.Fatalf("namespace %s does not get its ServiceAccount: %v", name, err)
		}
	}
}

// startCloud starts the site's stand-in.
func (s *site) startCloud(flags ...string) *bed.Process {
	s.t.Helper()
	p, err := s.bed.StartCloud(s.t.Context(), append(append([]string{}, quick...), flags...)...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.cloud = s.bed.Cloud()
	return p
}

// brisk are mote's flags in tests: it serves the site's namespace, by a Lease
// that is there, and does soon what it does after minutes in real life.
func (s *site) brisk() []string {
	return []string{"--namespace", s.ns, "--lease-namespace", s.ns, "--lease-name", "mote", "--lease-duration", "15s",
		"--poll-interval", "500ms", "--slow-retry", "2s", "--refused-retry", "3s", "--create-grace", "4s", "--log-level", "debug"}
}

// start runs mote as its ServiceAccount, with exactly the rights that its manifests
// give it; further flags win.
func (s *site) start(flags ...string) *bed.Process {
	s.t.Helper()
	flags = append(s.brisk(), flags...)
	if !slices.Contains(flags, "--kubeconfig") {
		flags = append(flags, "--kubeconfig", s.ownRights(flags))
	}
	return s.startWith(nil, flags...)
}

// startWith runs mote with an environment, and these flags alone; as an administrator,
// unless they say otherwise.
func (s *site) startWith(env []string, flags ...string) *bed.Process {
	s.t.Helper()
	p, err := s.bed.StartMote(s.t.Context(), fmt.Sprintf("mote-%d", len(s.motes)+1), env, flags...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.motes = append(s.motes, p)
	return p
}

// eventually is eventually, and gives up when a mote has ended with an error.
func (s *site) eventually(what string, try func() error) {
	s.t.Helper()
	eventually(s.t, what, func() error {
		err := try()
		if err == nil {
			return nil
		}
		for _, p := range s.motes {
			select {
			case <-p.Done():
				if e := p.Err(); e != nil && e.Error() != "signal: killed" {
					return fatal{fmt.Errorf("%w; and %s has ended: %w", err, p.Name, e)}
				}
			default:
			}
		}
		return err
	})
}

// logged waits until mote's log holds all the words.
func (s *site) logged(p *bed.Process, words ...string) {
	s.t.Helper()
	s.eventually(fmt.Sprintf("%s logs %q", p.Name, words), func() error { return says(p.Output(), words...) })
}

// stop asks a mote to end, which it has to do in order.
func (s *site) stop(p *bed.Process) {
	s.t.Helper()
	if err := p.Stop(patience); err != nil {
		s.t.Fatalf("%s: %v", p.Name, err)
	}
}

// close ends the site's processes, and checks what holds of every site.
func (s *site) close() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s.checkSecrecy(ctx)
	if s.t.Failed() {
		s.autopsy(ctx)
	}
	for _, p := range s.motes {
		select {
		case <-p.Done():
		default:
			if err := p.Stop(patience); err != nil { // it has to end in order when asked to
				s.t.Errorf("%s: %v", p.Name, err)
			}
		}
		for line := range strings.Lines(p.Output()) {
			if s.rights != nil && strings.Contains(line, "cannot ") && strings.Contains(line, ` resource \"`) {
				s.t.Errorf("%s lacks a right: %s", p.Name, line)
			}
			if strings.Contains(line, "panic") || strings.Contains(line, "this is a bug in Mote") {
				s.t.Errorf("%s: %s", p.Name, line)
			}
		}
	}
	if err := s.bed.Close(); err != nil {
		s.t.Error(err)
	}
}
