package apiserver

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Server is an http.Handler. It can be used by many goroutines.
type Server struct {
	kinds map[string]*kind // by the path's part: "apis/apps/v1/deployments"

	mu      sync.Mutex // guards all below
	version int64      // the last resourceVersion given
	oldest  int64      // watches and pages that begin before it are refused
}

// start is the first resourceVersion. What is before it was never there.
const start = 1000

// New makes a Server with nothing in it but some namespaces.
func New(namespaces ...string) (*Server, error) {
	all, err := kinds()
	if err != nil {
		return nil, err
	}
	s := &Server{kinds: map[string]*kind{}, version: start, oldest: start}
	for _, k := range all {
		k.objects, k.births, k.changed, k.pages = map[key]*object{}, map[key]int{}, make(chan struct{}), map[string]*snapshot{}
		s.kinds[k.path()] = &k
	}
	for _, n := range namespaces {
		body := map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": n}}
		if _, st := s.create(request{kind: s.kinds["api/v1/namespaces"]}, body); st != nil {
			return nil, fmt.Errorf("namespace %s: %s", n, st.Message)
		}
	}
	return s, nil
}

// request is what a URL asks for.
type request struct {
	kind            *kind
	namespace, name string
	sub             string // "", or "status"
	manager         string
	force           bool
	query           map[string][]string
}

func (q request) option(name string) string {
	if v := q.query[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, ok := s.route(r)
	if !ok {
		respond(w, nil, &metav1.Status{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound, Message: "the server could not find the requested resource"})
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		respond(w, nil, badRequest("the body is unreadable: %v", err))
		return
	}
	if r.Method == http.MethodGet && q.name == "" {
		s.read(w, r, q)
		return
	}
	o, code, st := s.carryOut(r, q, body)
	if st != nil {
		respond(w, nil, st)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(o) // the caller may be gone
}

// route finds what a path is about.
func (s *Server) route(r *http.Request) (request, bool) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	n := 2
	if parts[0] == "apis" {
		n = 3
	}
	if len(parts) <= n {
		return request{}, false
	}
	group, parts := strings.Join(parts[:n], "/"), parts[n:]
	q := request{query: r.URL.Query()}
	if parts[0] == "namespaces" && len(parts) > 2 {
		q.namespace, parts = parts[1], parts[2:]
	}
	parts = append(parts, "", "")
	q.kind, q.name, q.sub = s.kinds[group+"/"+parts[0]], parts[1], parts[2]
	q.manager, q.force = q.option("fieldManager"), q.option("force") == "true"
	if q.manager == "" {
		q.manager, _, _ = strings.Cut(r.UserAgent(), "/")
	}
	known := q.kind != nil && (q.sub == "" || q.sub == "status" && q.kind.status)
	return q, known && (q.namespace == "" || q.kind.namespaced)
}

// carryOut does what is asked about one object, and returns it as it is then.
func (s *Server) carryOut(r *http.Request, q request, body []byte) ([]byte, int, *metav1.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Method {
	case http.MethodGet:
		o := q.kind.objects[q.key()]
		if o == nil {
			return nil, 0, q.notFound()
		}
		return o.json, http.StatusOK, nil
	case http.MethodDelete:
		return s.remove(q, body)
	}
	var sent any
	if err := utiljson.Unmarshal(body, &sent); err != nil {
		return nil, 0, badRequest("the body is no JSON: %v", err)
	}
	switch patch := r.Header.Get("Content-Type"); {
	case r.Method == http.MethodPost && q.name == "":
		m, ok := sent.(map[string]any)
		if !ok {
			return nil, 0, badRequest("the body is no object")
		}
		o, st := s.create(q, m)
		return o, http.StatusCreated, st
	case r.Method == http.MethodPatch && patch == "application/apply-patch+yaml":
		m, ok := sent.(map[string]any)
		if !ok {
			return nil, 0, badRequest("the body is no object")
		}
		return s.apply(q, m)
	case r.Method == http.MethodPatch && patch == "application/merge-patch+json":
		return s.update(q, func(live map[string]any) (map[string]any, *metav1.Status) {
			m, ok := mergePatch(live, sent).(map[string]any)
			if !ok {
				return nil, badRequest("the patch leaves no object")
			}
			return m, nil
		})
	case r.Method == http.MethodPatch && patch == "application/json-patch+json":
		return s.update(q, func(live map[string]any) (map[string]any, *metav1.Status) { return jsonPatch(live, sent) })
	case r.Method == http.MethodPut:
		return s.update(q, func(map[string]any) (map[string]any, *metav1.Status) {
			m, ok := sent.(map[string]any)
			if !ok {
				return nil, badRequest("the body is no object")
			}
			return m, nil
		})
	}
	return nil, 0, &metav1.Status{Code: http.StatusMethodNotAllowed, Reason: metav1.StatusReasonMethodNotAllowed, Message: "the server does not allow this method on the requested resource"}
}
