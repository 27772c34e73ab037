package myapp

import (
	"fmt"
	"maps"
	"slices"
)

// An apply merges the ports of a Service, and those of a container, by number and
// protocol. Where somebody has given ours another number, theirs is a further port
// to it: it would stay beside ours under the same name, and the API server refuses
// that, for ever. So a port that has the name of ours is put right before the apply.

// operation is one step of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// withoutRivals is what has to change in a live child before the manifest can be
// applied to it; nil: nothing.
func withoutRivals(live, manifest map[string]any) []operation {
	var ops []operation
	mend := func(path string, live, want map[string]any) {
		have, _ := live["ports"].([]any)
		ports, _ := want["ports"].([]any)
		if mended, differs := mendPorts(have, ports); differs {
			ops = append(ops, operation{"replace", path + "/ports", mended})
		}
	}
	spec, _ := live["spec"].(map[string]any)
	want, _ := manifest["spec"].(map[string]any)
	mend("/spec", spec, want)
	for i, c := range containersOf(spec) {
		for _, w := range containersOf(want) {
			if c["name"] == w["name"] {
				mend(fmt.Sprintf("/spec/template/spec/containers/%d", i), c, w)
			}
		}
	}
	return ops
}

// mendPorts gives each live port that has the name of a wanted one its number and
// protocol; what else it has, like a node port, stays.
func mendPorts(live, want []any) (mended []any, differs bool) {
	mended = slices.Clone(live)
	for _, w := range want {
		w, _ := w.(map[string]any)
		for i, l := range mended {
			l, _ := l.(map[string]any)
			if l["name"] != w["name"] || findByKey([]any{l}, w, mergeKeys["ports"]) != nil {
				continue
			}
			l = maps.Clone(l)
			maps.Copy(l, w)
			mended[i], differs = l, true
		}
	}
	return mended, differs
}

// containersOf are the containers of a Deployment's pod template.
func containersOf(spec map[string]any) []map[string]any {
	template, _ := spec["template"].(map[string]any)
	pod, _ := template["spec"].(map[string]any)
	list, _ := pod["containers"].([]any)
	var out []map[string]any
	for _, c := range list {
		c, _ := c.(map[string]any)
		out = append(out, c)
	}
	return out
}
