package forecast

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Field is one field that differs; before or after is "" where it is not there.
type Field struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Effect is what the change does beyond itself, like "restarts the database".
	Effect string `json:"effect,omitempty"`
	// Refused is why the API server would not take it, or "".
	Refused string `json:"refused,omitempty"`
}

// Compare finds the fields in which two values differ, in order of their paths.
// Lists are compared element by element, by name where the elements have names.
func Compare(path string, before, after any) []Field {
	if reflect.DeepEqual(before, after) {
		return nil
	}
	a, isMap := before.(map[string]any)
	b, too := after.(map[string]any)
	if isMap && too {
		return compareMaps(path, a, b)
	}
	if x, ok := named(before); ok && before != nil {
		if y, ok := named(after); ok && after != nil {
			return compareNamed(path, x, y)
		}
	}
	return []Field{{Path: path, Before: Text(before), After: Text(after)}}
}

func compareMaps(path string, a, b map[string]any) (all []Field) {
	both := maps.Clone(a)
	maps.Copy(both, b)
	for _, k := range slices.Sorted(maps.Keys(both)) {
		at := path + "." + k
		if strings.ContainsAny(k, "./") {
			at = path + "[" + k + "]"
		}
		all = append(all, Compare(strings.TrimPrefix(at, "."), a[k], b[k])...)
	}
	return all
}

func compareNamed(path string, a, b map[string]any) (all []Field) {
	both := maps.Clone(a)
	maps.Copy(both, b)
	for _, k := range slices.Sorted(maps.Keys(both)) {
		all = append(all, Compare(path+"["+k+"]", a[k], b[k])...)
	}
	return all
}

// named is a list as a map by its elements' names, if all have one of their own.
func named(v any) (map[string]any, bool) {
	list, ok := v.([]any)
	out := map[string]any{}
	for _, e := range list {
		m, _ := e.(map[string]any)
		name, _ := m["name"].(string)
		if _, twice := out[name]; name == "" || twice {
			return nil, false
		}
		out[name] = m
	}
	return out, ok
}

// textLimit is how much of a value is shown.
const textLimit = 60

// Text is a value for people, on one line, shortened; "" for none.
func Text(v any) string {
	if v == nil {
		return ""
	}
	s, ok := v.(string)
	if !ok || s == "" || strings.ContainsAny(s, "\n\"") {
		b, err := json.Marshal(v)
		if err != nil {
			return fmt.Sprint(v)
		}
		s = string(b)
	}
	if utf8.RuneCountInString(s) > textLimit {
		s = string([]rune(s)[:textLimit-1]) + "…"
	}
	return s
}
