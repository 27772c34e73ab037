package myapp

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// normalised is a model of what an API server makes of a manifest: it fills in
// defaults, writes quantities in one way, and leaves empty values out. It
// changes the manifest in place.
func normalised(m map[string]any) map[string]any {
	spec, _ := m["spec"].(map[string]any)
	switch m["kind"] {
	case "Service":
		setDefault(spec, "clusterIP", "10.96.0.7")
		setDefault(spec, "clusterIPs", []any{"10.96.0.7"})
		setDefault(spec, "sessionAffinity", "None")
		setDefault(spec, "ipFamilyPolicy", "SingleStack")
	case "Deployment":
		setDefault(spec, "progressDeadlineSeconds", int64(600))
		setDefault(spec, "strategy", map[string]any{"type": "RollingUpdate"})
		template := spec["template"].(map[string]any)
		if meta, ok := template["metadata"].(map[string]any); ok {
			setDefault(meta, "creationTimestamp", nil)
		}
		normalisePod(template["spec"].(map[string]any))
	}
	return m
}

func normalisePod(pod map[string]any) {
	setDefault(pod, "restartPolicy", "Always")
	setDefault(pod, "dnsPolicy", "ClusterFirst")
	setDefault(pod, "terminationGracePeriodSeconds", int64(30))
	for _, v := range asList(pod["volumes"]) {
		for _, field := range []string{"configMap", "secret"} {
			if source, ok := v[field].(map[string]any); ok {
				setDefault(source, "defaultMode", int64(420))
			}
		}
	}
	for _, c := range asList(pod["containers"]) {
		setDefault(c, "terminationMessagePath", "/dev/termination-log")
		for _, field := range []string{"readinessProbe", "livenessProbe", "startupProbe"} {
			if probe := asMap(c[field]); probe != nil {
				setDefault(probe, "successThreshold", int64(1))
			}
		}
		for _, e := range asList(c["env"]) {
			if e["value"] == "" {
				delete(e, "value")
			}
		}
		res, ok := c["resources"].(map[string]any)
		if !ok {
			c["resources"] = map[string]any{}
			continue
		}
		for _, field := range []string{"requests", "limits"} {
			for k, v := range asMap(res[field]) {
				q := resource.MustParse(v.(string))
				q.RoundUp(resource.Milli)
				res[field].(map[string]any)[k] = q.String()
			}
		}
		for k, v := range asMap(res["limits"]) {
			if res["requests"] == nil {
				res["requests"] = map[string]any{}
			}
			setDefault(res["requests"].(map[string]any), k, v)
		}
	}
}

func setDefault(m map[string]any, key string, value any) {
	if _, there := m[key]; !there {
		m[key] = value
	}
}

func asMap(v any) map[string]any { m, _ := v.(map[string]any); return m }

func asList(v any) []map[string]any {
	list, _ := v.([]any)
	var out []map[string]any
	for _, e := range list {
		out = append(out, e.(map[string]any))
	}
	return out
}

// applied is a model of server-side apply by force: what was wanted before and is
// not any more goes, what is wanted comes, and everything else stays. Elements of
// lists are told apart as by the API server. live is changed in place.
func applied(live, before, want map[string]any) map[string]any {
	for k, b := range before {
		w, still := want[k]
		switch {
		case !still:
			delete(live, k)
		case asMap(b) != nil && asMap(w) != nil && asMap(live[k]) != nil:
			applied(asMap(live[k]), asMap(b), asMap(w))
		case keyOf(b) != nil:
			live[k] = without(live[k], b, w)
		}
	}
	for k, w := range want {
		switch {
		case asMap(w) != nil && !atomicMaps[k]:
			if asMap(live[k]) == nil {
				live[k] = map[string]any{}
			}
			applied(asMap(live[k]), nil, asMap(w))
		case keyOf(w) != nil:
			live[k] = merged(live[k], before[k], w)
		default:
			live[k] = w
		}
	}
	return live
}

var atomicMaps = map[string]bool{"selector": true, "nodeSelector": true}

// keyOf are the fields that tell the elements of a list apart, none for a list
// that is one value, or for what is no list.
func keyOf(list any) []string {
	l, _ := list.([]any)
	if len(l) == 0 || asMap(l[0]) == nil {
		return nil
	}
	for _, key := range [][]string{{"uid"}, {"mountPath"}, {"containerPort", "protocol"}, {"port", "protocol"}, {"topologyKey", "whenUnsatisfiable"}, {"name"}} {
		if _, ok := asMap(l[0])[key[0]]; ok {
			return key
		}
	}
	return nil
}

// alike tells whether two elements have the same key.
func alike(a, b map[string]any, key []string) bool {
	for _, k := range key {
		if a[k] != b[k] {
			return false
		}
	}
	return true
}

// without is a live list without the elements that were wanted before only.
func without(live, before, want any) any {
	key := keyOf(before)
	has := func(list any, v map[string]any) bool {
		return slices.ContainsFunc(asList(list), func(e map[string]any) bool { return alike(e, v, key) })
	}
	l, _ := live.([]any)
	return slices.DeleteFunc(slices.Clone(l), func(e any) bool {
		v := asMap(e)
		return has(before, v) && !has(want, v)
	})
}

func merged(live, before, want any) any {
	key := keyOf(want)
	was := func(v map[string]any) map[string]any {
		for _, b := range asList(before) {
			if alike(b, v, key) {
				return b
			}
		}
		return nil
	}
	l, _ := live.([]any)
	out := slices.Clone(l)
	for _, w := range asList(want) {
		i := slices.IndexFunc(out, func(e any) bool { return alike(asMap(e), w, key) })
		if i < 0 {
			out = append(out, map[string]any{})
			i = len(out) - 1
		}
		applied(asMap(out[i]), was(w), w)
	}
	return out
}
