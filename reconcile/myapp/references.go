package myapp

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// reference is a Secret or a ConfigMap of somebody else's that an app's pods take
// something from.
type reference struct {
	kind, name string
	optional   bool // the pods start without it
}

var referenced = map[string]schema.GroupVersionResource{
	"Secret": {Version: "v1", Resource: "secrets"}, "ConfigMap": {Version: "v1", Resource: "configmaps"},
}

// references are what was seen of them in a turn.
type references struct {
	// stamp changes when any of them does; "": there are none.
	stamp string
	// missing are those without which no pod starts, in words.
	missing []string
}

// referencesOf are an app's references, each once, in order.
func referencesOf(app *examplev1.MyApp) []reference {
	var all []reference
	add := func(kind string, name examplev1.ObjectName, optional bool) {
		all = append(all, reference{kind, string(name), optional})
	}
	source := func(kind string, s *examplev1.SourceReference) {
		if s != nil {
			add(kind, s.Name, s.Optional)
		}
	}
	for _, e := range app.Spec.Env {
		if f := e.ValueFrom; f != nil && f.SecretKeyRef != nil {
			add("Secret", f.SecretKeyRef.Name, f.SecretKeyRef.Optional)
		} else if f != nil && f.ConfigMapKeyRef != nil {
			add("ConfigMap", f.ConfigMapKeyRef.Name, f.ConfigMapKeyRef.Optional)
		}
	}
	for _, e := range app.Spec.EnvFrom {
		source("Secret", e.SecretRef)
		source("ConfigMap", e.ConfigMapRef)
	}
	for _, v := range app.Spec.Volumes {
		source("Secret", v.Secret)
		source("ConfigMap", v.ConfigMap)
	}
	slices.SortStableFunc(all, func(a, b reference) int {
		required := func(r reference) int { return map[bool]int{true: 1}[r.optional] }
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name), required(a)-required(b))
	})
	return slices.CompactFunc(all, func(a, b reference) bool { return a.kind == b.kind && a.name == b.name })
}

// readReferences looks at an app's references. Of their content nothing is looked
// at, for a hash of a Secret in a Deployment would be something to guess at: their
// identity and version tell of a change.
func readReferences(ctx context.Context, t *reconcile.Turn, app *examplev1.MyApp) (references, error) {
	var out references
	var seen []any
	for _, r := range referencesOf(app) {
		u, err := t.Client(referenced[r.kind]).Get(ctx, r.name, metav1.GetOptions{})
		switch {
		case err == nil:
			seen = append(seen, r.kind, r.name, string(u.GetUID()), u.GetResourceVersion())
		case apierrors.IsNotFound(err) && r.optional:
			seen = append(seen, r.kind, r.name)
		case apierrors.IsNotFound(err):
			out.missing = append(out.missing, fmt.Sprintf("%s %q", r.kind, r.name))
		case apierrors.IsForbidden(err): // its changes go unnoticed, but the pods may well have it
			t.Log.Warn("may not read what the pods take values from: its changes do not roll them", "kind", r.kind, "name", r.name, "error", err.Error())
		default:
			return out, fmt.Errorf("read %s %s: %w", r.kind, r.name, err)
		}
	}
	if len(seen) > 0 {
		out.stamp = hash(map[string]any{"seen": seen})
	}
	return out, nil
}
