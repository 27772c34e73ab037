package apiserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// create makes an object.
func (s *Server) create(q request, o map[string]any) ([]byte, *metav1.Status) {
	meta := metaOf(o)
	q.name, _ = meta["name"].(string)
	if in, _ := meta["namespace"].(string); in != "" && in != q.namespace {
		return nil, badRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	switch {
	case q.name == "":
		return nil, q.invalid("metadata.name", "Required value: name is required")
	case meta["resourceVersion"] != nil && meta["resourceVersion"] != "":
		return nil, badRequest("resourceVersion should not be set on objects to be created")
	case o["kind"] != q.kind.name || o["apiVersion"] != q.kind.apiVersion():
		return nil, badRequest("the object provided is unrecognized: %v, %v", o["apiVersion"], o["kind"])
	}
	if st := s.homeless(q); st != nil {
		return nil, st
	}
	if q.kind.objects[q.key()] != nil {
		return nil, q.refusal(http.StatusConflict, metav1.StatusReasonAlreadyExists, "already exists")
	}
	if q.kind.status {
		delete(o, "status")
	}
	if st := s.begin(q, o); st != nil {
		return nil, st
	}
	owned, st := s.count(q, map[string]any{}, o, nil)
	if st != nil {
		return nil, st
	}
	return s.put(q.kind, q.key(), o, owned).json, nil
}

// count notes who owns what after a write that is no apply.
func (s *Server) count(q request, old, now map[string]any, owned fieldpath.ManagedFields) (fieldpath.ManagedFields, *metav1.Status) {
	if q.kind.owners == nil || q.sub != "" {
		return owned, nil
	}
	owned, err := q.kind.owners.update(old, now, owned, q.manager)
	if err != nil {
		return nil, badRequest("%v", err)
	}
	return owned, nil
}

// homeless is the refusal of an object in a namespace that is not there.
func (s *Server) homeless(q request) *metav1.Status {
	if !q.kind.namespaced {
		return nil
	}
	home := request{kind: s.kinds["api/v1/namespaces"], name: q.namespace}
	if home.kind.objects[home.key()] == nil {
		return home.notFound()
	}
	return nil
}

// begin gives a new object what every object has.
func (s *Server) begin(q request, o map[string]any) *metav1.Status {
	meta := metaOf(o)
	delete(meta, "deletionTimestamp")
	delete(meta, "deletionGracePeriodSeconds")
	if q.kind.namespaced {
		meta["namespace"] = q.namespace
	}
	meta["name"], meta["creationTimestamp"] = q.name, now()
	if q.kind.counted != nil {
		meta["generation"] = int64(1)
	}
	q.kind.settle(o)
	if q.kind.check != nil {
		if field, message := q.kind.check(o); field != "" {
			return q.invalid(field, message)
		}
	}
	meta["uid"] = q.kind.uid(q.key())
	return nil
}

// settle brings an object into the form in which it is stored, in place.
func (k *kind) settle(o map[string]any) {
	meta := metaOf(o)
	for _, field := range []string{"labels", "annotations", "finalizers", "ownerReferences"} {
		switch v := meta[field].(type) {
		case nil:
			delete(meta, field)
		case map[string]any:
			if len(v) == 0 {
				delete(meta, field)
			}
		case []any:
			if len(v) == 0 {
				delete(meta, field)
			}
		}
	}
	if k.schema != nil {
		k.schema.shape(o, true)
	}
	if k.complete != nil {
		k.complete(o)
	}
}

// update changes an object. The change gets a copy of it.
func (s *Server) update(q request, change func(live map[string]any) (map[string]any, *metav1.Status)) ([]byte, int, *metav1.Status) {
	old := q.kind.objects[q.key()]
	if old == nil {
		return nil, 0, q.notFound()
	}
	o, st := change(runtime.DeepCopyJSON(old.content))
	if st != nil {
		return nil, 0, st
	}
	q.kind.settle(o)
	owned, st := s.count(q, old.content, o, old.owned)
	if st != nil {
		return nil, 0, st
	}
	now, st := s.replace(q, old, o, owned)
	if st != nil {
		return nil, 0, st
	}
	return now.json, http.StatusOK, nil
}

// replace puts a changed object in the place of the old one, if that may be.
func (s *Server) replace(q request, old *object, o map[string]any, owned fieldpath.ManagedFields) (*object, *metav1.Status) {
	meta, was := metaOf(o), metaOf(old.content)
	if version, _ := meta["resourceVersion"].(string); version != "" && version != was["resourceVersion"] {
		return nil, q.conflict("the object has been modified; please apply your changes to the latest version and try again")
	}
	if meta["name"] != was["name"] || q.kind.namespaced && meta["namespace"] != was["namespace"] {
		return nil, badRequest("the name of the object does not match the name on the URL")
	}
	if q.sub == "status" {
		only := runtime.DeepCopyJSON(old.content)
		only["status"] = o["status"]
		if o["status"] == nil {
			delete(only, "status")
		}
		o, meta = only, metaOf(only)
	} else if q.kind.status {
		delete(o, "status")
		if st, there := old.content["status"]; there {
			o["status"] = runtime.DeepCopyJSONValue(st)
		}
	}
	if uid := meta["uid"]; uid != nil && uid != was["uid"] {
		return nil, q.invalid("metadata.uid", fmt.Sprintf("Invalid value: %q: field is immutable", uid))
	}
	for _, field := range []string{"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "resourceVersion"} {
		delete(meta, field)
		if v, there := was[field]; there {
			meta[field] = v
		}
	}
	if was["deletionTimestamp"] != nil {
		had, _ := was["finalizers"].([]any)
		has, _ := meta["finalizers"].([]any)
		for _, f := range has {
			if !slices.Contains(had, f) {
				return nil, q.invalid("metadata.finalizers", fmt.Sprintf("Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers %v", f))
			}
		}
	}
	q.kind.settle(o)
	if q.kind.check != nil {
		if field, message := q.kind.check(o); field != "" {
			return nil, q.invalid(field, message)
		}
	}
	if q.kind.counted != nil && q.kind.counted(old.content, o) {
		meta["generation"] = was["generation"].(int64) + 1
	}
	if equal(old.content, o) && owned.Equals(old.owned) {
		return old, nil
	}
	return s.put(q.kind, q.key(), o, owned), nil
}

// The finalizers that a way of deleting puts on.
const (
	finalizerForeground = "foregroundDeletion"
	finalizerOrphan     = "orphan"
)

// remove deletes an object, or marks it as one to be deleted.
func (s *Server) remove(q request, body []byte) ([]byte, int, *metav1.Status) {
	var o metav1.DeleteOptions
	if len(body) > 0 {
		if err := json.Unmarshal(body, &o); err != nil {
			return nil, 0, badRequest("the options are unreadable: %v", err)
		}
	}
	policy := metav1.DeletePropagationBackground
	if o.PropagationPolicy != nil {
		policy = *o.PropagationPolicy
	}
	old := q.kind.objects[q.key()]
	if old == nil {
		return nil, 0, q.notFound()
	}
	was := metaOf(old.content)
	if p := o.Preconditions; p != nil {
		if p.UID != nil && string(*p.UID) != was["uid"] {
			return nil, 0, q.conflict("the UID in the precondition (%s) does not match the UID in record (%v)", *p.UID, was["uid"])
		}
		if p.ResourceVersion != nil && *p.ResourceVersion != was["resourceVersion"] {
			return nil, 0, q.conflict("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%v)", *p.ResourceVersion, was["resourceVersion"])
		}
	}
	now := s.end(q.kind, old, policy)
	if now == nil {
		text, err := json.Marshal(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess,
			Details: &metav1.StatusDetails{Name: q.name, Group: q.kind.group, Kind: q.kind.resource, UID: uidOf(old)}})
		if err != nil {
			return nil, 0, badRequest("%v", err)
		}
		return text, http.StatusOK, nil
	}
	return now.json, http.StatusOK, nil
}

// end deletes an object, which may have to wait for its finalizers; nil: it is gone.
func (s *Server) end(k *kind, old *object, policy metav1.DeletionPropagation) *object {
	had, _ := metaOf(old.content)["finalizers"].([]any)
	finalizers := slices.Clone(had)
	for f, p := range map[string]metav1.DeletionPropagation{finalizerForeground: metav1.DeletePropagationForeground, finalizerOrphan: metav1.DeletePropagationOrphan} {
		if p == policy && !slices.Contains(finalizers, any(f)) {
			finalizers = append(finalizers, f)
		}
	}
	if len(finalizers) == 0 {
		s.drop(k, old)
		return nil
	}
	o := runtime.DeepCopyJSON(old.content)
	meta := metaOf(o)
	meta["finalizers"] = finalizers
	if meta["deletionTimestamp"] == nil {
		meta["deletionTimestamp"], meta["deletionGracePeriodSeconds"] = now(), int64(0)
		if g, ok := meta["generation"].(int64); ok {
			meta["generation"] = g + 1
		}
	}
	if equal(o, old.content) {
		return old
	}
	return s.put(k, old.key, o, old.owned)
}
