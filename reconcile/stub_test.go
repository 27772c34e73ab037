package reconcile

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/dynamic"
	restclient "k8s.io/client-go/rest"

	"example.com/mote/simulation/wire"
)

// stub is what the engine needs of an API server, in memory: lists in pages,
// watches from a resourceVersion, merge patches with uid and resourceVersion as
// preconditions, status apart, finalizers, label selectors.
type stub struct {
	t      *testing.T
	client dynamic.Interface

	mu       sync.Mutex
	version  int
	objects  map[string]map[Key]*unstructured.Unstructured // by resource
	history  []stubEvent
	changed  chan struct{} // closed and replaced at each change
	requests []string      // "GET things/ns/a"
	bodies   []string      // of the requests that had one
	fault    func(r *http.Request) *metav1.Status
	drops    string // a field of a status that its schema does not know
}

type stubEvent struct {
	version  int
	resource string
	old, now *unstructured.Unstructured // nil: was not, is not
}

func newStub(t *testing.T) *stub {
	s := &stub{t: t, objects: map[string]map[Key]*unstructured.Unstructured{}, changed: make(chan struct{})}
	s.client = clientFor(t, &restclient.Config{Host: "http://stub"}, wire.NewLine(s, nil))
	return s
}

// asked is how many requests began with a prefix.
func (s *stub) asked(prefix string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.requests {
		if strings.HasPrefix(r, prefix) {
			n++
		}
	}
	return n
}

func (s *stub) writes() int {
	return s.asked("PATCH") + s.asked("POST") + s.asked("PUT") + s.asked("DELETE")
}

// forget forgets the requests so far.
func (s *stub) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.bodies = nil, nil
}

func (s *stub) setFault(f func(r *http.Request) *metav1.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// get is a copy of an object, or nil.
func (s *stub) get(resource string, k Key) *unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.objects[resource][k]; u != nil {
		return u.DeepCopy()
	}
	return nil
}

// set creates or replaces an object, by a user's hand: a change of its spec is a
// new generation.
func (s *stub) set(resource string, u *unstructured.Unstructured) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u = u.DeepCopy()
	k := Key{u.GetNamespace(), u.GetName()}
	old := s.objects[resource][k]
	if old == nil {
		u.SetUID(schemaUID(k, s.version))
		u.SetGeneration(1)
	} else {
		u.SetUID(old.GetUID())
		u.SetGeneration(old.GetGeneration())
		if !equalJSON(old.Object["spec"], u.Object["spec"]) {
			u.SetGeneration(old.GetGeneration() + 1)
		}
	}
	s.put(resource, k, u)
}

// change edits an object by a user's hand.
func (s *stub) change(resource string, k Key, edit func(u *unstructured.Unstructured)) {
	u := s.get(resource, k)
	if u == nil {
		s.t.Errorf("there is no %s %s", resource, k)
		return
	}
	edit(u)
	s.set(resource, u)
}

// remove deletes an object, at once or when its finalizers are off.
func (s *stub) remove(resource string, k Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.objects[resource][k]
	switch {
	case u == nil:
	case len(u.GetFinalizers()) > 0:
		u = u.DeepCopy()
		now := metav1.Now()
		u.SetDeletionTimestamp(&now)
		u.SetGeneration(u.GetGeneration() + 1)
		s.put(resource, k, u)
	default:
		s.put(resource, k, nil)
	}
}

func schemaUID(k Key, version int) types.UID { return types.UID(fmt.Sprintf("uid-%s-%d", k, version)) }

// put is called with the lock held; u nil removes.
func (s *stub) put(resource string, k Key, u *unstructured.Unstructured) {
	s.version++
	if s.objects[resource] == nil {
		s.objects[resource] = map[Key]*unstructured.Unstructured{}
	}
	old := s.objects[resource][k]
	if u != nil && u.GetDeletionTimestamp() != nil && len(u.GetFinalizers()) == 0 {
		old, u = u, nil
	}
	if u == nil {
		delete(s.objects[resource], k)
		if old == nil {
			return
		}
		old = old.DeepCopy()
		old.SetResourceVersion(strconv.Itoa(s.version))
	} else {
		u.SetResourceVersion(strconv.Itoa(s.version))
		s.objects[resource][k] = u
	}
	s.history = append(s.history, stubEvent{s.version, resource, old, u})
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// /apis/GROUP/VERSION/[namespaces/NS/]RESOURCE[/NAME[/SUB]], or /api/VERSION/...
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	gv := strings.Join(parts[1:3], "/")
	parts = parts[3:]
	if strings.HasPrefix(r.URL.Path, "/api/") {
		gv = strings.Split(strings.Trim(r.URL.Path, "/"), "/")[1]
		parts = strings.Split(strings.Trim(r.URL.Path, "/"), "/")[2:]
	}
	var namespace, name, sub string
	if parts[0] == "namespaces" && len(parts) > 2 {
		namespace, parts = parts[1], parts[2:]
	}
	resource := parts[0]
	if len(parts) > 1 {
		name = parts[1]
	}
	if len(parts) > 2 {
		sub = parts[2]
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("read a request: %v", err)
	}
	what := strings.TrimSuffix(fmt.Sprintf("%s %s/%s/%s/%s", r.Method, resource, namespace, name, sub), "/")
	if r.URL.Query().Get("watch") != "" {
		what = "WATCH " + resource
	}
	s.mu.Lock()
	s.requests = append(s.requests, what)
	if len(body) > 0 {
		s.bodies = append(s.bodies, string(body))
	}
	fault := s.fault
	s.mu.Unlock()
	if fault != nil {
		if st := fault(r); st != nil {
			st.Kind, st.APIVersion, st.Status = "Status", "v1", metav1.StatusFailure
			respond(w, int(st.Code), st)
			return
		}
	}
	selects := selector(r.URL.Query().Get("labelSelector"), namespace)
	k := Key{namespace, name}
	switch {
	case r.URL.Query().Get("watch") != "":
		s.watch(w, r, resource, selects)
	case r.Method == http.MethodGet && name == "":
		s.list(w, r, gv, resource, selects)
	case r.Method == http.MethodGet:
		if u := s.get(resource, k); u != nil {
			respond(w, 200, u)
		} else {
			respond(w, 404, stubStatus(404, metav1.StatusReasonNotFound))
		}
	case r.Method == http.MethodPost:
		s.create(w, resource, namespace, body)
	case r.Method == http.MethodPatch:
		s.patch(w, resource, k, sub, body)
	default:
		s.t.Errorf("the stub does not know %s", what)
		respond(w, 405, stubStatus(405, metav1.StatusReasonMethodNotAllowed))
	}
}

func stubStatus(code int32, reason metav1.StatusReason) *metav1.Status {
	return &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: code, Reason: reason, Message: "the stub says " + string(reason)}
}

// selector knows label=value.
func selector(labels, namespace string) func(u *unstructured.Unstructured) bool {
	return func(u *unstructured.Unstructured) bool {
		if u == nil || namespace != "" && u.GetNamespace() != namespace {
			return false
		}
		label, value, ok := strings.Cut(labels, "=")
		return !ok || u.GetLabels()[label] == value
	}
}

func (s *stub) list(w http.ResponseWriter, r *http.Request, gv, resource string, selects func(*unstructured.Unstructured) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(s.objects[resource]), func(a, b Key) int { return strings.Compare(a.String(), b.String()) })
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
	items, token := []any{}, ""
	for i, k := range keys {
		if u := s.objects[resource][k]; i >= from && selects(u) {
			items = append(items, u.Object)
		}
		if limit > 0 && len(items) == limit && i+1 < len(keys) {
			token = strconv.Itoa(i + 1)
			break
		}
	}
	respond(w, 200, map[string]any{"apiVersion": gv, "kind": "List",
		"metadata": map[string]any{"resourceVersion": strconv.Itoa(s.version), "continue": token}, "items": items})
}

func (s *stub) watch(w http.ResponseWriter, r *http.Request, resource string, selects func(*unstructured.Unstructured) bool) {
	seconds, _ := strconv.Atoi(r.URL.Query().Get("timeoutSeconds"))
	end := time.NewTimer(time.Duration(seconds) * time.Second)
	defer end.Stop()
	bookmark := time.NewTicker(time.Minute)
	defer bookmark.Stop()
	at, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	w.WriteHeader(200)
	w.(http.Flusher).Flush()
	for {
		s.mu.Lock()
		var send []map[string]any
		for _, e := range s.history {
			if e.version <= at {
				continue
			}
			at = e.version
			was, is := selects(e.old), selects(e.now)
			switch {
			case e.resource != resource:
			case is && was:
				send = append(send, map[string]any{"type": "MODIFIED", "object": e.now.Object})
			case is:
				send = append(send, map[string]any{"type": "ADDED", "object": e.now.Object})
			case was:
				gone := e.old.DeepCopy()
				gone.SetResourceVersion(strconv.Itoa(e.version))
				send = append(send, map[string]any{"type": "DELETED", "object": gone.Object})
			}
		}
		changed := s.changed
		s.mu.Unlock()
		for _, e := range send {
			if err := json.NewEncoder(w).Encode(e); err != nil {
				return
			}
		}
		select {
		case <-changed:
		case <-bookmark.C:
			event("BOOKMARK", object("", strconv.Itoa(at)))(w, r)
		case <-end.C:
			return
		case <-r.Context().Done():
			return
		}
	}
}

func (s *stub) create(w http.ResponseWriter, resource, namespace string, body []byte) {
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(body); err != nil {
		s.t.Errorf("create %s: %v", resource, err)
	}
	u.SetNamespace(namespace)
	k := Key{namespace, u.GetName()}
	if s.get(resource, k) != nil {
		respond(w, 409, stubStatus(409, metav1.StatusReasonAlreadyExists))
		return
	}
	s.set(resource, u)
	respond(w, 201, s.get(resource, k))
}

func (s *stub) patch(w http.ResponseWriter, resource string, k Key, sub string, body []byte) {
	var patch map[string]any
	if err := utiljson.Unmarshal(body, &patch); err != nil {
		s.t.Errorf("patch %s: %v", resource, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.objects[resource][k]
	if old == nil {
		respond(w, 404, stubStatus(404, metav1.StatusReasonNotFound))
		return
	}
	meta, _ := patch["metadata"].(map[string]any)
	if rv, ok := meta["resourceVersion"]; ok && rv != old.GetResourceVersion() {
		respond(w, 409, stubStatus(409, metav1.StatusReasonConflict))
		return
	}
	if uid, ok := meta["uid"]; ok && uid != string(old.GetUID()) && sub == "" { // of a patch of a status, the metadata is not read
		st := stubStatus(422, metav1.StatusReasonInvalid)
		st.Details = &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: metav1.CauseTypeFieldValueInvalid, Field: "metadata.uid"}}}
		respond(w, 422, st)
		return
	}
	now := &unstructured.Unstructured{Object: applyMergePatch(runtime.DeepCopyJSON(old.Object), patch).(map[string]any)}
	if sub == "status" { // nothing else can be changed that way
		only := old.DeepCopy()
		only.Object["status"] = now.Object["status"]
		now = only
		unstructured.RemoveNestedField(now.Object, "status", s.drops)
	} else if st, ok := old.Object["status"]; ok && resource == thingResource.Resource {
		now.Object["status"] = st
	}
	if equalJSON(old.Object, now.Object) {
		respond(w, 200, old)
		return
	}
	if !equalJSON(old.Object["spec"], now.Object["spec"]) {
		now.SetGeneration(old.GetGeneration() + 1)
	}
	s.put(resource, k, now)
	now.SetResourceVersion(strconv.Itoa(s.version))
	respond(w, 200, now)
}

var stubGVK = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Thing"}

// plain is a Thing of a user's making.
func plain(name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"size": int64(1)}}}
	u.SetGroupVersionKind(stubGVK)
	u.SetNamespace("ns")
	u.SetName(name)
	return u
}
