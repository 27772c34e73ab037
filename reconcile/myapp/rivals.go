package myapp

import (
	"fmt"
	"maps"
	"slices"

	"example.com/mote/reconcile"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An apply merges the ports of a Service, and those of a container, by number and
// protocol. Where somebody has given ours another number, theirs is a further port
// to it: it would stay beside ours under the same name, and the API server refuses
// that, for ever. So a port that has the name of ours is put right before the apply.

// Such a change is no apply, so what it leaves belongs to Mote's changes and not to
// its applies, and a later apply that does not want it leaves it where it is. It is
// taken away in the same way as it came.

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
	mend := func(path string, live, want map[string]any, ours map[string]any) {
		have, _ := live["ports"].([]any)
		ports, _ := want["ports"].([]any)
		mended, differs := mendPorts(withoutFormer(have, ports, ours), ports)
		if differs || len(mended) < len(have) {
			ops = append(ops, operation{"replace", path + "/ports", mended})
		}
	}
	spec, _ := live["spec"].(map[string]any)
	want, _ := manifest["spec"].(map[string]any)
	changed := changedByMote(live)
	mend("/spec", spec, want, at(changed, "f:spec", "f:ports"))
	for i, c := range containersOf(spec) {
		for _, w := range containersOf(want) {
			if c["name"] == w["name"] {
				key := fmt.Sprintf(`k:{"name":"%s"}`, c["name"])
				mend(fmt.Sprintf("/spec/template/spec/containers/%d", i), c, w,
					at(changed, "f:spec", "f:template", "f:spec", "f:containers", key, "f:ports"))
			}
		}
	}
	return ops
}

// changedByMote are the fields that Mote changed otherwise than by an apply, as
// the API server notes them.
func changedByMote(live map[string]any) map[string]any {
	entries, _ := at(live, "metadata")["managedFields"].([]any)
	for _, e := range entries {
		e, _ := e.(map[string]any)
		if e["manager"] == reconcile.FieldManager && e["operation"] == string(metav1.ManagedFieldsOperationUpdate) {
			return at(e, "fieldsV1")
		}
	}
	return nil
}

func at(m map[string]any, path ...string) map[string]any {
	for _, p := range path {
		m, _ = m[p].(map[string]any)
	}
	return m
}

// withoutFormer is live ports without those that Mote once mended and does not
// want any more.
func withoutFormer(live, want []any, ours map[string]any) []any {
	return slices.DeleteFunc(slices.Clone(live), func(l any) bool {
		p, _ := l.(map[string]any)
		number, field := p["port"], "port"
		if number == nil {
			number, field = p["containerPort"], "containerPort"
		}
		_, mended := ours[fmt.Sprintf(`k:{"%s":%v,"protocol":"%v"}`, field, number, p["protocol"])]
		named := slices.ContainsFunc(want, func(w any) bool { return w.(map[string]any)["name"] == p["name"] })
		return mended && !named && findByKey(want, p, mergeKeys["ports"]) == nil
	})
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
