package schema

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"sigs.k8s.io/yaml"

	"example.com/mote/crd"
	"example.com/mote/schema/expr"
)

// Kind is one of the kinds that are embedded, with its schema.
type Kind struct {
	Group, Version, Name, Resource string
	Aliases                        []string // names in small letters, the short ones last

	root *node
	// scale is the path of the number of replicas, like ".spec.replicas"; "": there
	// is none.
	scale string
}

// node is one place of a structural schema.
type node struct {
	Type          string
	Properties    map[string]*node
	Items         *node
	Values        *node `json:"additionalProperties"`
	Required      []string
	Default       any
	Enum          []any
	MaxLength     *int64
	MinLength     *int64
	MaxItems      *int64
	MaxProperties *int64
	Minimum       *float64
	Pattern       string
	Format        string
	ListType      string   `json:"x-kubernetes-list-type"`
	MapKeys       []string `json:"x-kubernetes-list-map-keys"`
	IntOrString   bool     `json:"x-kubernetes-int-or-string"`
	Rules         []*rule  `json:"x-kubernetes-validations"`
}

// rule is one CEL rule.
type rule struct {
	Rule, Message, FieldPath string

	program *expr.Program
}

// definition is what is read of a CustomResourceDefinition.
type definition struct {
	Spec struct {
		Group string
		Names struct {
			Kind, Plural, Singular string
			ShortNames             []string
		}
		Versions []struct {
			Name   string
			Schema struct{ OpenAPIV3Schema *node }

			Subresources struct {
				Scale struct{ SpecReplicasPath string }
			}
		}
	}
}

// Kinds are all that are embedded. They are read once.
var Kinds = sync.OnceValue(func() []*Kind {
	var all []*Kind
	for _, document := range bytes.Split(crd.All(), []byte("\n---\n")) {
		var d definition
		if err := yaml.Unmarshal(document, &d); err != nil {
			panic("the embedded CRDs: " + err.Error()) // what is compiled in was tested
		}
		names := d.Spec.Names
		for _, v := range d.Spec.Versions {
			k := &Kind{Group: d.Spec.Group, Version: v.Name, Name: names.Kind, Resource: names.Plural,
				Aliases: append([]string{names.Plural, names.Singular}, names.ShortNames...), root: v.Schema.OpenAPIV3Schema, scale: v.Subresources.Scale.SpecReplicasPath}
			k.root.prepare()
			all = append(all, k)
		}
	}
	return all
})

// prepare compiles the rules of n and of all below it.
func (n *node) prepare() {
	for _, r := range n.Rules {
		var err error
		if r.program, err = expr.Parse(r.Rule); err != nil {
			panic(fmt.Sprintf("the embedded CRDs: %v", err)) // what is compiled in was tested
		}
	}
	for _, p := range n.Properties {
		p.prepare()
	}
	for _, below := range []*node{n.Items, n.Values} {
		if below != nil {
			below.prepare()
		}
	}
}

// Short is the kind's shortest name, "pgdb".
func (k *Kind) Short() string { return k.Aliases[len(k.Aliases)-1] }

// APIVersion is as in a manifest.
func (k *Kind) APIVersion() string { return k.Group + "/" + k.Version }

// Of finds the kind of a manifest; nil: it is not one of the embedded.
func Of(apiVersion, kind string) *Kind {
	for _, k := range Kinds() {
		if k.Name == kind && k.APIVersion() == apiVersion {
			return k
		}
	}
	return nil
}

// Named finds a kind by any of the names that kubectl knows it by, in small
// letters; nil: there is none.
func Named(alias string) *Kind {
	for _, k := range Kinds() {
		if slices.Contains(k.Aliases, alias) || alias == k.Resource+"."+k.Group {
			return k
		}
	}
	return nil
}
