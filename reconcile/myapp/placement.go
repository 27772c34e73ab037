package myapp

import (
	"example.com/mote/crd/examplev1"
)

// unreachableSeconds is how long pods stay bound to a node that cannot be reached.
// The API server's default of five minutes would move, or on a single node
// restart, every app at each longer outage of an edge link, although its pods
// never stopped.
const unreachableSeconds = int64(30 * 60)

// tolerationsFor are the app's own, and those of a node that cannot be reached
// unless the app has its own of that.
func tolerationsFor(app *examplev1.MyApp) []any {
	var out []any
	for _, t := range app.Spec.Tolerations {
		operator := t.Operator
		if operator == "" {
			operator = "Equal"
		}
		m := map[string]any{"operator": operator}
		for field, text := range map[string]string{"key": t.Key, "value": string(t.Value), "effect": t.Effect} {
			if text != "" {
				m[field] = text
			}
		}
		if t.TolerationSeconds != nil {
			m["tolerationSeconds"] = *t.TolerationSeconds
		}
		out = append(out, m)
	}
	for _, key := range []string{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"} {
		if !tolerates(app.Spec.Tolerations, key) {
			out = append(out, map[string]any{
				"key": key, "operator": "Exists", "effect": noExecute, "tolerationSeconds": unreachableSeconds,
			})
		}
	}
	return out
}

const noExecute = "NoExecute"

// tolerates tells whether a list has an opinion on the NoExecute taint of a key.
func tolerates(list []examplev1.Toleration, key string) bool {
	for _, t := range list {
		if (t.Key == key || t.Key == "") && (t.Effect == noExecute || t.Effect == "") {
			return true
		}
	}
	return false
}

// spreadFor spreads the pods over the nodes as far as there are several. It says
// nothing of replicas: a scaling must not change the template.
func spreadFor(app *examplev1.MyApp) []any {
	return []any{map[string]any{
		"maxSkew": int64(1), "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway",
		"labelSelector": map[string]any{"matchLabels": map[string]any{labelApp: app.Name}},
	}}
}

// strategyFor is how pods are replaced: a new one is ready before an old one
// goes, where the app does not ask otherwise. Two pods cannot have the same ports
// of one node: with hostNetwork the old one goes first.
func strategyFor(app *examplev1.MyApp) map[string]any {
	s := app.Spec.Strategy
	if s == nil {
		s = &examplev1.Strategy{}
	}
	if s.Type == recreate {
		return map[string]any{"type": recreate}
	}
	surge, unavailable := int64(1), int64(0)
	if app.Spec.HostNetwork {
		surge = 0
	}
	if s.MaxSurge != nil {
		surge = int64(*s.MaxSurge)
	}
	if surge == 0 {
		unavailable = 1
	}
	if s.MaxUnavailable != nil {
		unavailable = int64(*s.MaxUnavailable)
	}
	if surge == 0 && unavailable == 0 { // maxUnavailable 0 alone, with hostNetwork
		surge = 1
	}
	return map[string]any{"type": "RollingUpdate", "rollingUpdate": map[string]any{"maxSurge": surge, "maxUnavailable": unavailable}}
}

const recreate = "Recreate"
