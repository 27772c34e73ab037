package reconcile

import (
	"encoding/json"
	"fmt"
	"reflect"

	"example.com/mote/jsonscan"
)

// toMap is a struct as the JSON object that it stands for: numbers as the dynamic
// client has them (int64, or float64 where they are not whole), and without
// nulls, which say no more in a merge patch's target than an absent field.
func toMap(v any) (map[string]any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	read, err := jsonscan.New(data).Whole()
	if err != nil {
		return nil, err
	}
	m, ok := read.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("a %T is no JSON object", v)
	}
	dropNulls(m)
	return m, nil
}

func dropNulls(m map[string]any) {
	for k, v := range m {
		switch v := v.(type) {
		case nil:
			delete(m, k)
		case map[string]any:
			dropNulls(v)
		}
	}
}

// mergePatch is the JSON merge patch (RFC 7386) that turns live into want: what
// want lacks becomes null, lists are replaced whole, equal values are left out.
// Keys of ignore are passed over at the top level. want holds no null outside of
// lists: a merge patch cannot put one there.
func mergePatch(live, want map[string]any, ignore map[string]bool) map[string]any {
	diff := map[string]any{}
	for k, w := range want {
		if ignore[k] {
			continue
		}
		l, there := live[k]
		lm, lok := l.(map[string]any)
		wm, wok := w.(map[string]any)
		switch {
		case there && lok && wok:
			if d := mergePatch(lm, wm, nil); len(d) > 0 {
				diff[k] = d
			}
		case !there || !equalJSON(l, w):
			diff[k] = w
		}
	}
	for k := range live {
		if _, ok := want[k]; !ok && !ignore[k] {
			diff[k] = nil
		}
	}
	return diff
}

// equalJSON compares two JSON values; numbers by value, whatever Go type a
// decoder gave them.
func equalJSON(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equalJSON(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			w, there := b[k]
			if !there || !equalJSON(v, w) {
				return false
			}
		}
		return true
	}
	if x, ok := whole(a); ok {
		if y, ok := whole(b); ok {
			return x == y // exactly, also beyond what a float64 can tell apart
		}
	}
	if x, ok := number(a); ok {
		y, ok := number(b)
		return ok && x == y
	}
	return reflect.DeepEqual(a, b)
}

func whole(v any) (int64, bool) {
	switch n := v.(type) {
	case int64:
		return n, true
	case int:
		return int64(n), true
	case int32:
		return int64(n), true
	}
	return 0, false
}

func number(v any) (float64, bool) {
	if n, ok := whole(v); ok {
		return float64(n), true
	}
	n, ok := v.(float64)
	return n, ok
}
