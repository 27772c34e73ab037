package apiserver

import (
	"maps"

	"k8s.io/apimachinery/pkg/runtime"
)

// schema is what is needed of a CRD's: which fields there are, and their defaults.
type schema struct {
	Type       string
	Properties map[string]*schema
	Items      *schema
	Default    any
	// AdditionalProperties says what a map holds.
	AdditionalProperties *schema
	PreserveUnknown      bool `json:"x-kubernetes-preserve-unknown-fields"`
}

// shape prunes what the schema does not know, and fills in defaults, in place.
func (s *schema) shape(v any, top bool) {
	switch v := v.(type) {
	case map[string]any:
		if s.AdditionalProperties != nil {
			for _, e := range v {
				s.AdditionalProperties.shape(e, false)
			}
			return
		}
		if s.Properties == nil {
			return
		}
		if !s.PreserveUnknown {
			maps.DeleteFunc(v, func(name string, _ any) bool { return s.Properties[name] == nil })
		}
		for name, p := range s.Properties {
			if top && name == "metadata" {
				continue
			}
			if _, there := v[name]; !there && p.Default != nil {
				v[name] = whole(runtime.DeepCopyJSONValue(p.Default))
			}
			if e, there := v[name]; there {
				p.shape(e, false)
			}
		}
	case []any:
		if s.Items == nil {
			return
		}
		for _, e := range v {
			s.Items.shape(e, false)
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
