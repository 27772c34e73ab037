package check

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"example.com/mote/k3s"
)

func schemaOf(t *testing.T, plural string) map[string]any {
	t.Helper()
	defs, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(defs, func(d definition) bool { return d.Spec.Names.Plural == plural })
	b, err := json.Marshal(defs[i].Spec.Versions[0].Schema.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	var fresh map[string]any
	if err := json.Unmarshal(b, &fresh); err != nil {
		t.Fatal(err)
	}
	return fresh
}

func field(schema map[string]any, path ...string) map[string]any {
	for _, p := range path {
		switch p {
		case "[]":
			schema, _ = schema["items"].(map[string]any)
		default:
			schema, _ = properties(schema)[p].(map[string]any)
		}
	}
	return schema
}

func TestCompare(t *testing.T) {
	for name, c := range map[string]struct {
		change func(have map[string]any)
		want   Difference
		same   bool // the hash
	}{
		"the same":            {func(map[string]any) {}, Difference{}, true},
		"another description": {func(h map[string]any) { field(h, "spec", "image")["description"] = "other" }, Difference{}, true},
		"a field less":        {func(h map[string]any) { delete(properties(field(h, "spec")), "site") }, Difference{Missing: []string{"spec.site"}}, false},
		"a field of a list":   {func(h map[string]any) { delete(properties(field(h, "spec", "env", "[]")), "value") }, Difference{Missing: []string{"spec.env[].value"}}, false},
		"no status":           {func(h map[string]any) { delete(properties(h), "status") }, Difference{Missing: []string{"status"}}, false},
		"a field more":        {func(h map[string]any) { properties(field(h, "spec"))["later"] = map[string]any{"type": "string"} }, Difference{More: []string{"spec.later"}}, false},
		"another rule":        {func(h map[string]any) { field(h, "spec", "replicas")["maximum"] = 7.0 }, Difference{Changed: []string{"spec.replicas"}}, false},
		"another type": {func(h map[string]any) { field(h, "spec", "env")["items"] = true },
			Difference{Changed: []string{"spec.env", "spec.env"}}, false},
	} {
		want, have := schemaOf(t, "myapps"), schemaOf(t, "myapps")
		c.change(have)
		if got := compare(want, have); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
		if same := hashOf(want) == hashOf(have); same != c.same {
			t.Errorf("%s: the hash is the same: %t", name, same)
		}
	}
	if hashOf(schemaOf(t, "myapps")) == hashOf(schemaOf(t, "postgresdbs")) {
		t.Error("two kinds have one hash")
	}
}

func TestSelf(t *testing.T) {
	o := k3s.Options{Name: "mote", Namespace: "mote-system", Image: "mote"}
	if all := Self(o); !Passed(all) || len(all) != 4 {
		t.Errorf("%+v", all)
	}
	o.Image = "no image"
	if all := Self(o); Passed(all) {
		t.Errorf("%+v", all)
	}
}
