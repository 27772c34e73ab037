package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/testbed/bed"
)

// ownCluster is a site of a control plane of its own, without CRDs.
func ownCluster(t *testing.T, flags ...string) *site {
	t.Helper()
	own, err := bed.New(cluster.Paths)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := own.StartControlPlane(t.Context(), flags...); err != nil {
		t.Fatal(err)
	}
	client, err := own.Client()
	if err != nil {
		t.Fatal(err)
	}
	return siteOn(t, own, client)
}

// installation is what manifests made.
type installation struct {
	namespace, name string
	args            []string // of the Deployment's container
	kubeconfig      string   // of the ServiceAccount
}

// install does what docs/install.md says: it pipes the manifests into kubectl, and
// puts the cloud's keys into the Secret. What a kubelet would run is left to run.
func (s *site) install(flags ...string) installation {
	s.t.Helper()
	out, complaint, code := mote(s.t, nil, append([]string{"manifests"}, flags...)...)
	if code != 0 {
		s.t.Fatal(complaint)
	}
	s.anywhere(out, "apply", "-f", "-")
	in := installation{namespace: "mote-system", name: "mote"}
	for _, f := range flags {
		if v, ok := strings.CutPrefix(f, "--namespace="); ok {
			in.namespace = v
		}
		if v, ok := strings.CutPrefix(f, "--site="); ok {
			in.name = "mote-" + v
		}
	}
	s.kubectl("create", "secret", "generic", "mote-credentials", "--namespace", in.namespace, "--from-literal=secret-id="+bed.SecretID, "--from-literal=secret-key="+bed.SecretKey)
	return s.installed(in.namespace, in.name)
}

// installed is what a Deployment says, and its ServiceAccount may.
func (s *site) installed(namespace, name string) installation {
	s.t.Helper()
	u, err := s.client.Resource(deployments).Namespace(namespace).Get(s.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	args, _, _ := unstructured.NestedStringSlice(containerOf(u), "args")
	return installation{namespace, name, args, s.kubeconfigWith(s.token(name, namespace))}
}

// anywhere runs kubectl in no namespace of its own, as a person does.
func (s *site) anywhere(stdin string, args ...string) string {
	s.t.Helper()
	on := *cluster
	on.Kubeconfig = s.bed.Kubeconfig
	out, err := on.Kubectl(s.t.Context(), stdin, args...)
	if err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	return out
}

func containerOf(u *unstructured.Unstructured) map[string]any {
	all, _, _ := unstructured.NestedSlice(u.Object, "spec", "template", "spec", "containers")
	return all[0].(map[string]any)
}

// run runs what the kubelet would, as far as a process without a pod can: with the
// Deployment's own arguments, and those that replace the pod.
func (s *site) run(in installation, more ...string) *bed.Process {
	s.t.Helper()
	args := append(slices.Clone(in.args[1:]), "--kubeconfig="+in.kubeconfig, "--listen-address=127.0.0.1:0", "--cloud-endpoint="+s.bed.CloudURL, "--poll-interval=500ms")
	return s.startWith([]string{"TENCENTCLOUD_SECRET_ID=", "TENCENTCLOUD_SECRET_KEY="}, append(args, more...)...)
}

// TestInstall: what is printed is applied, admitted under the restricted Pod Security
// level, and with its rights alone brings the samples up; and it is taken away again.
func TestInstall(t *testing.T) {
	t.Parallel()
	s := ownCluster(t)
	s.startCloud()
	in := s.install("--region=ap-guangzhou")
	s.kubectl("rollout", "status", "deployment/mote", "--namespace", in.namespace, "--timeout=60s")
	s.withinLimits(in)

	p := s.run(in)
	s.answers(p, "/readyz?verbose", 200, "[+]Credentials/secrets ok", "[+]PostgresDB/postgresdbs ok", "[+]MyApp/configmaps ok")
	samples, _, _ := mote(t, nil, "manifests", "--samples")
	s.kubectlWith(samples, "apply", "-f", "-")
	s.runs(databases, "orders")
	s.runs(apps, "shop")
	lacksNone(t, p)

	// Applied once more, by the same or by the next version, it changes nothing.
	again, _, _ := mote(t, nil, "manifests", "--region=ap-guangzhou")
	for line := range strings.Lines(s.anywhere(again, "apply", "-f", "-")) {
		if !strings.HasSuffix(strings.TrimSpace(line), " unchanged") && !strings.Contains(line, "customresourcedefinition") {
			t.Errorf("applied once more: %s", line)
		}
	}

	// The safe order: objects while Mote lives, then Mote, then the kinds.
	s.anywhere("", "delete", "pgdb,mapp", "--all", "--all-namespaces", "--timeout=60s")
	s.nothingBilled()
	s.stop(p)
	s.anywhere(again, "delete", "-f", "-", "--timeout=120s")
	if out := s.kubectl("get", "clusterrole,clusterrolebinding,priorityclass,crd", "-o", "name"); strings.Contains(out, "mote") || strings.Contains(out, "example.com") {
		t.Errorf("left behind: %s", out)
	}
	if err := s.bed.InstallCRDs(t.Context()); err != nil { // what is checked of every site needs them
		t.Fatal(err)
	}
}

// lacksNone checks that no right was missing.
func lacksNone(t *testing.T, p *bed.Process) {
	t.Helper()
	for line := range strings.Lines(p.Output()) {
		if strings.Contains(line, "cannot ") && strings.Contains(line, ` resource \"`) {
			t.Errorf("a right is missing: %s", line)
		}
	}
}

// withinLimits checks that the namespace takes Mote's pod, and would take none that may
// do more.
func (s *site) withinLimits(in installation) {
	s.t.Helper()
	deployment, err := s.client.Resource(deployments).Namespace(in.namespace).Get(s.t.Context(), in.name, metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	for name, change := range map[string]func(pod, container map[string]any){
		"":                         func(_, _ map[string]any) {},
		"hostNetwork":              func(pod, _ map[string]any) { pod["hostNetwork"] = true },
		"runAsNonRoot":             func(pod, _ map[string]any) { delete(pod["securityContext"].(map[string]any), "runAsNonRoot") },
		"seccompProfile":           func(pod, _ map[string]any) { delete(pod["securityContext"].(map[string]any), "seccompProfile") },
		"allowPrivilegeEscalation": func(_, c map[string]any) { delete(c["securityContext"].(map[string]any), "allowPrivilegeEscalation") },
		"unrestricted capabilities": func(_, c map[string]any) {
			delete(c["securityContext"].(map[string]any), "capabilities")
		},
	} {
		template, _, _ := unstructured.NestedMap(deployment.DeepCopy().Object, "spec", "template", "spec")
		change(template, template["containers"].([]any)[0].(map[string]any))
		pod, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "tried", "namespace": in.namespace}, "spec": template})
		if err != nil {
			s.t.Fatal(err)
		}
		out, err := s.tryKubectl(s.t.Context(), string(pod), "create", "--namespace", in.namespace, "--dry-run=server", "-f", "-")
		switch {
		case name == "" && err != nil:
			s.t.Errorf("Mote's own pod is refused: %v", err)
		case name != "" && err == nil:
			s.t.Errorf("a pod with other %s is taken: %s", name, out)
		case name != "":
			if err := says(err.Error(), `violates PodSecurity "restricted`, name); err != nil {
				s.t.Error(err)
			}
		}
	}
}

// TestTwoSitesInstalled: two Motes in one namespace divide a cluster, each with a
// ServiceAccount of its own; one is taken away, and the other goes on.
func TestTwoSitesInstalled(t *testing.T) {
	t.Parallel()
	s := ownCluster(t)
	s.startCloud()
	first := s.install("--region=ap-guangzhou", "--site=edge-1")
	s.kubectl("delete", "secret", "mote-credentials", "--namespace", first.namespace)
	second := s.install("--region=ap-guangzhou", "--site=edge-2")
	one, two := s.run(first), s.run(second)
	s.answers(one, "/readyz", 200, "ok")
	s.answers(two, "/readyz", 200, "ok")
	s.apply(app("a", fields{"site": "edge-1"}), app("b", fields{"site": "edge-2"}), app("c", nil))
	s.runs(apps, "a", "b")
	s.untouched(apps, "c")
	folder := t.TempDir()
	if _, complaint, code := mote(t, nil, "manifests", "--region=ap-guangzhou", "--site=edge-1", "-o", folder); code != 0 {
		t.Fatal(complaint)
	}
	s.stop(one)
	// What is of both, the namespace, stays: of the file, all else goes.
	files, err := filepath.Glob(filepath.Join(folder, "*-edge-1.yaml"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, d := range strings.Split(string(text), "\n---\n") {
		if !strings.Contains(d, "kind: Namespace") {
			kept = append(kept, d)
		}
	}
	s.anywhere(strings.Join(kept, "\n---\n"), "delete", "-f", "-", "--timeout=60s")
	s.apply(app("d", fields{"site": "edge-2"}))
	s.runs(apps, "d")
	lacksNone(t, one)
	lacksNone(t, two)
}

// TestRotation: the keys in the Secret change, and the next call is signed with the new
// ones: no restart, and no wait for anything to be read again.
func TestRotation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.kubectl("create", "secret", "generic", "cloud-keys", "--from-literal=secret-id="+bed.SecretID, "--from-literal=secret-key="+bed.SecretKey)
	p := s.start("--credentials-secret", s.ns+"/cloud-keys")
	s.apply(database("before", nil))
	s.runs(databases, "before")

	// Temporary keys, with a token.
	const token = "a-token-for-an-hour"
	s.secrets = append(s.secrets, token)
	s.keysWith(rightID, rightKey, token)
	s.kubectl("patch", "secret/cloud-keys", "--type=merge", "-p", `{"stringData":{"secret-id":"`+rightID+`","secret-key":"`+rightKey+`","token":"`+token+`"}}`)
	s.apply(database("after", nil))
	s.runs(databases, "after")
	lacksNone(t, p)
	// Without any, objects wait and say why.
	s.kubectl("delete", "secret", "cloud-keys")
	s.apply(database("later", nil))
	s.stuck(databases, "later", "Pending", "CredentialsRefused", fmt.Sprintf("there is no credentials Secret %s/cloud-keys", s.ns))
}
