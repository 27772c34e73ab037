package myapp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// mergeKeys are the lists whose elements the API server tells apart by key: for
// them order and further elements do not matter. Any other list is one value.
var mergeKeys = map[string][]string{
	"containers":       {"name"},
	"env":              {"name"},
	"imagePullSecrets": {"name"},
	"ownerReferences":  {"uid"},
	"ports":            {"containerPort", "port", "protocol"}, // of a container, and of a Service

	"topologySpreadConstraints": {"topologyKey", "whenUnsatisfiable"},
	"volumeMounts":              {"mountPath"},
	"volumes":                   {"name"},
}

// wholeMaps are the maps that are one value: a further key changes their meaning.
var wholeMaps = map[string]bool{"selector": true, "matchLabels": true, "nodeSelector": true}

// contains tells whether a live object is already all that is wanted of it. What
// is not stated in want does not count: defaults, status, and what others added.
// Values count by their meaning, not their spelling, so that an API server that
// writes "500m" for "0.5" is not corrected for ever.
func contains(live, want map[string]any) bool {
	_, differs := difference(live, want)
	return !differs
}

// difference is the path of the first field by which a live object is not what is
// wanted, if there is one.
func difference(live, want map[string]any) (path string, differs bool) {
	if live == nil {
		return "", true
	}
	path, differs = differenceOf(live, want, "")
	return strings.TrimPrefix(path, "."), differs
}

// differenceOf compares two values of the field of that name.
func differenceOf(live, want any, field string) (path string, differs bool) {
	switch want := want.(type) {
	case map[string]any:
		live, ok := live.(map[string]any)
		if !ok {
			return "", true
		}
		return mapDifference(live, want, field)
	case []any:
		live, ok := live.([]any)
		if !ok {
			return "", true
		}
		return listDifference(live, want, field)
	}
	return "", !sameScalar(live, want)
}

func mapDifference(live, want map[string]any, field string) (path string, differs bool) {
	if wholeMaps[field] && len(live) != len(want) {
		return "", true
	}
	for _, k := range slices.Sorted(maps.Keys(want)) {
		w := want[k]
		l, there := live[k]
		switch {
		case !there:
			// An empty value of a variable is not written out by the API server.
			if !(field == "env" && k == "value" && w == "") {
				return "." + k, true
			}
		case field == "requests" || field == "limits":
			if !sameQuantity(l, w) {
				return "." + k, true
			}
		default:
			if below, differs := differenceOf(l, w, k); differs {
				return "." + k + below, true
			}
		}
	}
	return "", false
}

func listDifference(live, want []any, field string) (path string, differs bool) {
	keys, keyed := mergeKeys[field]
	if !keyed {
		if len(live) != len(want) {
			return "", true
		}
		for i := range want {
			if _, differs := differenceOf(live[i], want[i], field); differs {
				return "", true
			}
		}
		return "", false
	}
	for _, w := range want {
		l := findByKey(live, w, keys)
		if l == nil {
			return "", true
		}
		if below, differs := differenceOf(l, w, field); differs {
			return below, true
		}
	}
	return "", false
}

// findByKey is the element of a list that has the same key as a given one.
func findByKey(list []any, like any, keys []string) any {
	want, ok := like.(map[string]any)
	if !ok {
		return nil
	}
next:
	for _, e := range list {
		m, ok := e.(map[string]any)
		if !ok {
			continue
		}
		for _, k := range keys {
			if !sameScalar(m[k], want[k]) {
				continue next
			}
		}
		return e
	}
	return nil
}

// sameScalar compares plain values; numbers by value, whatever Go type a decoder
// gave them.
func sameScalar(a, b any) bool {
	if x, ok := number(a); ok {
		y, ok := number(b)
		return ok && x == y
	}
	switch a.(type) {
	case nil, bool, string:
		return a == b
	}
	return false
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

func sameQuantity(a, b any) bool {
	x, err := resource.ParseQuantity(fmt.Sprint(a))
	if err != nil {
		return false
	}
	y, err := resource.ParseQuantity(fmt.Sprint(b))
	return err == nil && x.Cmp(y) == 0
}
