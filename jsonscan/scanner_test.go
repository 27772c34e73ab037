package jsonscan

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

const text = ` {"a\"\\":"\\\"x\u00e9", "b":[1,-2.5,true,false,null,{"c":[]},"]}"], "d":{"e":"\\"},"f":null } `

// numbers makes whole numbers of the numbers of encoding/json, as Whole has them.
func numbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	}
	return v
}

func decoded(t *testing.T, text []byte) any {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return numbers(v)
}

func TestWhole(t *testing.T) {
	s := New([]byte(text))
	got, err := s.Whole()
	if want := decoded(t, []byte(text)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if err := s.End(); err != nil {
		t.Error(err)
	}
}

func TestCutAnywhere(t *testing.T) {
	whole := bytes.TrimSpace([]byte(text))
	for i := range whole {
		if err := New(whole[:i]).Skip(); err == nil {
			t.Errorf("skipped %q", whole[:i])
		}
		if v, err := New(whole[:i]).Whole(); err == nil {
			t.Errorf("%q is %v", whole[:i], v)
		}
	}
}

func TestRawAndEnd(t *testing.T) {
	for in, want := range map[string]string{` "x" `: `"x"`, `[1, 2]`: `[1, 2]`, ` -1.5e3`: `-1.5e3`, `null`: `null`, `{"a":"}"}`: `{"a":"}"}`} {
		s := New([]byte(in))
		if got, err := s.Raw(); err != nil || string(got) != want {
			t.Errorf("%q is %q, %v", in, got, err)
		}
		if err := s.End(); err != nil {
			t.Error(err)
		}
	}
	for _, in := range []string{"", " ", ",1", "]", ":", `"`, `"\"`, "[", "{"} {
		if got, err := New([]byte(in)).Raw(); err == nil {
			t.Errorf("%q is %q", in, got)
		}
	}
	s := New([]byte(`{} x`))
	if err := s.Skip(); err != nil {
		t.Fatal(err)
	}
	if s.End() == nil {
		t.Error("something after the end is nothing")
	}
}

func TestScalars(t *testing.T) {
	text, n, yes := "before", 7, true
	s := New([]byte(`[null,null,null,"after",-8,false]`))
	i := 0
	err := s.Array(func() (err error) {
		switch i++; i {
		case 1, 4:
			err = s.String(&text)
		case 2, 5:
			err = s.Int(&n)
		case 3, 6:
			err = s.Bool(&yes)
		}
		if i == 3 && (text != "before" || n != 7 || !yes) {
			t.Error("null is a value")
		}
		return err
	})
	if err != nil || text != "after" || n != -8 || yes {
		t.Error(text, n, yes, err)
	}
	for _, in := range []string{`1`, `tru`, `"1"`, `{}`, `[]`, `nul`, ``, `1.5`, `"`} {
		if in != `"1"` && New([]byte(in)).String(&text) == nil {
			t.Errorf("%s is a string", in)
		}
		if in != `1` && New([]byte(in)).Int(&n) == nil {
			t.Errorf("%s is a whole number", in)
		}
		if New([]byte(in)).Bool(&yes) == nil {
			t.Errorf("%s is a boolean", in)
		}
	}
}

// What encoding/json takes for JSON is read to its end, and alike.
func FuzzAgainstEncodingJSON(f *testing.F) {
	f.Add([]byte(text))
	f.Add([]byte(`"\\\\\\\""`))
	f.Add([]byte(`[[[{"a":{"b":"c"}}]],1e5]`))
	f.Fuzz(func(t *testing.T, in []byte) {
		valid := json.Valid(in)
		s := New(in)
		err := s.Skip()
		if !valid {
			return // it may only not panic
		}
		if err != nil {
			t.Fatalf("skip %q: %v", in, err)
		}
		if err := s.End(); err != nil {
			t.Fatalf("skip %q: %v", in, err)
		}
		got, err := New(in).Whole()
		if err != nil && json.Unmarshal(in, new(any)) != nil {
			return // JSON, but a number out of range
		}
		if err != nil {
			t.Fatalf("read %q: %v", in, err)
		}
		want, _ := json.Marshal(decoded(t, in))
		if have, _ := json.Marshal(got); !bytes.Equal(have, want) {
			t.Fatalf("%q is %s, want %s", in, have, want)
		}
	})
}
