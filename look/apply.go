package look

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"example.com/mote/forecast"
	"example.com/mote/reconcile"
)

// annotationLast is where kubectl apply keeps what it applied.
const annotationLast = "kubectl.kubernetes.io/last-applied-configuration"

// applied is a live object after an apply of a manifest: what the manifest states,
// without what was applied before and is not stated any more, and with all that
// others have set. Lists are replaced, as kubectl does with those of custom resources.
func applied(live, manifest *unstructured.Unstructured) *unstructured.Unstructured {
	u := live.DeepCopy()
	before := map[string]any{}
	if text := live.GetAnnotations()[annotationLast]; text != "" {
		_ = json.Unmarshal([]byte(text), &before) // of what cannot be read, nothing was applied
	} else {
		before = map[string]any{"spec": owned(live, "f:spec"), "metadata": owned(live, "f:metadata")}
	}
	for _, part := range []string{"spec", "metadata"} {
		was, _ := before[part].(map[string]any)
		wants, _ := manifest.Object[part].(map[string]any)
		have, _ := u.Object[part].(map[string]any)
		if part == "metadata" { // of which the rest is the API server's
			was, wants = only(was, "labels", "annotations"), only(wants, "labels", "annotations")
		}
		u.Object[part] = merged(have, was, wants)
	}
	return u
}

func only(m map[string]any, names ...string) map[string]any {
	out := map[string]any{}
	for _, n := range names {
		if v, there := m[n]; there {
			out[n] = v
		}
	}
	return out
}

// merged is have with what wants says, and without what was applied and is wanted no
// more.
func merged(have, was, wants map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range have {
		if _, wanted := wants[k]; wanted || was[k] == nil {
			out[k] = v
		}
	}
	for k, v := range wants {
		want, isMap := v.(map[string]any)
		there, too := have[k].(map[string]any)
		if isMap && too {
			earlier, _ := was[k].(map[string]any)
			out[k] = merged(there, earlier, want)
			continue
		}
		out[k] = runtime.DeepCopyJSONValue(v)
	}
	return out
}

// owned is what people's server-side applies own of an object, as a tree of names.
func owned(u *unstructured.Unstructured, part string) map[string]any {
	out := map[string]any{}
	for _, e := range u.GetManagedFields() {
		if e.Operation != "Apply" || e.Manager == reconcile.FieldManager || e.FieldsV1 == nil {
			continue
		}
		var fields map[string]any
		if json.Unmarshal(e.FieldsV1.GetRawBytes(), &fields) == nil {
			below, _ := fields[part].(map[string]any)
			gather(out, below)
		}
	}
	return out
}

func gather(out, fields map[string]any) {
	for k, v := range fields {
		name, is := strings.CutPrefix(k, "f:")
		if !is {
			continue
		}
		below, _ := out[name].(map[string]any)
		if below == nil {
			below = map[string]any{}
		}
		deeper, _ := v.(map[string]any)
		gather(below, deeper)
		out[name] = below
	}
}

// fieldsOf are what a manifest changes.
func fieldsOf(live, u *unstructured.Unstructured, refused field.ErrorList) (all []forecast.Field) {
	for _, part := range []string{"metadata.labels", "metadata.annotations", "spec"} {
		path := strings.Split(part, ".")
		before, _, _ := unstructured.NestedFieldNoCopy(live.Object, path...)
		after, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
		b, _ := before.(map[string]any)
		a, _ := after.(map[string]any)
		if len(a)+len(b) == 0 || reflect.DeepEqual(a, b) {
			continue
		}
		for _, f := range forecast.Compare(part, b, a) {
			if f.Path == part+"["+annotationLast+"]" {
				continue
			}
			for _, e := range refused {
				if strings.HasPrefix(f.Path+".", e.Field+".") || strings.HasPrefix(e.Field, f.Path) {
					f.Refused = e.Detail
				}
			}
			all = append(all, f)
		}
	}
	return all
}
