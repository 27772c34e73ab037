package postgresdb

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/mote/crd/databasev1"
)

// apiServer is a small API server for PostgresDBs, Secrets and Events, with what
// the protocol relies on: resourceVersions, merge patches that they guard, a
// status apart, and finalizers.
type apiServer struct {
	t *testing.T
	j *journal

	mu      sync.Mutex
	objects map[string]map[string]any // by resource/name
	version int
	changes []map[string]any // of PostgresDBs, as a watch tells them
	changed chan struct{}    // closed at the next
}

// journal is everything that was asked of the cluster and of the cloud, in order.
type journal struct {
	mu     sync.Mutex
	steps  []string
	writes []string          // bodies of what is written, Secrets apart
	before map[string]func() // what happens once, just before a step
	fail   map[string]error  // steps that fail, before any effect
	cut    int               // after so many steps nothing is answered any more; 0: never
	unseen bool              // the last of them takes effect, and its answer is lost
}

// errCut is what is left when the process has lost all its connections.
var errCut = errors.New("cut off")

// step notes a step. effect: it is to take effect; err: what is answered instead.
func (j *journal) step(what, body string) (effect bool, err error) {
	j.mu.Lock()
	if f := j.before[what]; f != nil {
		delete(j.before, what)
		j.mu.Unlock()
		f()
		j.mu.Lock()
	}
	defer j.mu.Unlock()
	j.steps = append(j.steps, what)
	if body != "" {
		j.writes = append(j.writes, body)
	}
	switch {
	case j.cut > 0 && len(j.steps) > j.cut:
		return false, errCut
	case j.cut > 0 && len(j.steps) == j.cut && j.unseen:
		return true, errCut
	}
	return j.fail[what] == nil, j.fail[what]
}

// taken are the steps since it was asked last.
func (j *journal) taken() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.steps
	j.steps = nil
	return s
}

func newAPIServer(t *testing.T, j *journal) *apiServer {
	return &apiServer{t: t, j: j, objects: map[string]map[string]any{}, version: 100, changed: make(chan struct{})}
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	_, path, _ := strings.Cut(q.URL.Path, "/namespaces/"+testNamespace+"/")
	if path == databasev1.Resource {
		if q.URL.Query().Get("watch") == "" {
			s.list(w)
		} else {
			s.watch(w, q)
		}
		return
	}
	var body map[string]any
	text, err := io.ReadAll(q.Body)
	if err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &body)
	}
	if err != nil {
		s.t.Error(err)
	}
	if strings.HasPrefix(path, "secrets") {
		text = nil
	}
	effect, err := s.j.step(q.Method+" "+path, string(text))
	if !effect {
		refuse(w, err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	parts := append(strings.Split(path, "/"), "", "")
	resource, name, sub := parts[0], parts[1], parts[2]
	var answer map[string]any
	switch q.Method {
	case http.MethodGet:
		answer = s.objects[resource+"/"+name]
	case http.MethodPost:
		name = body["metadata"].(map[string]any)["name"].(string)
		if s.objects[resource+"/"+name] != nil {
			refuse(w, apierrors.NewAlreadyExists(schema.GroupResource{Resource: resource}, name))
			return
		}
		answer = s.store(resource, name, body)
	case http.MethodPatch:
		live := s.objects[resource+"/"+name]
		if live == nil {
			break
		}
		if v := metaOf(body)["resourceVersion"]; v != nil && v != metaOf(live)["resourceVersion"] {
			refuse(w, apierrors.NewConflict(schema.GroupResource{Resource: resource}, name, errors.New("it has changed")))
			return
		}
		if sub == "status" {
			body = map[string]any{"status": body["status"]}
		}
		answer = s.store(resource, name, merged(copied(live), body).(map[string]any))
	}
	switch {
	case err != nil:
		refuse(w, err)
	case answer == nil:
		refuse(w, apierrors.NewNotFound(schema.GroupResource{Resource: resource}, name))
	default:
		writeJSON(w, http.StatusOK, answer)
	}
}

// store keeps an object as a new version, or lets it go when nothing holds it.
func (s *apiServer) store(resource, name string, o map[string]any) map[string]any {
	s.version++
	o = copied(o)
	meta := metaOf(o)
	meta["resourceVersion"], meta["namespace"] = strconv.Itoa(s.version), testNamespace
	if meta["uid"] == nil {
		meta["uid"] = fmt.Sprint("uid-", s.version)
	}
	kind := "MODIFIED"
	if s.objects[resource+"/"+name] == nil {
		kind = "ADDED"
	}
	s.objects[resource+"/"+name] = o
	if finalizers, _ := meta["finalizers"].([]any); meta["deletionTimestamp"] != nil && len(finalizers) == 0 {
		kind = "DELETED"
		delete(s.objects, resource+"/"+name)
	}
	if resource == databasev1.Resource {
		s.changes = append(s.changes, map[string]any{"type": kind, "object": o})
		close(s.changed)
		s.changed = make(chan struct{})
	}
	return copied(o)
}

// edit changes an object as a person does.
func (s *apiServer) edit(resource, name string, change func(o map[string]any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.objects[resource+"/"+name]
	if o == nil {
		s.t.Errorf("there is no %s/%s", resource, name)
		return
	}
	o = copied(o)
	change(o)
	if g, ok := metaOf(o)["generation"].(float64); ok {
		metaOf(o)["generation"] = g + 1
	}
	s.store(resource, name, o)
}

func (s *apiServer) get(resource, name string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.objects[resource+"/"+name]; o != nil {
		return copied(o)
	}
	return nil
}

func (s *apiServer) list(w http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := []any{}
	for at, o := range s.objects {
		if strings.HasPrefix(at, databasev1.Resource+"/") {
			items = append(items, o)
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"apiVersion": "v1", "kind": "List", "items": items,
		"metadata": map[string]any{"resourceVersion": strconv.Itoa(len(s.changes))}})
}

// watch tells of changes; the resourceVersion of a list is how many there were.
func (s *apiServer) watch(w http.ResponseWriter, q *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.(http.Flusher).Flush()
	from, err := strconv.Atoi(q.URL.Query().Get("resourceVersion"))
	if err != nil {
		s.t.Error(err)
	}
	for {
		s.mu.Lock()
		news, changed := s.changes[from:], s.changed
		s.mu.Unlock()
		for _, c := range news {
			if err := json.NewEncoder(w).Encode(c); err != nil {
				return
			}
		}
		from += len(news)
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-q.Context().Done():
			return
		}
	}
}

func refuse(w http.ResponseWriter, err error) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		status = apierrors.NewServiceUnavailable(err.Error())
	}
	st := status.Status()
	st.Kind, st.APIVersion = "Status", "v1"
	writeJSON(w, int(st.Code), st)
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

func metaOf(o map[string]any) map[string]any {
	m, ok := o["metadata"].(map[string]any)
	if !ok {
		m = map[string]any{}
		o["metadata"] = m
	}
	return m
}

func copied(o map[string]any) map[string]any {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}

// merged is a JSON merge patch (RFC 7386) applied.
func merged(live, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	l, ok := live.(map[string]any)
	if !ok {
		l = map[string]any{}
	}
	for k, v := range p {
		if v == nil {
			delete(l, k)
		} else {
			l[k] = merged(l[k], v)
		}
	}
	return l
}
