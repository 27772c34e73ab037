package check

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"

	"example.com/mote/crd/databasev1"
	"example.com/mote/k3s"
)

// kind looks at what the API server knows of a kind. Discovery and its OpenAPI are open
// to every ServiceAccount, the CustomResourceDefinition itself is not.
func (s *server) kind(ctx context.Context, d definition) Kind {
	k := Kind{Resource: d.Spec.Names.Plural, WantsScale: len(d.Spec.Versions[0].Subresources.Scale) > 0, Elsewhere: map[string]int{}}
	at := "apis/" + d.Spec.Group + "/" + d.Spec.Versions[0].Name
	var list struct{ Resources []struct{ Name string } }
	if err := s.get(ctx, "/"+at, nil, &list); err != nil {
		if answered(err) != 404 {
			k.Trouble = err.Error()
		}
		return k
	}
	has := func(name string) bool {
		return slices.ContainsFunc(list.Resources, func(r struct{ Name string }) bool { return r.Name == name })
	}
	k.Served, k.Status, k.Scale = has(k.Resource), has(k.Resource+"/status"), has(k.Resource+"/scale")
	if !k.Served {
		return k
	}
	want := d.Spec.Versions[0].Schema.OpenAPIV3Schema
	k.Wants = hashOf(want)
	have, err := s.schema(ctx, at, d.Spec.Names.Kind)
	if err != nil {
		k.SchemaTrouble = "the schema cannot be read: " + err.Error()
		return k
	}
	k.SchemaHash, k.Difference = hashOf(have), compare(want, have)
	declared, _ := have["x-kubernetes-selectable-fields"].([]any)
	for _, field := range d.selectable() {
		if !slices.ContainsFunc(declared, func(f any) bool {
			f2, _ := f.(map[string]any)
			return f2["fieldPath"] == field
		}) {
			k.Difference.Selectable = append(k.Difference.Selectable, field)
		}
	}
	return k
}

// schema is a kind's schema as the API server publishes it.
func (s *server) schema(ctx context.Context, at, kind string) (map[string]any, error) {
	var doc struct {
		Components struct{ Schemas map[string]map[string]any }
	}
	if err := s.get(ctx, "/openapi/v3/"+at, nil, &doc); err != nil {
		return nil, err
	}
	for _, schema := range doc.Components.Schemas {
		kinds, _ := schema["x-kubernetes-group-version-kind"].([]any)
		for _, k := range kinds {
			if k, _ := k.(map[string]any); k["kind"] == kind && properties(schema)["spec"] != nil {
				return schema, nil
			}
		}
	}
	return nil, fmt.Errorf("%s is not in it", kind)
}

// Objects are looked at in pages of page, pages of them.
const (
	page  = 250
	pages = 4
)

type object struct {
	Metadata struct{ Namespace, Name string }
	Spec     struct{ Site, Region, SubnetID string }
}

// objects looks at the objects of a kind, those in the selection and all.
func (s *server) objects(ctx context.Context, p Plan, d definition, k *Kind, use *usage) {
	path := "/apis/" + d.Spec.Group + "/" + d.Spec.Versions[0].Name
	if p.Namespace != "" {
		path += "/namespaces/" + p.Namespace
	}
	path += "/" + k.Resource
	selected := map[[2]string]bool{}
	over, err := s.list(ctx, path, p.LabelSelector, p.FieldSelector, func(o object) {
		selected[[2]string{o.Metadata.Namespace, o.Metadata.Name}] = true
		k.Selected++
		if k.Resource != databasev1.Resource {
			return
		}
		region := o.Spec.Region
		if region == "" {
			k.NoRegion++
			region = p.Region
		}
		if region == "" {
			return
		}
		use.regions[region] = true
		use.subnet(region, o.Spec.SubnetID, o.Metadata.Namespace+"/"+o.Metadata.Name)
	})
	switch {
	case answered(err) == http.StatusBadRequest:
		k.SelectTrouble = err.Error()
		return
	case err != nil:
		k.ListTrouble = err.Error()
		return
	}
	if over || p.LabelSelector == "" && p.FieldSelector == "" { // these are all there are, or all that is looked at
		k.All = k.Selected
		if over {
			k.Capped = k.Selected
		}
		return
	}
	more, err := s.list(ctx, path, "", "", func(o object) {
		k.All++
		if !selected[[2]string{o.Metadata.Namespace, o.Metadata.Name}] {
			k.Elsewhere[o.Spec.Site]++
		}
	})
	if err != nil {
		k.ListTrouble = err.Error()
	}
	if more {
		k.Capped = k.All
	}
	k.All = max(k.All, k.Selected)
}

// list reads the first pages of a list; more tells whether there are further ones.
func (s *server) list(ctx context.Context, path, label, field string, seen func(object)) (more bool, err error) {
	query := url.Values{"limit": {strconv.Itoa(page)}}
	if label != "" {
		query.Set("labelSelector", label)
	}
	if field != "" {
		query.Set("fieldSelector", field)
	}
	for range pages {
		var l struct {
			Metadata struct{ Continue string }
			Items    []object
		}
		if err := s.get(ctx, path, query, &l); err != nil {
			return false, err
		}
		for _, o := range l.Items {
			seen(o)
		}
		if l.Metadata.Continue == "" {
			return false, nil
		}
		query.Set("continue", l.Metadata.Continue)
	}
	return true, nil
}

// rights asks for each verb of each rule whether it is allowed.
func (s *server) rights(ctx context.Context, rules []k3s.Rule) []Right {
	out := make([]Right, len(rules))
	var all sync.WaitGroup
	free := make(chan struct{}, asideCalls)
	for i, rule := range rules {
		all.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			out[i].Rule = rule
			names := rule.Names
			if len(names) == 0 {
				names = []string{""}
			}
			for _, verb := range rule.Verbs {
				for _, name := range names {
					allowed, err := s.may(ctx, rule, verb, name)
					if err != nil {
						out[i].Trouble = err.Error()
						return
					}
					if !allowed {
						out[i].Denied = append(out[i].Denied, verb)
					}
				}
			}
		})
	}
	all.Wait()
	return out
}
