package crd

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// definition is the part of a CustomResourceDefinition that users rely on.
type definition struct {
	APIVersion string `json:"apiVersion"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Group string `json:"group"`
		Scope string `json:"scope"`
		Names struct {
			Kind       string   `json:"kind"`
			ShortNames []string `json:"shortNames"`
			Categories []string `json:"categories"`
		} `json:"names"`
		Versions []version `json:"versions"`
	} `json:"spec"`
}

type version struct {
	Name             string           `json:"name"`
	Served           bool             `json:"served"`
	Storage          bool             `json:"storage"`
	Subresources     map[string]any   `json:"subresources"`
	SelectableFields []jsonPath       `json:"selectableFields"`
	Columns          []column         `json:"additionalPrinterColumns"`
	Schema           map[string]*node `json:"schema"`
}

type jsonPath struct {
	JSONPath string `json:"jsonPath"`
}

type column struct {
	jsonPath
	Name     string `json:"name"`
	Type     string `json:"type"`
	Priority int    `json:"priority"`
}

// parsed are the embedded definitions by kind.
func parsed(t *testing.T) map[string]definition {
	t.Helper()
	kinds := map[string]definition{}
	for _, f := range Files() {
		var d definition
		if err := yaml.Unmarshal(f.YAML, &d); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if d.Metadata.Name != f.Name {
			t.Errorf("the file listed as %q holds %q", f.Name, d.Metadata.Name)
		}
		if bytes.Contains(f.YAML, []byte("creationTimestamp: null")) {
			t.Errorf("%s sets creationTimestamp: null, which a server-side apply would own", f.Name)
		}
		kinds[d.Spec.Names.Kind] = d
	}
	return kinds
}

func TestPromises(t *testing.T) {
	kinds := parsed(t)
	for _, want := range []struct {
		kind, group, short string
		categories         []string
		subresources       map[string]any
		selectable         []string
		columns, wide      string
	}{
		{
			kind: "PostgresDB", group: "database.example.com", short: "pgdb",
			categories:   []string{"mote", "databases"},
			subresources: map[string]any{"status": map[string]any{}},
			selectable: []string{".spec.site", ".spec.region", ".spec.engineVersion", ".spec.instanceClass",
				".spec.deletionPolicy", ".status.phase", ".status.instanceID"},
			columns: "Phase Ready Version Class Storage Endpoint Age",
			wide:    "Instance Region Site Message",
		},
		{
			kind: "MyApp", group: "example.com", short: "mapp",
			categories: []string{"mote"},
			subresources: map[string]any{"status": map[string]any{}, "scale": map[string]any{
				"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
				"labelSelectorPath": ".status.selector",
			}},
			selectable: []string{".spec.site", ".spec.image", ".spec.serviceType", ".status.phase"},
			columns:    "Phase Ready Desired Available Image Age",
			wide:       "Port Service Site Message",
		},
	} {
		t.Run(want.kind, func(t *testing.T) {
			d, ok := kinds[want.kind]
			if !ok {
				t.Fatalf("no embedded file defines %s", want.kind)
			}
			if len(d.Spec.Versions) != 1 {
				t.Fatalf("%d versions, want 1", len(d.Spec.Versions))
			}
			v := d.Spec.Versions[0]
			var selectable, columns, wide []string
			for _, f := range v.SelectableFields {
				selectable = append(selectable, f.JSONPath)
			}
			for _, c := range v.Columns {
				if c.Priority == 0 {
					columns = append(columns, c.Name)
				} else {
					wide = append(wide, c.Name)
				}
			}
			for _, is := range []struct {
				what      string
				got, want any
			}{
				{"apiVersion", d.APIVersion, "apiextensions.k8s.io/v1"},
				{"group", d.Spec.Group, want.group},
				{"scope", d.Spec.Scope, "Namespaced"},
				{"version", v.Name, "v1"},
				{"served and stored", v.Served && v.Storage, true},
				{"short names", d.Spec.Names.ShortNames, []string{want.short}},
				{"categories", d.Spec.Names.Categories, want.categories},
				{"subresources", v.Subresources, want.subresources},
				{"selectable fields", selectable, want.selectable},
				{"columns", strings.Join(columns, " "), want.columns},
				{"columns of -o wide", strings.Join(wide, " "), want.wide},
			} {
				if !reflect.DeepEqual(is.got, is.want) {
					t.Errorf("%s: %v, want %v", is.what, is.got, is.want)
				}
			}
		})
	}
	if len(kinds) != 2 {
		t.Errorf("%d kinds are embedded, this test knows 2", len(kinds))
	}
}

func TestAllIsOneStream(t *testing.T) {
	documents := strings.Split(string(All()), "\n---\n")
	if len(documents) != len(Files()) {
		t.Fatalf("All has %d documents, want %d", len(documents), len(Files()))
	}
	for i, f := range Files() {
		if !strings.Contains(documents[i], "\n  name: "+f.Name+"\n") {
			t.Errorf("document %d is not %s", i, f.Name)
		}
	}
}

// What is embedded is what is in the files beside it.
func TestPackedIsCurrent(t *testing.T) {
	paths, err := filepath.Glob("*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	if len(paths) != len(Files()) || !bytes.Equal(All(), all) {
		t.Errorf("crds.gz has %d bytes in %d files, there are %d in %d: make generate", len(All()), len(Files()), len(all), len(paths))
	}
}

// What is read by lines is what the files say.
func TestSelectableFields(t *testing.T) {
	want := []string{"metadata.name", "metadata.namespace", "spec.site", "status.phase"}
	if got := SelectableFields(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
