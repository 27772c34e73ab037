package myapp

import (
	"example.com/mote/crd/examplev1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// fileMode is that of files of ConfigMaps and Secrets: 0644, the API server's default.
const fileMode = int64(0o644)

func volumesFor(app *examplev1.MyApp) []any {
	var out []any
	if len(app.Spec.Config) > 0 {
		out = append(out, map[string]any{
			"name": configVolume, "configMap": map[string]any{"name": childName(app, config), "defaultMode": fileMode},
		})
	}
	for _, v := range app.Spec.Volumes {
		m := map[string]any{"name": v.Name}
		switch {
		case v.ConfigMap != nil:
			m["configMap"] = optionally(map[string]any{"name": string(v.ConfigMap.Name), "defaultMode": fileMode}, v.ConfigMap.Optional)
		case v.Secret != nil:
			m["secret"] = optionally(map[string]any{"secretName": string(v.Secret.Name), "defaultMode": fileMode}, v.Secret.Optional)
		case v.PersistentVolumeClaim != nil:
			m["persistentVolumeClaim"] = map[string]any{"claimName": string(v.PersistentVolumeClaim.ClaimName)}
		case v.HostPath != nil:
			m["hostPath"] = map[string]any{"path": v.HostPath.Path, "type": v.HostPath.Type}
		case v.EmptyDir != nil:
			m["emptyDir"] = emptyDirFor(v.EmptyDir)
		}
		out = append(out, m)
	}
	return out
}

func emptyDirFor(e *examplev1.EmptyDir) map[string]any {
	out := map[string]any{}
	if e.Medium != "" {
		out["medium"] = e.Medium
	}
	if q, err := resource.ParseQuantity(e.SizeLimit); err == nil { // "" is none, and the schema lets no other pass
		out["sizeLimit"] = q.String()
	}
	return out
}

func mountsFor(app *examplev1.MyApp) []any {
	var out []any
	if len(app.Spec.Config) > 0 {
		out = append(out, map[string]any{"name": configVolume, "mountPath": configPath, "readOnly": true})
	}
	for _, v := range app.Spec.Volumes {
		m := map[string]any{"name": v.Name, "mountPath": v.MountPath}
		if v.SubPath != "" {
			m["subPath"] = v.SubPath
		}
		if v.ReadOnly || v.ConfigMap != nil || v.Secret != nil {
			m["readOnly"] = true
		}
		out = append(out, m)
	}
	return out
}
