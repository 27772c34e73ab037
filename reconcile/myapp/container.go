package myapp

import (
	"example.com/mote/crd/examplev1"
)

func containerFor(app *examplev1.MyApp) map[string]any {
	policy := app.Spec.ImagePullPolicy
	if policy == "" {
		policy = "IfNotPresent"
	}
	c := map[string]any{
		"name":            containerName,
		"image":           app.Spec.Image,
		"imagePullPolicy": policy,
		"securityContext": containerSecurity(app.Spec.SecurityContext),
		"resources":       resourcesFor(app.Spec.Resources),
	}
	for field, list := range map[string][]any{
		"command":      words(app.Spec.Command),
		"args":         words(app.Spec.Args),
		"ports":        containerPorts(app),
		"env":          envFor(app.Spec.Env),
		"envFrom":      envFromFor(app.Spec.EnvFrom),
		"volumeMounts": mountsFor(app),
	} {
		if len(list) > 0 {
			c[field] = list
		}
	}
	for field, probe := range probesFor(app) {
		c[field] = probe
	}
	return c
}

// words are texts as JSON lists are held.
func words[W ~string](in []W) []any {
	var out []any
	for _, w := range in {
		out = append(out, string(w))
	}
	return out
}

func envFor(in []examplev1.EnvVar) []any {
	var out []any
	for _, e := range in {
		v := map[string]any{"name": e.Name}
		switch from := e.ValueFrom; {
		case from != nil && from.SecretKeyRef != nil:
			v["valueFrom"] = map[string]any{"secretKeyRef": keyFor(from.SecretKeyRef)}
		case from != nil && from.ConfigMapKeyRef != nil:
			v["valueFrom"] = map[string]any{"configMapKeyRef": keyFor(from.ConfigMapKeyRef)}
		default:
			v["value"] = e.Value
		}
		out = append(out, v)
	}
	return out
}

func keyFor(k *examplev1.KeyReference) map[string]any {
	return optionally(map[string]any{"name": string(k.Name), "key": k.Key}, k.Optional)
}

func envFromFor(in []examplev1.EnvFrom) []any {
	var out []any
	for _, e := range in {
		v := map[string]any{}
		if e.Prefix != "" {
			v["prefix"] = e.Prefix
		}
		if s := e.SecretRef; s != nil {
			v["secretRef"] = optionally(map[string]any{"name": string(s.Name)}, s.Optional)
		}
		if s := e.ConfigMapRef; s != nil {
			v["configMapRef"] = optionally(map[string]any{"name": string(s.Name)}, s.Optional)
		}
		out = append(out, v)
	}
	return out
}

func optionally(reference map[string]any, optional bool) map[string]any {
	if optional {
		reference["optional"] = true
	}
	return reference
}
