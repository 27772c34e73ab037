package check

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"example.com/mote/crd"
)

// definition is what is needed of a CustomResourceDefinition.
type definition struct {
	Spec struct {
		Group    string
		Names    struct{ Plural, Kind string }
		Versions []struct {
			Name             string
			Schema           struct{ OpenAPIV3Schema map[string]any }
			SelectableFields []struct{ JSONPath string }
			Subresources     struct{ Scale map[string]any }
		}
	}
}

// embedded are the CustomResourceDefinitions in the binary.
func embedded() ([]definition, error) {
	var all []definition
	for _, part := range bytes.Split(crd.All(), []byte("\n---\n")) {
		var d definition
		if err := yaml.Unmarshal(part, &d); err != nil {
			return nil, fmt.Errorf("the embedded CustomResourceDefinitions are broken: %w", err)
		}
		if d.Spec.Group == "" {
			continue
		}
		if len(d.Spec.Versions) != 1 || len(d.Spec.Versions[0].Schema.OpenAPIV3Schema) == 0 {
			return nil, fmt.Errorf("the embedded CustomResourceDefinition of %s is not of one version with a schema", d.Spec.Names.Plural)
		}
		all = append(all, d)
	}
	return all, nil
}

// ours are the parts of a schema that are not the same for all kinds.
var ours = []string{"spec", "status"}

// hashOf is a short hash of the rules of a schema; their descriptions do not count.
func hashOf(schema map[string]any) string {
	b, err := json.Marshal(bare(map[string]any{"properties": pick(properties(schema), ours)}))
	if err != nil {
		return "unreadable"
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:4])
}

func pick(m map[string]any, keys []string) map[string]any {
	out := map[string]any{}
	for _, k := range keys {
		out[k] = m[k]
	}
	return out
}

func properties(schema map[string]any) map[string]any {
	p, _ := schema["properties"].(map[string]any)
	return p
}

// bare is a schema without the descriptions of its fields. A field may be called
// "description" too: it is below "properties".
func bare(schema map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range schema {
		switch v := v.(type) {
		case map[string]any:
			if k == "properties" {
				fields := map[string]any{}
				for name, f := range v {
					if f, ok := f.(map[string]any); ok {
						fields[name] = bare(f)
					}
				}
				out[k] = fields
				continue
			}
			if k == "items" || k == "additionalProperties" {
				out[k] = bare(v)
				continue
			}
			out[k] = v
		default:
			if k != "description" {
				out[k] = v
			}
		}
	}
	return out
}

// compare tells how a schema that is wanted differs from the one that is there.
func compare(want, have map[string]any) Difference {
	var d Difference
	for _, part := range ours {
		w, _ := properties(want)[part].(map[string]any)
		h, _ := properties(have)[part].(map[string]any)
		switch {
		case h == nil && w != nil:
			d.Missing = append(d.Missing, part)
		case w != nil:
			d.walk(part, bare(w), bare(h))
		}
	}
	return d
}

func (d *Difference) walk(path string, want, have map[string]any) {
	w, h := properties(want), properties(have)
	for _, name := range slices.Sorted(maps.Keys(w)) {
		below, _ := w[name].(map[string]any)
		there, ok := h[name].(map[string]any)
		if !ok {
			d.Missing = append(d.Missing, path+"."+name)
			continue
		}
		d.walk(path+"."+name, below, there)
	}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if _, ok := w[name]; !ok {
			d.More = append(d.More, path+"."+name)
		}
	}
	for inner, suffix := range map[string]string{"items": "[]", "additionalProperties": "{}"} {
		below, isWanted := want[inner].(map[string]any)
		there, isThere := have[inner].(map[string]any)
		if isWanted && isThere {
			d.walk(path+suffix, below, there)
		} else if isWanted != isThere {
			d.Changed = append(d.Changed, path)
		}
	}
	if !same(rules(want), rules(have)) {
		d.Changed = append(d.Changed, path)
	}
}

// rules are what a schema says of a field itself.
func rules(schema map[string]any) map[string]any {
	out := maps.Clone(schema)
	for _, inner := range []string{"properties", "items", "additionalProperties"} {
		if _, below := out[inner].(map[string]any); below {
			delete(out, inner)
		}
	}
	return out
}

func same(a, b map[string]any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// selectable are the fields that objects can be selected by, like "spec.site".
func (d definition) selectable() []string {
	var out []string
	for _, f := range d.Spec.Versions[0].SelectableFields {
		out = append(out, strings.TrimPrefix(f.JSONPath, "."))
	}
	return out
}
