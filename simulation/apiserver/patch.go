package apiserver

import (
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// mergePatch applies a JSON merge patch (RFC 7386) to a value, in place where it can.
func mergePatch(live, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	l, ok := live.(map[string]any)
	if !ok {
		l = map[string]any{}
	}
	for k, v := range p {
		if v == nil {
			delete(l, k)
		} else {
			l[k] = mergePatch(l[k], v)
		}
	}
	return l
}

// jsonPatch applies the operations of a JSON patch (RFC 6902) that are in use here:
// add, remove, replace and test, in objects and lists.
func jsonPatch(live map[string]any, patch any) (map[string]any, *metav1.Status) {
	ops, ok := patch.([]any)
	if !ok {
		return nil, badRequest("a JSON patch is a list")
	}
	for _, o := range ops {
		o, _ := o.(map[string]any)
		op, _ := o["op"].(string)
		path, _ := o["path"].(string)
		steps := strings.Split(path, "/")
		if steps[0] != "" || len(steps) < 2 {
			return nil, badRequest("a path begins with '/': %q", path)
		}
		for i, s := range steps {
			steps[i] = strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
		}
		changed, ok := step(live, steps[1:], op, o["value"])
		if !ok {
			st := badRequest("the server rejected our request due to an error in our request: %s %s", op, path)
			st.Code, st.Reason = 422, metav1.StatusReasonInvalid
			return nil, st
		}
		live = changed.(map[string]any)
	}
	return live, nil
}

// step does one operation below v, and returns what v is then.
func step(v any, path []string, op string, value any) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		child, there := v[path[0]]
		if len(path) > 1 {
			changed, ok := step(child, path[1:], op, value)
			if ok {
				v[path[0]] = changed
			}
			return v, ok
		}
		switch {
		case op == "add":
			v[path[0]] = value
		case !there:
			return nil, false
		case op == "remove":
			delete(v, path[0])
		case op == "replace":
			v[path[0]] = value
		case op == "test":
			return v, equal(child, value)
		default:
			return nil, false
		}
		return v, true
	case []any:
		i, err := strconv.Atoi(path[0])
		if path[0] == "-" {
			i, err = len(v), nil
		}
		atEnd := len(path) == 1 && op == "add" && i == len(v)
		switch {
		case err != nil || i < 0 || i >= len(v) && !atEnd:
			return nil, false
		case len(path) > 1:
			changed, ok := step(v[i], path[1:], op, value)
			if ok {
				v[i] = changed
			}
			return v, ok
		case op == "add":
			return slices.Insert(v, i, value), true
		case op == "remove":
			return slices.Delete(v, i, i+1), true
		case op == "replace":
			v[i] = value
			return v, true
		case op == "test":
			return v, equal(v[i], value)
		}
	}
	return nil, false
}
