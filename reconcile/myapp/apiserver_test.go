package myapp

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// apiServer is a small API server: gets, lists and watches, server-side apply
// with its preconditions, merge patches of a status, deletes with preconditions.
// It writes down every request but lists and watches.
type apiServer struct {
	t *testing.T

	mu          sync.Mutex
	objects     map[place]map[string]any
	before      map[place]map[string]any // what was applied last
	version     int
	history     []change
	changed     chan struct{} // closed at the next change
	requests    []string
	refuse      map[string]*apierrors.StatusError // by request, as written down
	after       map[string]func()                 // what happens once, right after a request
	propagation string                            // of the last deletion
	quiet       bool                              // watches tell of MyApps alone
}

// place is where an object is; a request for a list has no name.
type place struct{ api, resource, namespace, name string }

type change struct {
	kind    string // ADDED, MODIFIED, DELETED
	at      place
	version int
	object  map[string]any
}

func newAPIServer(t *testing.T) *apiServer {
	return &apiServer{
		t: t, objects: map[place]map[string]any{}, before: map[place]map[string]any{},
		changed: make(chan struct{}), refuse: map[string]*apierrors.StatusError{}, after: map[string]func(){}, quiet: true, version: 100,
	}
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	at, sub := placeOf(q.URL.Path)
	if q.Method == http.MethodGet && at.name == "" {
		if q.URL.Query().Get("watch") != "" {
			s.watch(w, q, at)
		} else {
			s.list(w, at)
		}
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	request := strings.TrimSuffix(fmt.Sprintf("%s %s/%s/%s", verbOf(q), at.resource, at.name, sub), "/")
	s.requests = append(s.requests, request)
	if f := s.after[request]; f != nil {
		delete(s.after, request)
		defer f()
	}
	if err := s.refuse[request]; err != nil {
		answer(w, nil, err)
		return
	}
	var body map[string]any
	if q.Body != nil {
		_ = json.NewDecoder(q.Body).Decode(&body) // a GET has none
	}
	switch verbOf(q) {
	case "GET":
		s.get(w, at)
	case "POST":
		at.name = asMap(body["metadata"])["name"].(string)
		s.store(at, body)
		answer(w, body, nil)
	case "APPLY":
		s.apply(w, at, body, q)
	case "PATCH":
		s.patch(w, at, body)
	case "DELETE":
		s.propagation, _ = body["propagationPolicy"].(string)
		s.remove(w, at, asMap(body["preconditions"]))
	}
}

func verbOf(q *http.Request) string {
	if q.Header.Get("Content-Type") == "application/apply-patch+yaml" {
		return "APPLY"
	}
	return q.Method
}

// placeOf reads /api/v1/... and /apis/GROUP/VERSION/..., with or without a namespace.
func placeOf(path string) (at place, sub string) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	n := 2
	if parts[0] == "apis" {
		n = 3
	}
	at.api, parts = strings.Join(parts[:n], "/"), parts[n:]
	if parts[0] == "namespaces" && len(parts) > 2 {
		at.namespace, parts = parts[1], parts[2:]
	}
	parts = append(parts, "", "")
	at.resource, at.name, sub = parts[0], parts[1], parts[2]
	return at, sub
}

func answer(w http.ResponseWriter, object map[string]any, err *apierrors.StatusError) {
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		w.WriteHeader(int(err.ErrStatus.Code))
		err.ErrStatus.Kind, err.ErrStatus.APIVersion = "Status", "v1"
		_ = json.NewEncoder(w).Encode(err.ErrStatus)
		return
	}
	_ = json.NewEncoder(w).Encode(object)
}

func (s *apiServer) get(w http.ResponseWriter, at place) {
	if o := s.objects[at]; o != nil {
		answer(w, o, nil)
		return
	}
	answer(w, nil, apierrors.NewNotFound(schema.GroupResource{Resource: at.resource}, at.name))
}

func (s *apiServer) apply(w http.ResponseWriter, at place, body map[string]any, q *http.Request) {
	if q.URL.Query().Get("fieldManager") != "mote" || q.URL.Query().Get("force") != "true" {
		s.t.Errorf("applied as %s", q.URL.RawQuery)
	}
	version, _ := asMap(body["metadata"])["resourceVersion"].(string)
	delete(asMap(body["metadata"]), "resourceVersion")
	live := s.objects[at]
	if live != nil && version != "" && version != asMap(live["metadata"])["resourceVersion"] {
		answer(w, nil, conflict(at))
		return
	}
	next := map[string]any{"metadata": map[string]any{"uid": "uid-" + strconv.Itoa(s.version), "generation": int64(1)}}
	if live != nil {
		next = copyOf(s.t, live)
	}
	next = copyOf(s.t, normalised(applied(next, s.before[at], copyOf(s.t, body))))
	s.before[at] = body
	if live != nil && reflect.DeepEqual(next, live) {
		answer(w, live, nil) // nothing changed, so nothing was written
		return
	}
	if live != nil && !reflect.DeepEqual(next["spec"], live["spec"]) {
		meta := asMap(next["metadata"])
		meta["generation"] = meta["generation"].(int64) + 1
	}
	s.store(at, next)
	answer(w, next, nil)
}

// patch merges a status, which is all that is patched.
func (s *apiServer) patch(w http.ResponseWriter, at place, body map[string]any) {
	live := s.objects[at]
	if live == nil {
		s.get(w, at)
		return
	}
	next := copyOf(s.t, live)
	status := asMap(next["status"])
	if status == nil {
		status = map[string]any{}
	}
	maps.Copy(status, asMap(body["status"]))
	maps.DeleteFunc(status, func(_ string, v any) bool { return v == nil })
	next["status"] = status
	s.store(at, next)
	answer(w, next, nil)
}

func (s *apiServer) remove(w http.ResponseWriter, at place, preconditions map[string]any) {
	live := s.objects[at]
	if live == nil {
		s.get(w, at)
		return
	}
	meta := asMap(live["metadata"])
	if preconditions["uid"] != meta["uid"] || preconditions["resourceVersion"] != meta["resourceVersion"] {
		answer(w, nil, conflict(at))
		return
	}
	s.drop(at)
	answer(w, live, nil)
}

func conflict(at place) *apierrors.StatusError {
	return apierrors.NewConflict(schema.GroupResource{Resource: at.resource}, at.name, fmt.Errorf("the object has been modified"))
}

// store keeps an object and tells the watches; s.mu is held.
func (s *apiServer) store(at place, object map[string]any) {
	kind := "MODIFIED"
	if s.objects[at] == nil {
		kind = "ADDED"
	}
	s.version++
	asMap(object["metadata"])["resourceVersion"] = strconv.Itoa(s.version)
	s.objects[at] = copyOf(s.t, object)
	s.tell(change{kind, at, s.version, s.objects[at]})
}

func (s *apiServer) drop(at place) {
	s.version++
	s.tell(change{"DELETED", at, s.version, s.objects[at]})
	delete(s.objects, at)
	delete(s.before, at)
}

func (s *apiServer) tell(c change) {
	s.history = append(s.history, c)
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *apiServer) list(w http.ResponseWriter, in place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := []any{}
	for at, o := range s.objects {
		if at.api == in.api && at.resource == in.resource {
			items = append(items, o)
		}
	}
	answer(w, map[string]any{"kind": "List", "apiVersion": "v1", "items": items,
		"metadata": map[string]any{"resourceVersion": strconv.Itoa(s.version)}}, nil)
}

func (s *apiServer) watch(w http.ResponseWriter, q *http.Request, in place) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	from, _ := strconv.Atoi(q.URL.Query().Get("resourceVersion"))
	for {
		s.mu.Lock()
		changed, quiet := s.changed, s.quiet
		news := slices.Clone(s.history)
		s.mu.Unlock()
		for _, c := range news {
			if c.version <= from || c.at.api != in.api || c.at.resource != in.resource || (quiet && in.resource != "myapps") {
				continue
			}
			from = c.version
			_ = json.NewEncoder(w).Encode(map[string]any{"type": c.kind, "object": c.object})
		}
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-q.Context().Done():
			return
		}
	}
}
