package myapp

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"example.com/mote/reconcile"
)

// Who puts a child back to what it was once (kubectl rollout undo does, and kubectl
// replace of a saved one) owns from then on, beside Mote, what the MyApp does not
// state any more: an apply would leave it there for ever. It is told from a field that
// somebody set on purpose by the annotation, which is then of an earlier manifest, and
// theirs. What such an entry of managedFields owns is Mote's own word of another day,
// so it is made over to Mote before the apply, which takes away what is not stated.

// back is what one entry of managedFields holds by putting a child back.
type back struct {
	entry int
	by    string
	paths [][]string
}

// putBack is who put a child back, and what they own by it. It is known of a child
// with managedFields alone: one that is remembered has none, and is read before
// anything is written.
func putBack(live, manifest map[string]any) []back {
	wanted, is := at(manifest, "metadata", "annotations")[annotationApplied], at(live, "metadata", "annotations")[annotationApplied]
	entries, _ := at(live, "metadata")["managedFields"].([]any)
	var all []back
	for n, e := range entries {
		e, _ := e.(map[string]any)
		by, _ := e["manager"].(string)
		fields := at(e, "fieldsV1")
		if by == reconcile.FieldManager {
			continue
		}
		var paths [][]string
		switch {
		case is != wanted && at(fields, "f:metadata", "f:annotations", "f:"+annotationApplied) != nil:
			paths = statable(fields, manifest)
		case by == "kubectl" && e["operation"] == "Update":
			if paths = leftBehind(fields, manifest); paths == nil {
				continue
			}
		default:
			continue
		}
		all = append(all, back{n, by, paths})
	}
	return all
}

// statable is all that a set of fields has of what a manifest of this kind may state.
func statable(fields, manifest map[string]any) (paths [][]string) {
	add := func(path ...string) {
		if at(fields, path...) != nil {
			paths = append(paths, path)
		}
	}
	switch manifest["kind"] {
	case kinds[config]:
		add("f:data")
	case kinds[service]: // else there is what the API server gave
		add("f:spec", "f:ports")
	case kinds[deployment]:
		for field := range at(fields, "f:spec") {
			// A number of pods that the app does not state is somebody's who scales.
			if field != "f:replicas" || at(manifest, "spec")["replicas"] != nil {
				add("f:spec", field)
			}
		}
	}
	return paths
}

// leftBehind is what kubectl rollout undo left of an earlier manifest, after which the
// annotation was put right and this was not; nil: nothing. No other command of kubectl
// writes a pod template under this bare name. Where it brought back a container of
// somebody's, nothing is taken: the rest may belong to that one.
func leftBehind(fields, manifest map[string]any) (paths [][]string) {
	template := []string{"f:spec", "f:template", "f:spec"}
	const own = `k:{"name":"` + containerName + `"}`
	for field := range at(fields, template...) {
		path := slices.Concat(template, []string{field})
		switch field {
		case "f:initContainers", "f:ephemeralContainers":
			return nil
		case "f:containers":
			below := at(fields, path...)
			for key := range below {
				if key != own && key != "." {
					return nil
				}
			}
			path = append(path, own)
		}
		paths = append(paths, path)
	}
	if !beyond(at(fields, template...), at(manifest, "spec", "template", "spec")) {
		return nil
	}
	return paths
}

// beyond tells whether a set of fields has any that a manifest does not state.
func beyond(fields map[string]any, stated any) bool {
	for f, below := range fields {
		var part any
		switch name, isField := strings.CutPrefix(f, "f:"); {
		case f == ".":
			continue
		case isField:
			m, _ := stated.(map[string]any)
			part = m[name]
		default:
			var key map[string]any
			text, _ := strings.CutPrefix(f, "k:")
			if json.Unmarshal([]byte(text), &key) != nil {
				continue
			}
			list, _ := stated.([]any)
			part = findByKey(list, key, slices.Collect(maps.Keys(key)))
		}
		if part == nil {
			return true
		}
		if m, _ := below.(map[string]any); beyond(m, part) {
			return true
		}
	}
	return false
}

// join adds a set of fields to another. One without any below it is owned itself.
func join(into, fields map[string]any) {
	for f, below := range fields {
		theirs, _ := below.(map[string]any)
		mine, there := into[f].(map[string]any)
		if !there {
			into[f] = theirs
			continue
		}
		if f != "." && (len(mine) == 0) != (len(theirs) == 0) {
			mine["."] = map[string]any{}
		}
		join(mine, theirs)
	}
}
