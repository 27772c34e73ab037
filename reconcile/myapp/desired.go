package myapp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
)

// manifests are the children as they should be; nil: there should be none.
type manifests [roles]map[string]any

// desired is what an app's children should be; stamp is that of its references. It
// states only what Mote has an opinion on: all else is left to the API server's
// defaults and to others.
func desired(app *examplev1.MyApp, stamp string) manifests {
	m := manifests{deployment: deploymentFor(app, stamp)}
	if len(app.Spec.Config) > 0 {
		m[config] = configMapFor(app)
	}
	if app.Spec.ServiceType != examplev1.ServiceNone && len(portsOf(app)) > 0 {
		m[service] = serviceFor(app)
	}
	for _, child := range m {
		if child != nil {
			meta := child["metadata"].(map[string]any)
			meta["annotations"] = map[string]any{annotationApplied: hash(child)}
		}
	}
	return m
}

func configMapFor(app *examplev1.MyApp) map[string]any {
	return map[string]any{
		"apiVersion": "v1",
		"kind":       kinds[config],
		"metadata":   metadataFor(app, config),
		"data":       asAny(app.Spec.Config),
	}
}

func serviceFor(app *examplev1.MyApp) map[string]any {
	kind := app.Spec.ServiceType
	if kind == "" {
		kind = "ClusterIP"
	}
	// clusterIP, nodePort and the like are not stated: what the API server gave
	// stays as long as the type allows it.
	return map[string]any{
		"apiVersion": "v1",
		"kind":       kinds[service],
		"metadata":   metadataFor(app, service),
		"spec": map[string]any{
			"type":     kind,
			"selector": map[string]any{labelApp: app.Name},
			"ports":    servicePorts(app),
		},
	}
}

func metadataFor(app *examplev1.MyApp, r role) map[string]any {
	return map[string]any{
		"name":      childName(app, r),
		"namespace": app.Namespace,
		"labels":    labelsFor(app),
		"ownerReferences": []any{map[string]any{
			"apiVersion":         examplev1.Group + "/" + examplev1.Version,
			"kind":               examplev1.Kind,
			"name":               app.Name,
			"uid":                string(app.UID),
			"controller":         true,
			"blockOwnerDeletion": true,
		}},
	}
}

func labelsFor(app *examplev1.MyApp) map[string]any {
	return map[string]any{
		labelApp:             app.Name,
		labelName:            app.Name,
		labelInstance:        app.Name,
		reconcile.OwnedLabel: reconcile.OwnedBy,
	}
}

// selectorOf is the label selector that finds an app's pods.
func selectorOf(app *examplev1.MyApp) string { return labelApp + "=" + app.Name }

// hash sums a manifest up. JSON objects are written with sorted keys, so equal
// manifests have equal hashes.
func hash(manifest map[string]any) string {
	data, err := json.Marshal(manifest)
	if err != nil {
		panic("a manifest of maps, lists and plain values: " + err.Error())
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// asAny is a map of strings as JSON objects are held.
func asAny[V ~string](in map[string]V) map[string]any {
	out := make(map[string]any, len(in))
	for k, v := range in {
		out[k] = string(v)
	}
	return out
}
