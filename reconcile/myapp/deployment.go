package myapp

import (
	"example.com/mote/crd/examplev1"
)

// revisionHistory is how many old ReplicaSets are kept: an edge disk is small.
const revisionHistory = 2

// progressDeadline is how long a rollout may take without progress, in seconds,
// unless the app says otherwise.
const progressDeadline = 600

// deploymentFor is the Deployment of an app.
//
// A new version of Mote that states anything else in the template rolls the pods
// of every app: do not do so lightly.
//
// Where the API server has a default beside a field that is stated here, the
// default is stated too, if what it belongs to may ever go: an apply takes away
// what it stated before, and nothing else. A default that stayed behind alone
// (the mode of a volume that is of another sort now, say) would be refused.
func deploymentFor(app *examplev1.MyApp, stamp string) map[string]any {
	meta, annotations := map[string]any{"labels": labelsFor(app)}, map[string]any{}
	if len(app.Spec.Config) > 0 {
		annotations[annotationConfig] = hash(asAny(app.Spec.Config))
	}
	if stamp != "" {
		annotations[annotationReferences] = stamp
	}
	if len(annotations) > 0 {
		meta["annotations"] = annotations
	}
	deadline := app.Spec.ProgressDeadlineSeconds
	if deadline == 0 {
		deadline = progressDeadline
	}
	spec := map[string]any{
		"revisionHistoryLimit":    int64(revisionHistory),
		"progressDeadlineSeconds": int64(deadline),
		"strategy":                strategyFor(app),
		"selector":                map[string]any{"matchLabels": map[string]any{labelApp: app.Name}},
		"template":                map[string]any{"metadata": meta, "spec": podFor(app)},
	}
	if app.Spec.Replicas != nil {
		spec["replicas"] = int64(*app.Spec.Replicas)
	}
	return map[string]any{
		"apiVersion": "apps/v1",
		"kind":       kinds[deployment],
		"metadata":   metadataFor(app, deployment),
		"spec":       spec,
	}
}

func podFor(app *examplev1.MyApp) map[string]any {
	pod := map[string]any{
		"containers":                   []any{containerFor(app)},
		"automountServiceAccountToken": app.Spec.ServiceAccountName != "",
		"enableServiceLinks":           false,
		"securityContext":              podSecurity(app.Spec.SecurityContext),
		"tolerations":                  tolerationsFor(app),
		"topologySpreadConstraints":    spreadFor(app),
	}
	if app.Spec.ServiceAccountName != "" {
		pod["serviceAccountName"] = string(app.Spec.ServiceAccountName)
	}
	if app.Spec.HostNetwork {
		pod["hostNetwork"], pod["dnsPolicy"] = true, "ClusterFirstWithHostNet"
	}
	if len(app.Spec.NodeSelector) > 0 {
		pod["nodeSelector"] = asAny(app.Spec.NodeSelector)
	}
	if len(app.Spec.ImagePullSecrets) > 0 {
		var secrets []any
		for _, s := range app.Spec.ImagePullSecrets {
			secrets = append(secrets, map[string]any{"name": string(s.Name)})
		}
		pod["imagePullSecrets"] = secrets
	}
	if v := volumesFor(app); len(v) > 0 {
		pod["volumes"] = v
	}
	return pod
}
