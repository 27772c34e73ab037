package forecast

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Field is one field that differs; before or after is "" where it is not there.
type Field struct {
	Path string `json:"path"`
	// Before and After are for people, Was and Is the same values as they are, but for
	// secrets.
	Before string `json:"-"`
	After  string `json:"-"`
	Was    any    `json:"before,omitempty"`
	Is     any    `json:"after,omitempty"`
	// Effect is what the change does beyond itself, like "restarts the database".
	Effect string `json:"effect,omitempty"`
	// Refused is why the API server would not take it, or "".
	Refused string `json:"refused,omitempty"`
}

// Compare finds the fields in which two values differ, in order of their paths.
// Lists are compared element by element, by name where the elements have names. What
// its name makes a secret is not shown.
func Compare(path string, before, after any) []Field {
	if reflect.DeepEqual(before, after) {
		return nil
	}
	a, isMap := before.(map[string]any)
	b, too := after.(map[string]any)
	if isMap && too {
		return compareMaps(path, a, b)
	}
	x, ok := named(before)
	y, too := named(after)
	if ok && too && len(x)+len(y) > 0 {
		return compareNamed(path, x, y)
	}
	was, is := veiled(path, before), veiled(path, after)
	return []Field{{Path: path, Before: shown(was, is), After: shown(is, was), Was: was, Is: is}}
}

func compareMaps(path string, a, b map[string]any) (all []Field) {
	for _, k := range slices.Sorted(maps.Keys(both(a, b))) {
		at := path + "." + k
		if strings.ContainsAny(k, "./") {
			at = path + "[" + k + "]"
		}
		all = append(all, Compare(strings.TrimPrefix(at, "."), a[k], b[k])...)
	}
	return all
}

// compareNamed compares elements of lists. One of name and value alone that comes or
// goes is its value.
func compareNamed(path string, a, b map[string]any) (all []Field) {
	for _, k := range slices.Sorted(maps.Keys(both(a, b))) {
		x, y := a[k], b[k]
		if x == nil || y == nil {
			x, y = valueOf(x), valueOf(y)
		}
		all = append(all, Compare(path+"["+k+"]", x, y)...)
	}
	return all
}

func both(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

func valueOf(element any) any {
	m, _ := element.(map[string]any)
	if v, ok := m["value"].(string); ok && len(m) == 2 {
		return v
	}
	return element
}

// named is a list as a map by its elements' names, if all have one of their own; of
// nothing it is empty.
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
	return out, ok || v == nil
}

// shown is a value for people beside the one that it is compared with: a text is quoted
// where it is compared with a number or the like.
func shown(v, other any) string {
	s := Text(v)
	_, text := v.(string)
	switch other.(type) {
	case nil, string, map[string]any, []any:
	default:
		if text && s != hidden && s[0] != '"' {
			s = strconv.Quote(s)
		}
	}
	return s
}

// hidden stands for what is not shown.
const hidden = "(not shown)"

// veiled is a value without the secrets in it, as far as names tell: of variables, of
// files of a configuration and of annotations.
func veiled(path string, v any) any {
	parent, name := path, ""
	switch at := strings.LastIndexAny(path, ".["); {
	case strings.HasSuffix(path, "]"):
		at = strings.LastIndexByte(path, '[')
		parent, name = path[:at], path[at+1:len(path)-1]
	case at >= 0:
		parent, name = path[:at], path[at+1:]
	}
	if name == "value" && strings.HasSuffix(parent, "]") {
		return veiled(parent, v)
	}
	top := parent[strings.LastIndexByte(parent, '.')+1:]
	switch x := v.(type) {
	case string:
		if named := top == "env" || top == "config" || top == "data" || top == "annotations"; named && secret(name) {
			return hidden
		}
	case map[string]any:
		out := maps.Clone(x)
		for k := range out {
			out[k] = veiled(path+"["+k+"]", out[k])
		}
		if n, _ := x["name"].(string); out["value"] != nil && secret(n) {
			out["value"] = hidden
		}
		return out
	case []any:
		out := slices.Clone(x)
		for n := range out {
			out[n] = veiled(path, out[n])
		}
		return out
	}
	return v
}

// secret tells whether a name says that what it names is a secret.
func secret(name string) bool {
	name = strings.ToUpper(name)
	for _, word := range []string{"PASSW", "TOKEN", "SECRET", "KEY", "CREDENTIAL"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
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
