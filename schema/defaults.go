package schema

import "k8s.io/apimachinery/pkg/runtime"

// Default fills in what a manifest leaves out and the schema has a default for, in
// place.
func (k *Kind) Default(object map[string]any) {
	for name, p := range k.root.Properties {
		if v, there := object[name]; there && name != "metadata" {
			p.fill(v)
		}
	}
}

func (n *node) fill(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, p := range n.Properties {
			if have, there := v[name]; p.Default != nil && (!there || have == nil) {
				v[name] = whole(runtime.DeepCopyJSONValue(p.Default))
			}
			p.fill(v[name])
		}
		if n.Values != nil {
			for _, e := range v {
				n.Values.fill(e)
			}
		}
	case []any:
		if n.Items != nil {
			for _, e := range v {
				n.Items.fill(e)
			}
		}
	}
}

// whole is a number as objects hold it.
func whole(v any) any {
	if f, ok := v.(float64); ok && f == float64(int64(f)) {
		return int64(f)
	}
	return v
}
