package bed

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

// TestControlPlane takes one real control plane through what the tests of Mote
// rely on.
func TestControlPlane(t *testing.T) {
	b := cluster(t)
	p, err := b.StartControlPlane(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Run("deployment", func(t *testing.T) { deployment(t, b) })
	t.Run("behaviours", func(t *testing.T) { behaviours(t, b) })
	t.Run("owned by a new kind", func(t *testing.T) { ownedByNewKind(t, b) })
	t.Run("restart", func(t *testing.T) { restart(t, b, p) })
}

func deployment(t *testing.T, b *Bed) {
	kubectl(t, b, "", "create", "deployment", "web", "--image=example.com/web:1", "--replicas=2", "--port=80")
	kubectl(t, b, "", "expose", "deployment", "web")
	kubectl(t, b, "", "wait", "--for=condition=Available", "deployment/web", "--timeout=30s")
	settled(t, b, "deployment/web", "{.status.readyReplicas}", "2")
	pods := strings.Fields(kubectl(t, b, "", "get", "pods", "-l", "app=web", "-o", "jsonpath={.items[*].status.podIP}"))
	if len(pods) != 2 || pods[0] == pods[1] {
		t.Errorf("addresses of the pods: %v, want two that differ", pods)
	}
	kubectl(t, b, "", "wait", "endpointslices", "-l", "kubernetes.io/service-name=web", "--for=jsonpath={.endpoints[1].conditions.ready}=true", "--timeout=30s")
	kubectl(t, b, "", "delete", "deployment", "web")
	kubectl(t, b, "", "wait", "--for=delete", "pods", "-l", "app=web", "--timeout=30s")
}

func behaviours(t *testing.T, b *Bed) {
	const (
		phase   = "{.status.phase}"
		waiting = "{.status.containerStatuses[0].state.waiting.reason}"
		ready   = `{.status.conditions[?(@.type=="Ready")].status}`
		restart = "{.status.containerStatuses[0].restartCount}"
	)
	run := func(name, behaviour string) string {
		kubectl(t, b, "", "run", name, "--image=example.com/web:1", "--annotations=podstandin.mote.example.com/behaviour="+behaviour)
		return "pod/" + name
	}
	slow := run("slow", "slow")
	settled(t, b, slow, waiting, "ContainerCreating")

	missing := run("missing", "image-pull-backoff")
	settled(t, b, missing, waiting, "ImagePullBackOff")
	settled(t, b, missing, phase, "Pending")

	unready := run("unready", "never-ready")
	settled(t, b, unready, phase, "Running")
	settled(t, b, unready, ready, "False")

	crashing := run("crashing", "crash-loop")
	settled(t, b, crashing, waiting, "CrashLoopBackOff")
	settled(t, b, crashing, restart, "1")
	settled(t, b, crashing, "{.status.containerStatuses[0].lastState.terminated.exitCode}", "1")
	kubectl(t, b, "", "annotate", crashing, "podstandin.mote.example.com/behaviour-")
	settled(t, b, crashing, ready, "True")

	settled(t, b, run("typo", "crash-lop"), waiting, "UnknownBehaviour")

	kubectl(t, b, "", "run", "by-image", "--image=example.com/web:never-ready")
	settled(t, b, "pod/by-image", phase, "Running")
	settled(t, b, "pod/by-image", ready, "False")

	settled(t, b, slow, ready, "True")
	kubectl(t, b, "", "delete", "pods", "--all", "--timeout=30s")
}

// ownedByNewKind shows that the garbage collector soon knows a kind that came later
// than itself: most tests of Mote install their CRDs on a cluster that runs.
func ownedByNewKind(t *testing.T, b *Bed) {
	const group = "test.example.com"
	kubectl(t, b, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: owners.`+group+`}
spec:
  group: `+group+`
  scope: Namespaced
  names: {plural: owners, singular: owner, kind: Owner}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`, "apply", "-f", "-")
	kubectl(t, b, "", "wait", "--for=condition=Established", "crd/owners."+group, "--timeout=30s")
	kubectl(t, b, `{"apiVersion": "`+group+`/v1", "kind": "Owner", "metadata": {"name": "o"}}`, "apply", "-f", "-")
	uid := kubectl(t, b, "", "get", "owners/o", "-o", "jsonpath={.metadata.uid}")
	kubectl(t, b, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owned", "ownerReferences": [
		{"apiVersion": "`+group+`/v1", "kind": "Owner", "name": "o", "uid": "`+uid+`"}]}}`, "apply", "-f", "-")
	kubectl(t, b, "", "delete", "owners/o")
	kubectl(t, b, "", "wait", "--for=delete", "configmap/owned", "--timeout=15s")
}

// restart shows that a client outlives the control plane: same port, same keys, same
// objects.
func restart(t *testing.T, b *Bed, p *Process) {
	kubectl(t, b, "", "create", "configmap", "kept")
	config, err := clientcmd.LoadFromFile(b.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	before := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, before); err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(config.Clusters[config.Contexts[config.CurrentContext].Cluster].Server)
	if err != nil {
		t.Fatal(err)
	}
	p.Kill()
	if _, err := b.StartControlPlane(t.Context(), "--port", address.Port()); err != nil {
		t.Fatal(err)
	}
	kubectl(t, b, "", "--kubeconfig", before, "get", "configmap", "kept")
}
