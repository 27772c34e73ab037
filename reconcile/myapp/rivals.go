package myapp

import (
	"fmt"
	"maps"
	"slices"

	"example.com/mote/reconcile"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// An apply merges the ports of a Service, and those of a container, by number and
// protocol. A port that Mote applied and nobody else has a hand in goes with the
// apply that wants another. One that somebody else gave its number, or a field, is a
// further port to it: it would stay beside ours under the same name, and the API
// server refuses that, for ever.
//
// So before the apply such a port is made over to Mote in the object's
// managedFields, and nothing else is changed. To mend the port itself instead would
// roll the pods a first time, with all else as it was before. A Service keeps the
// node port, which the API server hands on by name.

// operation is one step of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// withoutRivals is what has to change in a live child before the manifest can be
// applied to it; nil: nothing.
func withoutRivals(live, manifest map[string]any) []operation {
	entries, _ := at(live, "metadata")["managedFields"].([]any)
	var rivals [][]string // paths as managedFields have them
	find := func(live, want map[string]any, path ...string) {
		have, _ := live["ports"].([]any)
		ports, _ := want["ports"].([]any)
		for _, p := range have {
			p, _ := p.(map[string]any)
			named := slices.ContainsFunc(ports, func(w any) bool { return w.(map[string]any)["name"] == p["name"] })
			path := slices.Concat(path, []string{"f:ports", portKey(p)})
			if findByKey(ports, p, mergeKeys["ports"]) == nil && stays(entries, named, path) {
				rivals = append(rivals, path)
			}
		}
	}
	spec, want := at(live, "spec"), at(manifest, "spec")
	find(spec, want, "f:spec")
	for _, c := range containersOf(spec) {
		for _, w := range containersOf(want) {
			if c["name"] == w["name"] {
				find(c, w, "f:spec", "f:template", "f:spec", "f:containers", fmt.Sprintf(`k:{"name":"%s"}`, c["name"]))
			}
		}
	}
	returned := putBack(live, manifest)
	if rivals == nil && returned == nil {
		return nil
	}
	return []operation{{"add", "/metadata/managedFields", madeOver(entries, live["apiVersion"], rivals, returned)}}
}

// yielded is a live child as it is when the manifest is about to be applied to it.
func yielded(live *unstructured.Unstructured, manifest map[string]any) *unstructured.Unstructured {
	if live == nil || manifest == nil {
		return live
	}
	ops := withoutRivals(live.Object, manifest)
	if ops == nil {
		return live
	}
	out, meta := maps.Clone(live.Object), maps.Clone(at(live.Object, "metadata"))
	meta["managedFields"], out["metadata"] = ops[0].Value, meta
	return &unstructured.Unstructured{Object: out}
}

// portKey is a port's name among managedFields.
func portKey(p map[string]any) string {
	field := "port"
	if p[field] == nil {
		field = "containerPort"
	}
	return fmt.Sprintf(`k:{"%s":%v,"protocol":"%v"}`, field, p[field], p["protocol"])
}

// stays tells whether an apply that does not want a port would leave it, to be in
// the way of one of the same name. What Mote once changed otherwise than by an apply
// is not left, whatever its name.
func stays(entries []any, named bool, path []string) bool {
	applied, others := false, false
	for _, e := range entries {
		e, _ := e.(map[string]any)
		if at(e, append([]string{"fieldsV1"}, path...)...) == nil {
			continue
		}
		switch {
		case applies(e):
			applied = true
		case e["manager"] == reconcile.FieldManager:
			return true
		default:
			others = true
		}
	}
	return named && (others || !applied)
}

// applies tells whether an entry of managedFields is that of Mote's applies.
func applies(entry map[string]any) bool {
	return entry["manager"] == reconcile.FieldManager && entry["operation"] == string(metav1.ManagedFieldsOperationApply)
}

// madeOver is managedFields with those paths in Mote's applies alone, and all that was
// put back.
func madeOver(entries []any, apiVersion any, paths [][]string, returned []back) []any {
	entries = runtime.DeepCopyJSONValue(entries).([]any)
	mine := map[string]any{"manager": reconcile.FieldManager, "operation": string(metav1.ManagedFieldsOperationApply),
		"apiVersion": apiVersion, "fieldsType": "FieldsV1", "fieldsV1": map[string]any{}}
	i := slices.IndexFunc(entries, func(e any) bool { return applies(e.(map[string]any)) })
	if i < 0 {
		entries, i = append(entries, mine), len(entries)
	}
	own := at(entries[i].(map[string]any), "fieldsV1")
	for _, b := range returned {
		fields := at(entries[b.entry].(map[string]any), "fieldsV1")
		for _, path := range b.paths {
			part := at(fields, path...)
			for _, p := range slices.Backward(path) {
				part = map[string]any{p: part}
			}
			disown(fields, path)
			join(own, part)
		}
	}
	for n, e := range entries {
		fields := at(e.(map[string]any), "fieldsV1")
		for _, path := range paths {
			if n == i {
				state(fields, path)
			} else {
				disown(fields, path)
			}
		}
	}
	return slices.DeleteFunc(entries, func(e any) bool { return len(at(e.(map[string]any), "fieldsV1")) == 0 })
}

// state puts a path into a set of fields.
func state(fields map[string]any, path []string) {
	for _, p := range path {
		below, _ := fields[p].(map[string]any)
		if below == nil {
			below = map[string]any{}
			fields[p] = below
		}
		fields = below
	}
	fields["."] = map[string]any{}
}

// disown takes a path and all below it out of a set of fields. Nothing empty is left
// on the way there: that would be a field that is owned as a whole.
func disown(fields map[string]any, path []string) {
	below, there := fields[path[0]].(map[string]any)
	if len(path) > 1 && there {
		owned := len(below) > 0
		disown(below, path[1:])
		there = owned && len(below) == 0
	}
	if there {
		delete(fields, path[0])
	}
}

func at(m map[string]any, path ...string) map[string]any {
	for _, p := range path {
		m, _ = m[p].(map[string]any)
	}
	return m
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
