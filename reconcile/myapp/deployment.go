package myapp

import (
	"example.com/mote/crd/examplev1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// revisionHistory is how many old ReplicaSets are kept: an edge disk is small.
const revisionHistory = 2

// deploymentFor is the Deployment of an app.
//
// Its pods cannot gain privileges and run under the runtime's seccomp profile,
// which ordinary images do not notice. runAsNonRoot and dropped capabilities are
// not set: many an ordinary image (nginx) starts as root and would fail.
//
// A new version of Mote that states anything else in the template rolls the pods
// of every app: do not do so lightly.
func deploymentFor(app *examplev1.MyApp) map[string]any {
	template := map[string]any{"labels": labelsFor(app)}
	pod := map[string]any{
		"containers":                   []any{containerFor(app)},
		"automountServiceAccountToken": false,
		"enableServiceLinks":           false,
		"securityContext":              map[string]any{"seccompProfile": map[string]any{"type": "RuntimeDefault"}},
	}
	if len(app.Spec.NodeSelector) > 0 {
		pod["nodeSelector"] = asAny(app.Spec.NodeSelector)
	}
	if len(app.Spec.ImagePullSecrets) > 0 {
		var secrets []any
		for _, s := range app.Spec.ImagePullSecrets {
			secrets = append(secrets, map[string]any{"name": s.Name})
		}
		pod["imagePullSecrets"] = secrets
	}
	if len(app.Spec.Config) > 0 {
		template["annotations"] = map[string]any{annotationConfig: hash(asAny(app.Spec.Config))}
		pod["volumes"] = []any{map[string]any{
			"name": configVolume, "configMap": map[string]any{"name": childName(app, config)},
		}}
	}
	return map[string]any{
		"apiVersion": "apps/v1",
		"kind":       kinds[deployment],
		"metadata":   metadataFor(app, deployment),
		"spec": map[string]any{
			"replicas":             int64(replicasOf(app)),
			"revisionHistoryLimit": int64(revisionHistory),
			"selector":             map[string]any{"matchLabels": map[string]any{labelApp: app.Name}},
			"template":             map[string]any{"metadata": template, "spec": pod},
		},
	}
}

func containerFor(app *examplev1.MyApp) map[string]any {
	policy := app.Spec.ImagePullPolicy
	if policy == "" {
		policy = "IfNotPresent"
	}
	c := map[string]any{
		"name":            containerName,
		"image":           app.Spec.Image,
		"imagePullPolicy": policy,
		"ports": []any{map[string]any{
			"name": portName, "containerPort": int64(app.Spec.Port), "protocol": "TCP",
		}},
		"securityContext": map[string]any{"allowPrivilegeEscalation": false},
	}
	if len(app.Spec.Env) > 0 {
		var env []any
		for _, e := range app.Spec.Env {
			env = append(env, map[string]any{"name": e.Name, "value": e.Value})
		}
		c["env"] = env
	}
	if r := resourcesFor(app.Spec.Resources); len(r) > 0 {
		c["resources"] = r
	}
	if len(app.Spec.Config) > 0 {
		c["volumeMounts"] = []any{map[string]any{"name": configVolume, "mountPath": configPath, "readOnly": true}}
	}
	return c
}

func resourcesFor(r *examplev1.Resources) map[string]any {
	out := map[string]any{}
	if r == nil {
		return out
	}
	if len(r.Requests) > 0 {
		out["requests"] = amounts(r.Requests)
	}
	if len(r.Limits) > 0 {
		out["limits"] = amounts(r.Limits)
	}
	return out
}

// amounts are quantities as the API server writes them: in their canonical form,
// rounded up to thousandths.
func amounts(in map[string]resource.Quantity) map[string]any {
	out := make(map[string]any, len(in))
	for k, q := range in {
		q = q.DeepCopy()
		q.RoundUp(resource.Milli)
		out[k] = q.String()
	}
	return out
}

// replicasOf is how many pods an app wants.
func replicasOf(app *examplev1.MyApp) int32 {
	if app.Spec.Replicas == nil {
		return 1
	}
	return *app.Spec.Replicas
}
