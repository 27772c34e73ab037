package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"example.com/mote/cloud/standin"
	"example.com/mote/testbed/bed"
)

// served are the names in an expression, as testbed/rules finds them with Prometheus'
// own parser.
var served = regexp.MustCompile(`\b(mote|workqueue|controller_runtime|rest_client|leader_election|process|go)_[a-z0-9_]+\b`)

// TestMonitoring: all that the dashboard and the alerts ask for, the binary serves.
func TestMonitoring(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.fault(standin.Fault{Action: "DescribeSubnets", Kind: standin.ErrorCode, Code: "RequestLimitExceeded", Times: 1})
	p := s.start(anyPort...)
	s.apply(database("db", nil), app("web", nil))
	s.runs(databases, "db")
	s.runs(apps, "web")
	m := s.scrape(p)
	for _, name := range []string{"alerts.yaml", "dashboard.json"} {
		text, err := os.ReadFile(filepath.Join(root, "k3s", "ops", name))
		if err != nil {
			t.Fatal(err)
		}
		names := served.FindAllString(string(text), -1)
		slices.Sort(names)
		names = slices.Compact(names)
		if len(names) < 15 {
			t.Errorf("%s names %d metrics", name, len(names))
		}
		for _, metric := range names {
			if m[metric] == nil && m[strings.TrimSuffix(metric, "_bucket")] == nil {
				t.Errorf("%s: the binary serves no %s", name, metric)
			}
		}
	}
	for _, c := range []struct {
		want   float64
		name   string
		labels []string
	}{
		{1, "mote_objects", []string{"kind", "PostgresDB", "phase", "Running"}},
		{0, "mote_objects", []string{"kind", "PostgresDB", "phase", "Pending"}},
		{1, "mote_objects", []string{"kind", "MyApp", "phase", "Running"}},
		{0, "mote_purchase_intents_open", []string{"outcome", "awaited"}},
		{1, "mote_cloud_throttled_total", []string{"by", "cloud"}},
	} {
		if got := m.value(c.name, c.labels...); got != c.want {
			t.Errorf("%s%v is %v, want %v", c.name, c.labels, got, c.want)
		}
	}

	// A purchase whose outcome nobody knows, and somebody's hand in the cloud.
	s.fault(standin.Fault{Action: "CreateInstances", Kind: standin.Cut})
	s.apply(database("other", nil))
	s.metric(p, 1, "mote_purchase_intents_open", "outcome", "unknown")
	s.heal()
	s.runs(databases, "other")
	s.metric(p, 0, "mote_purchase_intents_open", "outcome", "unknown")
	s.metric(p, 2, "mote_objects", "kind", "PostgresDB", "phase", "Running")
	s.kubectl("delete", "pgdb/other", "mapp/web")
	s.metric(p, 1, "mote_objects", "kind", "PostgresDB", "phase", "Running")
	s.metric(p, 0, "mote_objects", "kind", "MyApp", "phase", "Running")
}

// metric waits until a mote tells a value.
func (s *site) metric(p *bed.Process, want float64, name string, labels ...string) {
	s.t.Helper()
	s.eventually(fmt.Sprintf("%s%v is %v", name, labels, want), func() error {
		if got := s.scrape(p).value(name, labels...); got != want {
			return fmt.Errorf("it is %v", got)
		}
		return nil
	})
}

// TestNetworkPolicy: it is valid, and speaks of the pods, the namespace and the port of
// the manifests.
func TestNetworkPolicy(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.makeNamespace("mote-system")
	file := filepath.Join(root, "k3s", "ops", "networkpolicy.yaml")
	s.anywhere("", "apply", "--dry-run=server", "-f", file)
	var policy struct {
		Metadata struct{ Namespace string }
		Spec     struct {
			PodSelector struct{ MatchLabels map[string]string }
			Ingress     []struct{ Ports []struct{ Port int } }
		}
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = yaml.Unmarshal(text, &policy)
	}
	if err != nil {
		t.Fatal(err)
	}
	type deployment struct {
		Kind     string
		Metadata struct{ Namespace string }
		Spec     struct {
			Template struct {
				Metadata struct{ Labels map[string]string }
				Spec     struct {
					Containers []struct{ Ports []struct{ ContainerPort int } }
				}
			}
		}
	}
	out, _, _ := mote(t, nil, "manifests", "--region=ap-guangzhou", "--site=edge-01")
	found := false
	for _, doc := range strings.Split(out, "\n---\n") {
		var d deployment
		if err := yaml.Unmarshal([]byte(doc), &d); err != nil || d.Kind != "Deployment" {
			continue
		}
		found = true
		for name, value := range policy.Spec.PodSelector.MatchLabels {
			if d.Spec.Template.Metadata.Labels[name] != value {
				t.Errorf("no pod has the label %s=%s: %v", name, value, d.Spec.Template.Metadata.Labels)
			}
		}
		if d.Metadata.Namespace != policy.Metadata.Namespace {
			t.Errorf("namespaces %s and %s", d.Metadata.Namespace, policy.Metadata.Namespace)
		}
		if want := d.Spec.Template.Spec.Containers[0].Ports[0].ContainerPort; policy.Spec.Ingress[0].Ports[0].Port != want {
			t.Errorf("port %d, want %d", policy.Spec.Ingress[0].Ports[0].Port, want)
		}
	}
	if !found {
		t.Error("the manifests hold no Deployment")
	}
}
