package reconcile

import (
	stdjson "encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/util/json"
)

// applyMergePatch is MergePatch of RFC 7386, section 2, word for word.
func applyMergePatch(target, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	t, ok := target.(map[string]any)
	if !ok {
		t = map[string]any{}
	}
	out := map[string]any{}
	for k, v := range t {
		out[k] = v
	}
	for k, v := range p {
		if v == nil {
			delete(out, k)
		} else {
			out[k] = applyMergePatch(out[k], v)
		}
	}
	return out
}

func parsed(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return m
}

func TestMergePatch(t *testing.T) {
	for _, c := range []struct{ live, want, patch string }{
		{`{}`, `{}`, `{}`},
		{`{"a":1}`, `{"a":1}`, `{}`},
		{`{"a":1}`, `{"a":2}`, `{"a":2}`},
		{`{"a":1}`, `{}`, `{"a":null}`},
		{`{}`, `{"a":1}`, `{"a":1}`},
		{`{"a":1}`, `{"a":1.0}`, `{}`},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, `{"a":9007199254740992}`},
		{`{"a":"1"}`, `{"a":1}`, `{"a":1}`},
		{`{"a":false}`, `{"a":true}`, `{"a":true}`},
		{`{"a":""}`, `{}`, `{"a":null}`},
		{`{"a":{"b":1,"c":2}}`, `{"a":{"b":1,"c":3}}`, `{"a":{"c":3}}`},
		{`{"a":{"b":1,"c":2}}`, `{"a":{"b":1}}`, `{"a":{"c":null}}`},
		{`{"a":{"b":1}}`, `{"a":{}}`, `{"a":{"b":null}}`},
		{`{"a":{"b":1}}`, `{}`, `{"a":null}`},
		{`{}`, `{"a":{}}`, `{"a":{}}`},
		{`{"a":"b"}`, `{"a":{"c":1}}`, `{"a":{"c":1}}`},
		{`{"a":{"c":1}}`, `{"a":"b"}`, `{"a":"b"}`},
		{`{"a":[1,2]}`, `{"a":[1,2]}`, `{}`},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, `{"a":[2,1]}`},
		{`{"a":[1,2]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"a":[{"b":1,"c":{}}]}`, `{"a":[{"b":1.0,"c":{}}]}`, `{}`},
		{`{"a":[{"b":1}]}`, `{"a":[{"b":1,"c":null}]}`, `{"a":[{"b":1,"c":null}]}`},
		{`{"a":null}`, `{"a":1}`, `{"a":1}`},
		{`{"a":null}`, `{}`, `{"a":null}`},
		{`{"x":1,"a":1}`, `{"x":2,"a":1}`, `{}`}, // x is ignored
		{`{"x":1}`, `{}`, `{}`},
		{`{}`, `{"x":1}`, `{}`},
		{`{"a":{"x":1}}`, `{"a":{"x":2}}`, `{"a":{"x":2}}`}, // only at the top
	} {
		got, err := stdjson.Marshal(mergePatch(parsed(t, c.live), parsed(t, c.want), map[string]bool{"x": true}))
		if err != nil || string(got) != c.patch {
			t.Errorf("from %s to %s: %s, want %s (%v)", c.live, c.want, got, c.patch, err)
		}
	}
}

// randomJSON is any JSON value; nulls only within lists, and anywhere in live.
func randomJSON(r *rand.Rand, depth int, nulls bool) any {
	n := 9
	if depth == 0 {
		n = 6
	}
	switch r.IntN(n) {
	case 0:
		return int64(r.IntN(4))
	case 1:
		return float64(r.IntN(4)) / 2
	case 2:
		return fmt.Sprint(r.IntN(4))
	case 3:
		return r.IntN(2) == 0
	case 4:
		return int64(1)<<60 + int64(r.IntN(2))
	case 5:
		if nulls {
			return nil
		}
		return ""
	case 6:
		list := []any{}
		for range r.IntN(3) {
			list = append(list, randomJSON(r, depth-1, true))
		}
		return list
	}
	return randomObject(r, depth-1, nulls)
}

func randomObject(r *rand.Rand, depth int, nulls bool) map[string]any {
	m := map[string]any{}
	for range r.IntN(5) {
		m[string(rune('a'+r.IntN(5)))] = randomJSON(r, depth, nulls)
	}
	return m
}

// The patch, applied to live, gives want, but for the ignored keys, which stay;
// it is empty exactly when nothing differs; and applied again it changes nothing.
func TestMergePatchProperty(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ignore := map[string]bool{"a": true}
	empty := 0
	for range 10_000 {
		live, want := randomObject(r, 3, true), randomObject(r, 3, false)
		switch r.IntN(4) {
		case 0: // nearly the same
			want = parsed(t, string(must(stdjson.Marshal(live))))
			dropNulls(want)
			if r.IntN(2) == 0 {
				want["b"] = randomJSON(r, 2, false)
			}
		case 1: // as the API server gives it back
			live = parsed(t, string(must(stdjson.Marshal(want))))
		}
		before := string(must(stdjson.Marshal(live)))
		patch := mergePatch(live, want, ignore)
		if after := string(must(stdjson.Marshal(live))); after != before {
			t.Fatalf("live was changed from %s to %s", before, after)
		}
		// Over the wire.
		patch = parsed(t, string(must(stdjson.Marshal(patch))))
		got := applyMergePatch(live, patch).(map[string]any)
		expected := map[string]any{}
		for k, v := range want {
			expected[k] = v
		}
		delete(expected, "a")
		if a, ok := live["a"]; ok {
			expected["a"] = a
		}
		if !equalJSON(got, expected) {
			t.Fatalf("live %v, want %v, patch %v: gives %v", live, want, patch, got)
		}
		if again := mergePatch(got, want, ignore); len(again) != 0 {
			t.Fatalf("live %v, want %v: after the patch there is still %v to do", live, want, again)
		}
		if len(patch) == 0 {
			empty++
			if !equalJSON(live, expected) {
				t.Fatalf("live %v, want %v: no patch although they differ", live, want)
			}
		} else if equalJSON(live, expected) {
			t.Fatalf("live %v, want %v: patch %v although they are the same", live, want, patch)
		}
	}
	if empty < 500 {
		t.Errorf("only %d cases with nothing to do", empty)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestToMap(t *testing.T) {
	type inner struct {
		A *string        `json:"a"`
		B map[string]any `json:"b,omitempty"`
	}
	type outer struct {
		Big   int64   `json:"big"`
		Half  float64 `json:"half"`
		Null  *inner  `json:"null"`
		Inner inner   `json:"inner"`
		List  []any   `json:"list"`
		Empty []any   `json:"empty,omitempty"`
	}
	got, err := toMap(outer{Big: 1<<53 + 1, Half: 0.5, Inner: inner{B: map[string]any{"c": nil}}, List: []any{nil}})
	want := map[string]any{"big": int64(1<<53 + 1), "half": 0.5, "inner": map[string]any{"b": map[string]any{}}, "list": []any{nil}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if _, err := toMap(func() {}); err == nil {
		t.Error("a function is no JSON object")
	}
	if _, err := toMap([]int{1}); err == nil {
		t.Error("a list is no JSON object")
	}
}
