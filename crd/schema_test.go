package crd

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// node is one place of a structural schema.
type node struct {
	Type        string           `json:"type"`
	Description string           `json:"description"`
	Properties  map[string]*node `json:"properties"`
	Values      *node            `json:"additionalProperties"`
	Items       *node            `json:"items"`
	Required    []string         `json:"required"`
	Default     any              `json:"default"`
	MaxLength   int              `json:"maxLength"`
	Enum        []string         `json:"enum"`
	Format      string           `json:"format"`
	ListType    string           `json:"x-kubernetes-list-type"`
	MapKeys     []string         `json:"x-kubernetes-list-map-keys"`
	IntOrString bool             `json:"x-kubernetes-int-or-string"`
	Rules       []rule           `json:"x-kubernetes-validations"`
}

type rule struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// each calls visit for n and every node below it, with its path.
func (n *node) each(path string, visit func(path string, n *node)) {
	visit(path, n)
	for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
		n.Properties[name].each(path+"."+name, visit)
	}
	if n.Values != nil {
		n.Values.each(path+".*", visit)
	}
	if n.Items != nil {
		n.Items.each(path+"[]", visit)
	}
}

// at is the node at a simple path like ".spec.site", or nil.
func (n *node) at(path string) *node {
	for _, name := range strings.Split(strings.TrimPrefix(path, "."), ".") {
		if n == nil {
			return nil
		}
		n = n.Properties[name]
	}
	return n
}

// faults are what a server would refuse, or a user miss, at one node.
func faults(path string, n *node) []string {
	var found []string
	fault := func(when bool, what string) {
		if when {
			found = append(found, path+": "+what)
		}
	}
	fault(n.Type == "" && !n.IntOrString, "has no type")
	fault(n.Type == "array" && n.Items == nil, "is a list without items")
	fault(n.Type == "array" && n.ListType == "", "is a list without a list type: server-side apply would replace it whole")
	fault(n.Properties != nil && n.Values != nil, "has both properties and values")
	for _, name := range n.Required {
		fault(n.Properties[name] == nil, "requires "+name+", which it does not have")
	}
	for _, key := range n.MapKeys {
		fault(n.Items != nil && !slices.Contains(n.Items.Required, key), "is keyed by "+key+", which its items do not require")
	}
	if strings.HasPrefix(path, ".spec") {
		unbounded := n.Type == "string" && n.MaxLength == 0 && n.Enum == nil && n.Format == ""
		fault(unbounded, "is a string without a greatest length")
	}
	for _, r := range n.Rules {
		fault(r.Message == "", "has a rule without a message: "+r.Rule)
		fault(strings.ContainsAny(r.Rule+r.Message, "“”‘’"), "has a curly quote, made by gofmt of two straight ones: "+r.Rule)
	}
	for name, p := range n.Properties {
		served := path == "" && name == "metadata" // described by the server
		fault(p.Description == "" && !served, "does not describe "+name)
	}
	return found
}

func TestSchemasAreSound(t *testing.T) {
	for kind, d := range parsed(t) {
		v := d.Spec.Versions[0]
		root := v.Schema["openAPIV3Schema"]
		nodes := 0
		root.each("", func(path string, n *node) {
			nodes++
			for _, f := range faults(path, n) {
				t.Errorf("%s%s", kind, f)
			}
		})
		if nodes < 40 {
			t.Errorf("%s: only %d nodes were looked at", kind, nodes)
		}
		for _, f := range v.SelectableFields {
			if n := root.at(f.JSONPath); n == nil || n.Type != "string" {
				t.Errorf("%s: selectable field %s is no string of the schema", kind, f.JSONPath)
			}
		}
		for _, c := range v.Columns {
			simple := strings.HasPrefix(c.JSONPath, ".spec.") || strings.HasPrefix(c.JSONPath, ".status.") && !strings.Contains(c.JSONPath, "[")
			if n := root.at(c.JSONPath); simple && (n == nil || n.Type != c.Type) {
				t.Errorf("%s: column %s shows %s, which is no %s of the schema", kind, c.Name, c.JSONPath, c.Type)
			}
		}
	}
}

func TestDefaultsAreThoseOfTheDesign(t *testing.T) {
	want := map[string]map[string]any{
		"PostgresDB": {".spec.chargeType": "PostpaidByHour", ".spec.deletionPolicy": "Isolate", ".spec.adminUser": "dbadmin"},
		"MyApp": {
			".spec.serviceType": "ClusterIP", ".spec.imagePullPolicy": "IfNotPresent",
			".spec.strategy.type": "RollingUpdate", // none within lists: kubectl apply would see a difference for ever
		},
	}
	for kind, d := range parsed(t) {
		got := map[string]any{}
		d.Spec.Versions[0].Schema["openAPIV3Schema"].each("", func(path string, n *node) {
			if n.Default != nil {
				got[path] = n.Default
			}
		})
		if !maps.Equal(got, want[kind]) {
			t.Errorf("%s: defaults %v, want %v", kind, got, want[kind])
		}
	}
}

func TestFaultsAreFound(t *testing.T) {
	for _, c := range []struct {
		name, path, words string
		node              node
	}{
		{"sound", ".status.a", "", node{Type: "string"}},
		{"int or string", ".spec.a", "", node{IntOrString: true}},
		{"untyped", ".spec.a", "has no type", node{}},
		{"list of nothing", ".spec.a", "without items", node{Type: "array", ListType: "set"}},
		{"list of no type", ".spec.a", "without a list type", node{Type: "array", Items: &node{}}},
		{"object and map", ".spec.a", "both properties and values", node{Type: "object", Properties: map[string]*node{}, Values: &node{}}},
		{"required but absent", ".spec", "requires b", node{Type: "object", Required: []string{"b"}}},
		{"key not required", ".spec.a", "is keyed by b", node{Type: "array", ListType: "map", MapKeys: []string{"b"}, Items: &node{}}},
		{"endless string", ".spec.a", "greatest length", node{Type: "string"}},
		{"silent rule", ".status.a", "without a message", node{Type: "string", Rules: []rule{{Rule: "true"}}}},
		{"curly quote", ".status.a", "curly quote", node{Type: "string", Rules: []rule{{Rule: "self != ”", Message: "m"}}}},
		{"not described", ".spec", "does not describe b", node{Type: "object", Properties: map[string]*node{"b": {}}}},
		{"metadata", "", "", node{Type: "object", Properties: map[string]*node{"metadata": {}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.Join(faults(c.path, &c.node), "\n")
			if (c.words == "") != (got == "") || !strings.Contains(got, c.words) {
				t.Errorf("faults: %q, want %q", got, c.words)
			}
		})
	}
}
