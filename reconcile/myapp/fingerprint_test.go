package myapp

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A fingerprint changes with what an app's turn would look at, and with nothing else.
func TestFingerprints(t *testing.T) {
	kids := allLive(t, newApp(withConfig))
	rolledOut(kids[deployment].live, 3, 3, 2, settled)
	status := func(field string, v any) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) { u.Object["status"].(map[string]any)[field] = v }
	}
	annotate := func(k, v string) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) {
			a := u.GetAnnotations()
			a[k] = v
			u.SetAnnotations(a)
		}
	}
	version := func(u *unstructured.Unstructured) { u.SetResourceVersion("8") }
	managed := func(u *unstructured.Unstructured) {
		u.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "kubelet"}})
	}
	for name, c := range map[string]struct {
		role   role
		change func(*unstructured.Unstructured)
		wakes  bool
	}{
		"Deployment: nothing":              {deployment, func(*unstructured.Unstructured) {}, false},
		"Deployment: version":              {deployment, version, false},
		"Deployment: managed fields":       {deployment, managed, false},
		"Deployment: revision":             {deployment, annotate("deployment.kubernetes.io/revision", "2"), false},
		"Deployment: a condition's time":   {deployment, status("conditions", []any{condition("Progressing", "True", "NewReplicaSetAvailable", "another message")}), false},
		"Deployment: another condition":    {deployment, status("conditions", []any{settled, condition("Available", "True", "MinimumReplicasAvailable", "")}), false},
		"Deployment: generation":           {deployment, func(u *unstructured.Unstructured) { u.SetGeneration(2) }, true},
		"Deployment: a new one":            {deployment, func(u *unstructured.Unstructured) { u.SetUID("another") }, true},
		"Deployment: replicas":             {deployment, status("replicas", int64(4)), true},
		"Deployment: updated":              {deployment, status("updatedReplicas", int64(1)), true},
		"Deployment: ready":                {deployment, status("readyReplicas", int64(1)), true},
		"Deployment: available":            {deployment, status("availableReplicas", int64(1)), true},
		"Deployment: a condition's reason": {deployment, status("conditions", []any{rolling}), true},
		"Deployment: a condition more":     {deployment, status("conditions", []any{settled, condition("ReplicaFailure", "True", "FailedCreate", "")}), true},
		"Deployment: labels":               {deployment, func(u *unstructured.Unstructured) { u.SetLabels(nil) }, true},
		"Deployment: our annotation":       {deployment, annotate(annotationApplied, "x"), true},
		"Deployment: owners":               {deployment, func(u *unstructured.Unstructured) { u.SetOwnerReferences(nil) }, true},
		"Deployment: deletion":             {deployment, deleted, true},
		"Service: version":                 {service, version, false},
		"Service: managed fields":          {service, managed, false},
		"Service: load balancer":           {service, func(u *unstructured.Unstructured) { u.Object["status"] = map[string]any{"loadBalancer": "x"} }, false},
		"Service: spec":                    {service, func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["type"] = "NodePort" }, true},
		"Service: our annotation":          {service, annotate(annotationApplied, "x"), true},
		"Service: deletion":                {service, deleted, true},
		"ConfigMap: version":               {config, version, false},
		"ConfigMap: data":                  {config, func(u *unstructured.Unstructured) { u.Object["data"].(map[string]any)["empty"] = "x" }, true},
		"ConfigMap: owners":                {config, func(u *unstructured.Unstructured) { u.SetOwnerReferences(nil) }, true},
	} {
		fingerprint := contentFingerprint
		if c.role == deployment {
			fingerprint = deploymentFingerprint
		}
		u := kids[c.role].live.DeepCopy()
		before := fingerprint(u)
		c.change(u)
		if woke := fingerprint(u) != before; woke != c.wakes {
			t.Errorf("%s: wakes %v, want %v", name, woke, c.wakes)
		}
	}
}

// While a rollout gets on, only its end wakes its app, and what goes wrong.
func TestFingerprintOfRollout(t *testing.T) {
	u := liveOf(t, wanted(newApp())[deployment])
	rolledOut(u, 3, 3, 2, rolling)
	before := deploymentFingerprint(u)
	for name, c := range map[string]struct {
		change func(*unstructured.Unstructured)
		wakes  bool
	}{
		"one more": {func(u *unstructured.Unstructured) { rolledOut(u, 4, 3, 1, rolling) }, false},
		"not observed": {func(u *unstructured.Unstructured) {
			u.Object["status"].(map[string]any)["observedGeneration"] = int64(0)
		}, false},
		"complete": {func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 3, rolling) }, true},
		"settled":  {func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 2, settled) }, true},
		"stalled":  {func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 2, stalled) }, true},
		"out of quota": {func(u *unstructured.Unstructured) {
			rolledOut(u, 3, 3, 2, rolling, condition("ReplicaFailure", "True", "FailedCreate", ""))
		}, true},
		"another scale": {func(u *unstructured.Unstructured) { u.SetGeneration(2) }, true},
	} {
		u := u.DeepCopy()
		c.change(u)
		if woke := deploymentFingerprint(u) != before; woke != c.wakes {
			t.Errorf("%s: wakes %v, want %v", name, woke, c.wakes)
		}
	}
}
