package myapp

import (
	"fmt"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// correction says in words what others did to a child that was as it should be;
// "": nothing, the write that is due is of Mote's own making. The status tells
// whether all children were so once, and the child's annotation of which manifest.
func correction(app *examplev1.MyApp, r role, live *unstructured.Unstructured, manifest map[string]any) string {
	if app.Status.AppliedGeneration != app.Generation {
		return ""
	}
	what := fmt.Sprintf("%s %q", kinds[r], childName(app, r))
	if live == nil {
		return what + " was deleted"
	}
	wanted := at(manifest, "metadata", "annotations")[annotationApplied]
	if b := putBack(live.Object, manifest); b != nil {
		return fmt.Sprintf("%s was put back to an earlier state by %q", what, b[0].by)
	}
	if is, there := live.GetAnnotations()[annotationApplied]; there && is != wanted {
		return "" // another version of the manifest was applied, or who wrote it is not remembered
	}
	if r == service && contains(live.Object, leading(manifest, live, portsOf(app))) {
		return "" // its ports lead to pods of two templates no longer
	}
	path, _ := difference(live.Object, manifest)
	return fmt.Sprintf("%s: %s was changed%s", what, path, byWhom(live))
}

// byWhom names who last wrote an object beside Mote, as far as it tells.
func byWhom(live *unstructured.Unstructured) string {
	field, _, _ := unstructured.NestedFieldNoCopy(live.Object, "metadata", "managedFields")
	entries, _ := field.([]any)
	last, who := "", ""
	for _, e := range entries {
		e, _ := e.(map[string]any)
		manager, _ := e["manager"].(string)
		when, _ := e["time"].(string)
		if e["subresource"] != "status" && manager != "" && manager != reconcile.FieldManager && when >= last {
			last, who = when, manager
		}
	}
	if who == "" {
		return ""
	}
	return fmt.Sprintf(" by %q", who)
}
