package apiserver

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// selection is what a list or a watch shows.
type selection struct {
	kind      *kind
	namespace string
	labels    labels.Selector
	fields    fields.Selector
}

func (q request) selection() (selection, *metav1.Status) {
	sel := selection{kind: q.kind, namespace: q.namespace}
	var err error
	if sel.labels, err = labels.Parse(q.option("labelSelector")); err != nil {
		return sel, badRequest("unable to parse the label selector: %v", err)
	}
	if sel.fields, err = fields.ParseSelector(q.option("fieldSelector")); err != nil {
		return sel, badRequest("unable to parse the field selector: %v", err)
	}
	for _, r := range sel.fields.Requirements() {
		if _, ok := q.kind.field(nil, r.Field); !ok {
			return sel, badRequest("field label not supported: %s", r.Field)
		}
	}
	return sel, nil
}

// has tells whether an object, or none, is in the selection.
func (sel selection) has(o *object) bool {
	if o == nil || sel.namespace != "" && o.namespace != sel.namespace {
		return false
	}
	if !sel.labels.Empty() {
		set := labels.Set{}
		have, _ := metaOf(o.content)["labels"].(map[string]any)
		for k, v := range have {
			set[k], _ = v.(string)
		}
		if !sel.labels.Matches(set) {
			return false
		}
	}
	if sel.fields.Empty() {
		return true
	}
	set := fields.Set{}
	for _, r := range sel.fields.Requirements() {
		set[r.Field], _ = sel.kind.field(o.content, r.Field)
	}
	return sel.fields.Matches(set)
}

// field is the value of a selectable field, "" where it is absent; ok when it is
// selectable.
func (k *kind) field(o map[string]any, name string) (value string, ok bool) {
	ok = name == "metadata.name" || name == "metadata.namespace" && k.namespaced
	for _, path := range k.selectable {
		ok = ok || path == "."+name
	}
	var v any = o
	for step := range strings.SplitSeq(name, ".") {
		m, _ := v.(map[string]any)
		v = m[step]
	}
	if v == nil {
		return "", ok
	}
	return fmt.Sprint(v), ok
}
