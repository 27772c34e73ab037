package killtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"example.com/mote/cloud/standin"
	"example.com/mote/cloud/standin/control"
	"example.com/mote/crd/databasev1"
	"example.com/mote/testbed/bed"
	"example.com/mote/testbed/watchtest/faulty"
)

var (
	databases  = schema.GroupVersionResource{Group: databasev1.Group, Version: databasev1.Version, Resource: databasev1.Resource}
	secrets    = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
)

// site is a namespace with a cloud of its own, and a mote that is killed and
// started again. Mote reaches the API server through a proxy that can hold
// requests; the test itself does not.
type site struct {
	ns    string
	bed   *bed.Bed
	cloud *control.Client
	proxy *faulty.Proxy
	env   []string // of mote

	ctx context.Context // until the script has ended, or something was found
	end context.CancelFunc

	mu       sync.Mutex
	findings []finding
	lives    []*life
	motes    []*bed.Process
}

// brief are the stand-in's times: every state can be seen, none lasts.
var brief = []string{"--create-time=600ms", "--resize-time=600ms", "--upgrade-time=600ms", "--order-time=600ms",
	"--isolate-time=300ms", "--destroy-time=300ms"}

// newSite makes a site in which nothing runs but the cloud; further flags are the
// stand-in's.
func newSite(t *testing.T, name, program string, env []string, flags ...string) *site {
	t.Helper()
	b, err := bed.New(cluster.Paths)
	if err != nil {
		t.Fatal(err)
	}
	b.Paths.Mote = program
	s := &site{bed: b, env: env}
	s.ctx, s.end = context.WithCancel(context.Background())
	t.Cleanup(func() {
		s.end()
		if t.Failed() {
			s.autopsy(t)
		}
		if s.proxy != nil {
			s.proxy.Close()
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	if s.proxy, err = faulty.Start(host, transport); err != nil {
		t.Fatal(err)
	}
	c := clientcmdapi.NewConfig()
	c.Clusters["proxy"] = &clientcmdapi.Cluster{Server: s.proxy.URL}
	c.Contexts["proxy"] = &clientcmdapi.Context{Cluster: "proxy"}
	c.CurrentContext = "proxy"
	b.Kubeconfig = filepath.Join(b.Dir, "proxy.kubeconfig")
	if err := clientcmd.WriteToFile(*c, b.Kubeconfig); err != nil {
		t.Fatal(err)
	}
	ns, err := client.Resource(namespaces).Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"generateName": name + "-"}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.ns = ns.GetName()
	if _, err := b.StartCloud(t.Context(), append(append([]string{}, brief...), flags...)...); err != nil {
		t.Fatal(err)
	}
	s.cloud = b.Cloud()
	return s
}

// run carries out a script under guard, and tells what was found.
func (s *site) run(script func()) []finding {
	var guarding sync.WaitGroup
	guarding.Go(s.guard)
	s.together(script)
	s.end()
	guarding.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.findings
}

// together waits for scripts, which end early when something is found.
func (s *site) together(scripts ...func()) {
	var all sync.WaitGroup
	for _, f := range scripts {
		all.Go(f)
	}
	all.Wait()
}

// start runs mote. Without a Lease it works at once; there is never more than one.
func (s *site) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.bed.StartMote(context.Background(), fmt.Sprintf("mote-%03d", len(s.motes)+1), s.env,
		"--namespace", s.ns, "--leader-elect=false", "--poll-interval", "300ms", "--sweep-interval", "1s",
		"--create-grace", "3s", "--slow-retry", "2s", "--refused-retry", "2s", "--cloud-timeout", "10m", "--log-level", "debug")
	if err != nil {
		s.findings = append(s.findings, finding{trouble, err.Error()})
		s.end()
		return
	}
	s.motes = append(s.motes, p)
}

// kill ends the mote that runs as a crash does; no word of it goes out after that.
func (s *site) kill() {
	s.mu.Lock()
	p := s.motes[len(s.motes)-1]
	s.mu.Unlock()
	p.Kill()
}

func (s *site) all() []*life {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*life(nil), s.lives...)
}

func (s *site) objects() dynamic.ResourceInterface { return client.Resource(databases).Namespace(s.ns) }

// bought is what was ever bought for a life.
func (s *site) bought(l *life) ([]standin.Entry, error) {
	ledger, err := s.cloud.Ledger(s.ctx)
	var out []standin.Entry
	for _, e := range ledger {
		if e.Name == l.instanceName() {
			out = append(out, e)
		}
	}
	return out, err
}

// clean waits until nothing is left of any life, and checks what is to be seen
// only at the end.
func (s *site) clean() {
	s.until("the Secrets are collected", func() error {
		left, err := client.Resource(secrets).Namespace(s.ns).List(s.ctx, metav1.ListOptions{LabelSelector: "app.kubernetes.io/managed-by=mote"})
		if err == nil && len(left.Items) > 0 {
			err = fmt.Errorf("%d are left", len(left.Items))
		}
		return err
	})
	ledger, err := s.cloud.Ledger(s.ctx)
	s.must(err)
	names := map[string]bool{}
	for _, l := range s.all() {
		names[l.instanceName()] = true
	}
	for _, e := range ledger {
		if !names[e.Name] {
			s.find(abandoned, "nobody knows whose %s is (%s)", e.ID, e.Name)
		}
		if e.Billed {
			s.find(abandoned, "all objects are gone, and %s is %s, and billed", e.ID, e.Status)
		}
	}
	s.must(s.bugs())
}

// bugs are the lines in which mote says that it has one.
func (s *site) bugs() error {
	var errs []error
	for _, p := range s.motes {
		for line := range strings.Lines(p.Output()) {
			if strings.Contains(line, "panic") || strings.Contains(line, "this is a bug in Mote") {
				errs = append(errs, fmt.Errorf("%s: %s", p.Name, strings.TrimSpace(line)))
			}
		}
	}
	return errors.Join(errs...)
}

// autopsy shows a site whose test has failed.
func (s *site) autopsy(t *testing.T) {
	ctx, end := context.WithTimeout(context.Background(), patience)
	defer end()
	if l, err := s.objects().List(ctx, metav1.ListOptions{}); err == nil {
		for _, o := range l.Items {
			o.SetManagedFields(nil)
			b, _ := json.MarshalIndent(o.Object, "", " ")
			t.Logf("---- left: %s", b)
		}
	}
	if s.cloud != nil {
		if l, err := s.cloud.Ledger(ctx); err == nil {
			b, _ := json.MarshalIndent(l, "", " ")
			t.Logf("---- the ledger: %s", b)
		}
	}
	for i, p := range s.motes {
		if i < len(s.motes)-4 {
			continue
		}
		b, _ := os.ReadFile(p.Log)
		lines := strings.Split(strings.TrimSpace(string(b)), "\n")
		t.Logf("---- the end of %s\n%s", filepath.Base(p.Log), strings.Join(lines[max(0, len(lines)-100):], "\n"))
	}
}
