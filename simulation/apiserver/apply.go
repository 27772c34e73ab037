package apiserver

import (
	"errors"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
)

// apply is server-side apply: it makes the object where there is none.
func (s *Server) apply(q request, wanted map[string]any) ([]byte, int, *metav1.Status) {
	if q.kind.owners == nil || q.sub != "" {
		return nil, 0, &metav1.Status{Code: http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType, Message: "this kind is not applied here"}
	}
	if q.option("fieldManager") == "" {
		return nil, 0, q.invalid("fieldManager", "Required value: is required for apply patch")
	}
	old := q.kind.objects[q.key()]
	live := map[string]any{"apiVersion": q.kind.apiVersion(), "kind": q.kind.name, "metadata": map[string]any{"name": q.name, "namespace": q.namespace}}
	code := http.StatusOK
	if old != nil {
		live = runtime.DeepCopyJSON(old.content)
	} else {
		code = http.StatusCreated
		if uid := metaOf(wanted)["uid"]; uid != nil {
			return nil, 0, q.conflict("uid mismatch: the provided object specified uid %v, and no existing object was found", uid)
		}
		if st := s.homeless(q); st != nil {
			return nil, 0, st
		}
	}
	var owned fieldpath.ManagedFields
	if old != nil {
		owned = old.owned
	}
	o, owned, err := q.kind.owners.apply(live, wanted, owned, q.manager, q.force)
	var conflicts merge.Conflicts
	if errors.As(err, &conflicts) {
		return nil, 0, q.conflict("Apply failed with %d conflicts: %v", len(conflicts), conflicts)
	}
	if err != nil {
		return nil, 0, badRequest("%v", err)
	}
	if old == nil {
		delete(metaOf(o), "resourceVersion")
		if st := s.begin(q, o); st != nil {
			return nil, 0, st
		}
		return s.put(q.kind, q.key(), o, owned).json, code, nil
	}
	now, st := s.replace(q, old, o, owned)
	if st != nil {
		return nil, 0, st
	}
	return now.json, code, nil
}
