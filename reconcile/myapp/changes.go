package myapp

import (
	"encoding/json"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/forecast"
	"example.com/mote/reconcile"
)

func touches(fields []forecast.Field, prefix string) bool {
	for _, f := range fields {
		if strings.HasPrefix(f.Path, prefix) {
			return true
		}
	}
	return false
}

// changes are the fields that an apply would change or take away, but for what Mote
// notes for itself.
func changes(live, manifest map[string]any) (all []forecast.Field) {
	for _, f := range forecast.Compare("", spokenOf(live, manifest, "", ownFields(live)), manifest) {
		switch f.Path {
		case "metadata.annotations[" + annotationApplied + "]", "metadata.annotations", "apiVersion", "kind":
			continue
		}
		all = append(all, f)
	}
	return all
}

// ownFields are the fields that an apply takes away when it does not state them any
// more, in the API server's notation: those of Mote's applies that nobody else has set.
func ownFields(live map[string]any) map[string]any {
	var mine map[string]any
	var others []map[string]any
	entries, _ := at(live, "metadata")["managedFields"].([]any)
	for _, e := range entries {
		e, _ := e.(map[string]any)
		if e["manager"] == reconcile.FieldManager && e["operation"] == string(metav1.ManagedFieldsOperationApply) && e["subresource"] == nil {
			mine = at(e, "fieldsV1")
			continue
		}
		others = append(others, at(e, "fieldsV1"))
	}
	for _, o := range others {
		mine = less(mine, o)
	}
	return mine
}

// less is a tree of fields less another; nil: nothing is left.
func less(mine, theirs map[string]any) map[string]any {
	var out map[string]any
	for k, below := range mine {
		m, _ := below.(map[string]any)
		if t, there := theirs[k].(map[string]any); there {
			if len(m) == 0 {
				continue
			}
			if m = less(m, t); m == nil {
				continue
			}
		}
		if out == nil {
			out = map[string]any{}
		}
		out[k] = m
	}
	return out
}

// spokenOf is of a live object what a manifest speaks of, and what Mote stated of it
// before. Values that mean the same are taken to be the manifest's.
func spokenOf(live, manifest map[string]any, name string, mine map[string]any) map[string]any {
	out := map[string]any{}
	for k, want := range manifest {
		have, there := live[k]
		switch {
		case !there && name == "env" && k == "value" && want == "": // which the API server does not write out
			out[k] = want
		case !there:
		case (name == "requests" || name == "limits") && sameQuantity(have, want):
			out[k] = want
		default:
			out[k] = spoken(have, want, k, at(mine, "f:"+k))
		}
	}
	for k, have := range live {
		if _, stated := manifest[k]; stated {
			continue
		}
		if below, ok := mine["f:"+k].(map[string]any); ok {
			if left := partOf(have, k, below); left != nil {
				out[k] = left
			}
		}
	}
	return out
}

func spoken(have, want any, name string, mine map[string]any) any {
	switch w := want.(type) {
	case map[string]any:
		if h, ok := have.(map[string]any); ok && !wholeMaps[name] {
			return spokenOf(h, w, name, mine)
		}
	case []any:
		if h, ok := have.([]any); ok && mergeKeys[name] != nil {
			return spokenList(h, w, name, mine)
		}
	}
	if _, differs := differenceOf(have, want, name); !differs {
		return want
	}
	return have
}

// spokenList is of a list whose elements have keys, in the order of the manifest's.
func spokenList(have, want []any, name string, mine map[string]any) []any {
	out, used := []any{}, map[int]bool{}
	for _, w := range want {
		n := counterpart(have, w, name)
		if n < 0 || used[n] {
			continue
		}
		used[n] = true
		h, isMap := have[n].(map[string]any)
		like, too := w.(map[string]any)
		if isMap && too {
			out = append(out, spokenOf(h, like, name, element(mine, h)))
		}
	}
	for n, h := range have {
		m, _ := h.(map[string]any)
		if below := element(mine, m); !used[n] && below != nil {
			if left := partOf(m, name, below); left != nil {
				out = append(out, left)
			}
		}
	}
	return out
}

// counterpart is the place of the element of a list that is about the same thing as a
// given one: of the same key, or else of the same name; -1: there is none.
func counterpart(list []any, like any, name string) int {
	found := findByKey(list, like, mergeKeys[name])
	w, _ := like.(map[string]any)
	for n, e := range list {
		m, ok := e.(map[string]any)
		if ok && (found != nil && reflect.DeepEqual(e, found) || found == nil && w["name"] != nil && w["name"] == m["name"]) {
			return n
		}
	}
	return -1
}

// element are the fields that are noted of one element of a list; nil: none.
func element(mine map[string]any, e map[string]any) map[string]any {
next:
	for k, below := range mine {
		var key map[string]any
		text, ok := strings.CutPrefix(k, "k:")
		if !ok || json.Unmarshal([]byte(text), &key) != nil {
			continue
		}
		for field, v := range key {
			if !sameScalar(e[field], v) {
				continue next
			}
		}
		m, _ := below.(map[string]any)
		return m
	}
	return nil
}

// partOf is of a live value what a tree of fields names; nil: nothing of it is there.
func partOf(have any, name string, fields map[string]any) any {
	if len(fields) == 0 {
		return have
	}
	switch h := have.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, v := range h {
			if below, ok := fields["f:"+k].(map[string]any); ok {
				if left := partOf(v, k, below); left != nil {
					out[k] = left
				}
			}
		}
		if len(out) > 0 {
			return out
		}
	case []any:
		if left := spokenList(h, nil, name, fields); len(left) > 0 {
			return left
		}
	}
	return nil
}
