package myapp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

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
	optional   bool     // the pods start without it
	keys       []string // those without which they do not start as they should, in order
}

var referenced = map[string]schema.GroupVersionResource{
	"Secret": {Version: "v1", Resource: "secrets"}, "ConfigMap": {Version: "v1", Resource: "configmaps"},
}

// references are what was seen of them in a turn.
type references struct {
	// stamp changes when any of them does; "": there are none.
	stamp string
	// missing are those, and those keys, without which no pod starts, in words.
	missing []string
}

// referencesOf are an app's references, each once, in order.
func referencesOf(app *examplev1.MyApp) []reference {
	var out []reference
	add := func(kind string, name examplev1.ObjectName, optional bool, key string) {
		r := reference{kind: kind, name: string(name), optional: optional}
		if key != "" && !optional {
			r.keys = []string{key}
		}
		place, there := slices.BinarySearchFunc(out, r, func(a, b reference) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name)) })
		if !there {
			out = slices.Insert(out, place, r)
			return
		}
		out[place].optional = out[place].optional && optional
		out[place].keys = append(out[place].keys, r.keys...)
	}
	for _, e := range app.Spec.Env {
		if f := e.ValueFrom; f != nil && f.SecretKeyRef != nil {
			add("Secret", f.SecretKeyRef.Name, f.SecretKeyRef.Optional, f.SecretKeyRef.Key)
		} else if f != nil && f.ConfigMapKeyRef != nil {
			add("ConfigMap", f.ConfigMapKeyRef.Name, f.ConfigMapKeyRef.Optional, f.ConfigMapKeyRef.Key)
		}
	}
	source := func(kind string, s *examplev1.SourceReference, key string) {
		if s != nil {
			add(kind, s.Name, s.Optional, key)
		}
	}
	for _, e := range app.Spec.EnvFrom {
		source("Secret", e.SecretRef, "")
		source("ConfigMap", e.ConfigMapRef, "")
	}
	for _, v := range app.Spec.Volumes {
		source("Secret", v.Secret, fileOf(v.SubPath))
		source("ConfigMap", v.ConfigMap, fileOf(v.SubPath))
	}
	for i := range out {
		slices.Sort(out[i].keys)
		out[i].keys = slices.Compact(out[i].keys)
	}
	return out
}

// fileOf is the key that a subPath names; "": none. Each key is a file of the
// volume. Where it is not there, the pod starts with an empty folder in its place.
func fileOf(subPath string) string {
	if strings.Contains(subPath, "/") || strings.HasPrefix(subPath, "..") { // the kubelet's own folders
		return ""
	}
	return subPath
}

// lacks are the keys that a reference needs and its object does not have.
func (r reference) lacks(object map[string]any) (missing []string) {
	for _, k := range r.keys {
		_, text := at(object, "data")[k]
		_, binary := at(object, "binaryData")[k] // of a ConfigMap
		if !text && !binary {
			missing = append(missing, fmt.Sprintf("key %q of %s %q", k, r.kind, r.name))
		}
	}
	return missing
}

// notThere says of things that they are not there.
func notThere(things []string) string {
	last := len(things) - 1
	if last < 1 {
		return strings.Join(things, "") + " is not there"
	}
	return strings.Join(things[:last], ", ") + " and " + things[last] + " are not there"
}

// withoutThem says why a Deployment is not applied without its references. Pods that
// it has go on.
func withoutThem(missing []string, there bool) string {
	if !there {
		return notThere(missing) + ": no pod would start"
	}
	return notThere(missing) + ": no new pod would start, so the change of the Deployment is held back; what runs goes on"
}

// readReferences looks at an app's references. Of their content nothing but the
// keys is looked at, for a hash of a Secret in a Deployment would be something to
// guess at: their identity and version tell of a change.
func readReferences(ctx context.Context, t *reconcile.Turn, app *examplev1.MyApp) (references, error) {
	var out references
	var seen []any
	for _, r := range referencesOf(app) {
		u, err := t.Client(referenced[r.kind]).Get(ctx, r.name, metav1.GetOptions{})
		switch {
		case err == nil:
			seen = append(seen, r.kind, r.name, string(u.GetUID()), u.GetResourceVersion())
			out.missing = append(out.missing, r.lacks(u.Object)...)
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
