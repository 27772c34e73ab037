package apiserver

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/yaml"

	"example.com/mote/crd"
)

// kind is one resource that is served, and what is stored of it.
type kind struct {
	group, version, resource, name string
	namespaced                     bool
	status                         bool                               // has a status subresource
	counted                        func(old, now map[string]any) bool // whether a change makes a new generation; nil: it has none
	selectable                     []string                           // paths of fields, like ".spec.site"
	schema                         *schema                            // of a CRD; nil: what comes is taken
	complete                       func(map[string]any)               // fills in defaults, in place
	check                          func(map[string]any) (field, message string)
	owners                         *owners // nil: nobody keeps count of who owns what, and nothing is applied

	objects map[key]*object
	births  map[key]int // objects made
	history []change
	changed chan struct{} // closed at the next change
	pages   map[string]*snapshot
}

// path is the beginning of the kind's URLs.
func (k *kind) path() string {
	if k.group == "" {
		return "api/" + k.version + "/" + k.resource
	}
	return "apis/" + k.group + "/" + k.version + "/" + k.resource
}

func (k *kind) apiVersion() string { return strings.TrimPrefix(k.group+"/"+k.version, "/") }

// kinds are all that there are, with nothing stored yet; they are worked out once.
var kinds = sync.OnceValues(func() ([]kind, error) {
	all := []kind{
		{version: "v1", resource: "namespaces", name: "Namespace"},
		{version: "v1", resource: "secrets", name: "Secret", namespaced: true},
		{version: "v1", resource: "configmaps", name: "ConfigMap", namespaced: true},
		{version: "v1", resource: "services", name: "Service", namespaced: true, status: true, complete: completeService, check: checkService},
		{group: "apps", version: "v1", resource: "deployments", name: "Deployment", namespaced: true, status: true,
			counted: deploymentCounts, complete: completeDeployment, check: checkDeployment},
		{group: "events.k8s.io", version: "v1", resource: "events", name: "Event", namespaced: true},
		{group: "coordination.k8s.io", version: "v1", resource: "leases", name: "Lease", namespaced: true},
	}
	for _, document := range bytes.Split(crd.All(), []byte("---\n"))[1:] {
		k, err := custom(document)
		if err != nil {
			return nil, fmt.Errorf("a CRD: %w", err)
		}
		all = append(all, *k)
	}
	for i, k := range all {
		switch k.name {
		case "Service", "ConfigMap", "Deployment":
			var err error
			if all[i].owners, err = newOwners(&k); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
})

// custom is the kind that a CRD makes.
func custom(text []byte) (*kind, error) {
	var d struct {
		Spec struct {
			Group string
			Names struct{ Kind, Plural string }
			Scope string

			Versions []struct {
				Name             string
				SelectableFields []struct{ JSONPath string }
				Subresources     struct{ Status *struct{} }
				Schema           struct{ OpenAPIV3Schema *schema }
			}
		}
	}
	if err := yaml.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	if len(d.Spec.Versions) != 1 {
		return nil, fmt.Errorf("it has %d versions, and only one can be served", len(d.Spec.Versions))
	}
	v := d.Spec.Versions[0]
	k := &kind{group: d.Spec.Group, version: v.Name, resource: d.Spec.Names.Plural, name: d.Spec.Names.Kind,
		namespaced: d.Spec.Scope == "Namespaced", status: v.Subresources.Status != nil, counted: customCounts, schema: v.Schema.OpenAPIV3Schema}
	for _, f := range v.SelectableFields {
		k.selectable = append(k.selectable, f.JSONPath)
	}
	return k, nil
}

// customCounts: all but metadata and status is a custom object's spec.
func customCounts(old, now map[string]any) bool {
	without := func(o map[string]any) map[string]any {
		out := map[string]any{}
		for f, v := range o {
			if f != "metadata" && f != "status" {
				out[f] = v
			}
		}
		return out
	}
	return !equal(without(old), without(now))
}

// deploymentCounts: its annotations count as well.
func deploymentCounts(old, now map[string]any) bool {
	return !equal(old["spec"], now["spec"]) || !equal(metaOf(old)["annotations"], metaOf(now)["annotations"])
}
