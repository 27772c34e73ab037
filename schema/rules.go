package schema

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// judge is what the CEL rules of n, and of all below it, refuse of v, whose value
// was old; nil: there was none.
func (n *node) judge(path *field.Path, v, old any) (all field.ErrorList) {
	same := old != nil && reflect.DeepEqual(v, old)
	for _, r := range n.Rules {
		if r.program.Transition && old == nil || same && path != nil {
			continue
		}
		ok, err := r.program.Bool(v, old)
		if ok && err == nil {
			continue
		}
		at := path
		for _, name := range strings.Split(strings.TrimPrefix(r.FieldPath, "."), ".") {
			if name != "" {
				at = child(at, name)
			}
		}
		why := r.Message
		if err != nil {
			why = fmt.Sprintf("%v evaluating rule: %s", err, r.Message)
		}
		value := v
		if n.Type == "object" || n.Type == "array" {
			value = field.OmitValueType{}
		}
		all = append(all, field.Invalid(at, value, why))
	}
	switch v := v.(type) {
	case map[string]any:
		before, _ := old.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch p := n.Properties[name]; {
			case p != nil:
				all = append(all, p.judge(child(path, name), v[name], before[name])...)
			case n.Values != nil:
				all = append(all, n.Values.judge(path.Key(name), v[name], before[name])...)
			}
		}
	case []any:
		before, _ := old.([]any)
		for i, e := range v {
			all = append(all, n.Items.judge(path.Index(i), e, n.was(before, i, e))...)
		}
	}
	return all
}
