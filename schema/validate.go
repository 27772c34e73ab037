package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate finds what the API server would refuse of an object with its defaults;
// old is the object that it changes, nil where there is none. Of a field that is as
// it was, nothing is refused, as the API server's ratcheting has it. The status is
// not looked at.
func (k *Kind) Validate(object, old map[string]any) field.ErrorList {
	var all field.ErrorList
	meta, _ := object["metadata"].(map[string]any)
	all = append(all, validateMeta(meta)...)
	root := *k.root
	root.Properties = maps.Clone(root.Properties)
	delete(root.Properties, "status")
	self := maps.Clone(object)
	delete(self, "status")
	for _, name := range unknown(k.root, object, "") {
		all = append(all, &field.Error{Type: field.ErrorTypeForbidden, Field: name, Detail: fmt.Sprintf("unknown field %q", name)})
	}
	all = append(all, root.check(nil, self, old)...)
	all = append(all, k.checkScale(self)...)
	if slices.ContainsFunc(all, func(e *field.Error) bool { return blocking[e.Type] }) {
		return all
	}
	before := any(nil)
	if old != nil {
		before = old
	}
	return append(all, root.judge(nil, self, before)...)
}

// checkScale is what the scale subresource refuses of the number of replicas.
func (k *Kind) checkScale(object map[string]any) field.ErrorList {
	v := any(object)
	for _, name := range strings.Split(strings.TrimPrefix(k.scale, "."), ".") {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	switch n, ok := v.(int64); {
	case ok && n < 0:
		return field.ErrorList{field.Invalid(field.NewPath(k.scale), n, "should be a non-negative integer")}
	case ok && n > math.MaxInt32:
		return field.ErrorList{field.Invalid(field.NewPath(k.scale), n, fmt.Sprintf("should be less than or equal to %d", math.MaxInt32))}
	}
	return nil
}

// blocking are the errors after which no rule is asked.
var blocking = map[field.ErrorType]bool{field.ErrorTypeNotSupported: true, field.ErrorTypeRequired: true,
	field.ErrorTypeTooLong: true, field.ErrorTypeTooMany: true, field.ErrorTypeTypeInvalid: true}

// validateMeta finds what every API server refuses of names, labels and annotations.
func validateMeta(meta map[string]any) (all field.ErrorList) {
	path := field.NewPath("metadata")
	name, _ := meta["name"].(string)
	if name == "" {
		all = append(all, field.Required(path.Child("name"), "name or generateName is required"))
	}
	for _, why := range validation.IsDNS1123Subdomain(name) {
		if name != "" {
			all = append(all, field.Invalid(path.Child("name"), name, why))
		}
	}
	if namespace, there := meta["namespace"]; there {
		s, _ := namespace.(string)
		for _, why := range validation.IsDNS1123Label(s) {
			all = append(all, field.Invalid(path.Child("namespace"), namespace, why))
		}
	}
	for _, of := range []string{"labels", "annotations"} {
		m, ok := meta[of].(map[string]any)
		if _, there := meta[of]; there && !ok && meta[of] != nil {
			all = append(all, field.TypeInvalid(path.Child(of), typeOf(meta[of]), "must be a map of strings"))
		}
		for _, key := range slices.Sorted(maps.Keys(m)) {
			for _, why := range validation.IsQualifiedName(strings.ToLower(key)) {
				all = append(all, field.Invalid(path.Child(of), key, why))
			}
			text, ok := m[key].(string)
			if !ok {
				all = append(all, field.TypeInvalid(path.Child(of).Key(key), typeOf(m[key]), "must be of type string"))
			} else if of == "labels" {
				for _, why := range validation.IsValidLabelValue(text) {
					all = append(all, field.Invalid(path.Child(of), text, why))
				}
			}
		}
	}
	return all
}

// unknown are the paths of fields that the schema does not have.
func unknown(n *node, v any, path string) (all []string) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch p := n.Properties[name]; {
			case path == "" && name == "metadata":
			case p != nil:
				all = append(all, unknown(p, v[name], join(path, name))...)
			case n.Values != nil:
				all = append(all, unknown(n.Values, v[name], join(path, name))...)
			case n.Properties != nil:
				all = append(all, join(path, name))
			}
		}
	case []any:
		if n.Items != nil {
			for i, e := range v {
				all = append(all, unknown(n.Items, e, fmt.Sprintf("%s[%d]", path, i))...)
			}
		}
	}
	return all
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// check is what the structural schema refuses of v, whose value was old.
func (n *node) check(path *field.Path, v, old any) (all field.ErrorList) {
	if old != nil && reflect.DeepEqual(v, old) {
		return nil
	}
	if wrong := n.wrongType(v); wrong != "" {
		return field.ErrorList{field.TypeInvalid(path, wrong, fmt.Sprintf("%s in body must be of type %s: %q", path, cmp.Or(n.Type, "integer,string"), wrong))}
	}
	if len(n.Enum) > 0 && !slices.ContainsFunc(n.Enum, func(e any) bool { return reflect.DeepEqual(e, v) }) {
		var words []string
		for _, e := range n.Enum {
			words = append(words, fmt.Sprint(e))
		}
		all = append(all, field.NotSupported(path, v, words))
	}
	switch v := v.(type) {
	case string:
		all = append(all, n.checkText(path, v)...)
	case int64, float64:
		x, _ := number(v)
		if n.Format == "int32" && (x < math.MinInt32 || x > math.MaxInt32) { // it has no path of its own in the API server's words either
			all = append(all, field.Invalid(nil, "", fmt.Sprintf("Checked value must be of type integer with format int32 in %s", path)))
		}
		if n.Minimum != nil && x < *n.Minimum {
			all = append(all, field.Invalid(path, v, fmt.Sprintf("%s in body should be greater than or equal to %v", path, *n.Minimum)))
		}
	case []any:
		all = append(all, n.checkList(path, v, old)...)
	case map[string]any:
		all = append(all, n.checkMap(path, v, old)...)
	}
	return all
}

func (n *node) checkText(path *field.Path, s string) (all field.ErrorList) {
	size := int64(utf8.RuneCountInString(s))
	if n.MaxLength != nil && size > *n.MaxLength {
		all = append(all, field.TooLong(path, "", int(*n.MaxLength)))
	}
	if n.MinLength != nil && size < *n.MinLength {
		all = append(all, field.Invalid(path, s, fmt.Sprintf("%s in body should be at least %d chars long", path, *n.MinLength)))
	}
	if n.Pattern != "" && !regexp.MustCompile(n.Pattern).MatchString(s) {
		all = append(all, field.Invalid(path, s, fmt.Sprintf("%s in body should match '%s'", path, n.Pattern)))
	}
	return all
}

func (n *node) checkList(path *field.Path, list []any, old any) (all field.ErrorList) {
	if n.MaxItems != nil && int64(len(list)) > *n.MaxItems {
		all = append(all, field.TooMany(path, len(list), int(*n.MaxItems)))
	}
	before, _ := old.([]any)
	for i, e := range list {
		all = append(all, n.Items.check(path.Index(i), e, n.was(before, i, e))...)
	}
	seen := map[string]int{}
	for i, e := range list {
		var key any
		switch m, _ := e.(map[string]any); n.ListType {
		case "set":
			key = e
		case "map":
			keys := map[string]any{}
			for _, k := range n.MapKeys {
				if v, there := m[k]; there {
					keys[k] = v
				}
			}
			key = keys
		default:
			continue
		}
		text, _ := json.Marshal(key)
		if seen[string(text)]++; seen[string(text)] == 2 {
			all = append(all, field.Duplicate(path.Index(i), key))
		}
	}
	return all
}

// was is the earlier value of a list's element: the one of the same keys, for
// others nothing is known.
func (n *node) was(before []any, i int, e any) any {
	m, _ := e.(map[string]any)
	for _, b := range before {
		old, _ := b.(map[string]any)
		same := n.ListType == "map" && old != nil && m != nil
		for _, k := range n.MapKeys {
			same = same && reflect.DeepEqual(old[k], m[k])
		}
		if same {
			return old
		}
	}
	return nil
}

func (n *node) checkMap(path *field.Path, m map[string]any, old any) (all field.ErrorList) {
	for _, name := range n.Required {
		if _, there := m[name]; !there {
			all = append(all, field.Required(child(path, name), ""))
		}
	}
	if n.MaxProperties != nil && int64(len(m)) > *n.MaxProperties {
		all = append(all, field.TooMany(path, len(m), int(*n.MaxProperties)))
	}
	before, _ := old.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		switch p := n.Properties[name]; {
		case p != nil && path == nil && name == "metadata":
		case p != nil:
			all = append(all, p.check(child(path, name), m[name], before[name])...)
		case n.Values != nil:
			all = append(all, n.Values.check(child(path, name), m[name], before[name])...)
		}
	}
	return all
}

func child(path *field.Path, name string) *field.Path {
	if path == nil {
		return field.NewPath(name)
	}
	return path.Child(name)
}

// wrongType is the type of a value that is of another than the schema's, or "".
func (n *node) wrongType(v any) string {
	is := typeOf(v)
	switch {
	case n.IntOrString && (is == "integer" || is == "string"), n.Type == is, n.Type == "number" && is == "integer", n.Type == "" && !n.IntOrString:
		return ""
	}
	return is
}

// typeOf is the schema's word for a value's type.
func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case float64:
		if v != float64(int64(v)) {
			return "number"
		}
	}
	return "integer"
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
