package reconcile

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"example.com/mote/simulation/wire"
)

var thingResource = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "things"}

// script is an API server that answers requests one after another, each as its
// step says; when the steps are over, watches stay open and silent.
type script struct {
	t     *testing.T
	steps []scriptStep

	mu   sync.Mutex
	next int
	seen []string // the requests: "list", "list token", "watch 100", "stream"
	over chan struct{}
}

type scriptStep struct {
	want   string // the request that is expected, as in seen
	answer func(w http.ResponseWriter, r *http.Request)
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	got := "list"
	switch {
	case q.Get("watch") != "":
		got = "watch " + q.Get("resourceVersion")
		if q.Get("allowWatchBookmarks") != "true" || q.Get("timeoutSeconds") == "" {
			s.t.Errorf("a watch without bookmarks or timeout: %s", r.URL)
		}
		if q.Get("sendInitialEvents") == "true" && q.Get("resourceVersionMatch") == "NotOlderThan" && q.Get("resourceVersion") == "" {
			got = "stream"
		}
	case q.Get("continue") != "":
		got = "list " + q.Get("continue")
	}
	s.mu.Lock()
	s.seen = append(s.seen, got)
	n := s.next
	if n < len(s.steps) {
		s.next++
	}
	s.mu.Unlock()
	if n == len(s.steps) {
		select {
		case <-s.over:
		default:
			close(s.over)
		}
		events()(w, r)
		return
	}
	step := s.steps[n]
	if got != step.want {
		s.t.Errorf("request %d is %q, want %q", n+1, got, step.want)
	}
	step.answer(w, r)
}

func (s *script) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

func object(name, version string) map[string]any {
	return map[string]any{"apiVersion": "example.com/v1", "kind": "Thing",
		"metadata": map[string]any{"namespace": "ns", "name": name, "resourceVersion": version, "uid": "uid-" + name}}
}

func respond(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(body)
}

// page answers a list: names, all in one version.
func page(token, version string, names ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		items := []any{}
		for _, n := range names {
			items = append(items, object(n, version))
		}
		respond(w, 200, map[string]any{"apiVersion": "example.com/v1", "kind": "ThingList",
			"metadata": map[string]any{"resourceVersion": version, "continue": token}, "items": items})
	}
}

// refuse answers with a Status.
func refuse(code int, reason metav1.StatusReason, headers ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		respond(w, code, status(code, reason))
	}
}

func status(code int, reason metav1.StatusReason) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": "as the script has it"}
}

// proxyPage answers with what is not of Kubernetes.
func proxyPage(code int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(code)
		io.WriteString(w, "<html>Bad Gateway</html>")
	}
}

// cut ends a connection without an answer.
func cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// The parts of a stream.
type streamPart func(w http.ResponseWriter, r *http.Request) (open bool)

func event(kind string, object any) streamPart {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		json.NewEncoder(w).Encode(map[string]any{"type": kind, "object": object})
		w.(http.Flusher).Flush()
		return true
	}
}

func raw(text string) streamPart {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		io.WriteString(w, text)
		w.(http.Flusher).Flush()
		return true
	}
}

var (
	// ends ends the stream in order, as at its time limit.
	ends streamPart = func(http.ResponseWriter, *http.Request) bool { return false }
	// breaks breaks the connection.
	breaks streamPart = func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }
)

// events answers a watch; after the last part the stream stays open and silent.
func events(parts ...streamPart) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		for _, p := range parts {
			if !p(w, r) {
				return
			}
		}
		<-r.Context().Done()
	}
}

// notes is a sink that writes down what it is told.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) add(format string, a ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, a...))
}

func (n *notes) begin() { n.add("begin") }
func (n *notes) end()   { n.add("end") }
func (n *notes) seen(u *unstructured.Unstructured, _ []byte, fromList bool) {
	how := "seen"
	if fromList {
		how = "listed"
	}
	n.add("%s %s@%s", how, u.GetName(), u.GetResourceVersion())
}
func (n *notes) left(u *unstructured.Unstructured) {
	n.add("left %s@%s", u.GetName(), u.GetResourceVersion())
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.lines, ", ")
}

func clientFor(t *testing.T, config *rest.Config, transport http.RoundTripper) dynamic.Interface {
	t.Helper()
	config.QPS = -1
	client, err := dynamic.NewForConfigAndClient(config, &http.Client{Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// hasty is a pace for real time: what takes minutes takes milliseconds.
var hasty = pace{
	page: 2, pageLimit: 5 * time.Second, watch: 5 * time.Second, grace: time.Second,
	quiet: 5 * time.Second, brief: 0, relist: time.Hour, stall: 5 * time.Second, unstreamed: 2,
	backoff: Backoff{Base: time.Millisecond, Max: 4 * time.Millisecond},
	missing: time.Millisecond, refused: time.Millisecond, longest: 10 * time.Millisecond,
}

// scriptCase is a watcher before a script: what it makes of it.
type scriptCase struct {
	name  string
	steps []scriptStep
	notes string
	last  string // the request after the script
	logs  []string
	pace  func(*pace)
}

func (c scriptCase) run(t *testing.T) {
	t.Parallel()
	s := &script{t: t, steps: c.steps, over: make(chan struct{})}
	server := httptest.NewServer(s)
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	p, n, log := hasty, &notes{}, &logLines{}
	if c.pace != nil {
		c.pace(&p)
	}
	synced := 0
	w := &watcher{resource: clientFor(t, &rest.Config{Host: server.URL}, transport).Resource(thingResource), what: "things",
		sink: n, log: log.logger(), synced: func() { synced++ }, pace: p, random: noJitter}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.run(ctx)
	}()
	select {
	case <-s.over:
	case <-time.After(10 * time.Second):
		t.Errorf("the script is not over; the requests were %q", s.requests())
	}
	cancel()
	<-ended
	if got := n.String(); got != c.notes {
		t.Errorf("the sink was told\n    %s\nwant\n    %s", got, c.notes)
	}
	requests := s.requests()
	if got := requests[len(requests)-1]; got != c.last {
		t.Errorf("it goes on with %q, want %q", got, c.last)
	}
	if want := strings.Count(c.notes, "end"); synced != want {
		t.Errorf("synced was called %d times, want %d", synced, want)
	}
	rest := log.String()
	for _, line := range c.logs {
		var ok bool
		if _, rest, ok = strings.Cut(rest, line); !ok {
			t.Errorf("the log does not say %q, or not in order:\n%s", line, log)
		}
	}
	if t.Failed() {
		t.Logf("the requests were %q\n%s", requests, log)
	}
}

// What the real dynamic client over a real connection makes of what API servers
// and proxies do, and how the watcher goes on.
func TestWatcherScripts(t *testing.T) {
	a5, b6 := object("a", "5"), object("b", "6")
	bookmark := func(version string) streamPart {
		return event("BOOKMARK", map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"resourceVersion": version}})
	}
	list := scriptStep{"list", page("", "4", "a")}
	const first = "begin, listed a@4, end"
	for _, c := range []scriptCase{
		{name: "a list in pages, then a watch",
			steps: []scriptStep{
				{"list", page("t1", "4", "a", "b")}, {"list t1", page("t2", "4", "c")}, {"list t2", page("", "4", "d")},
				{"watch 4", events(event("ADDED", a5), event("MODIFIED", b6), event("DELETED", object("a", "7")), ends)},
			},
			notes: "begin, listed a@4, listed b@4, listed c@4, listed d@4, end, seen a@5, seen b@6, left a@7", last: "watch 7"},
		{name: "pages that repeat an item and an empty one",
			steps: []scriptStep{{"list", page("t1", "4", "a")}, {"list t1", page("t2", "4", "a")}, {"list t2", page("", "4")}},
			notes: "begin, listed a@4, listed a@4, end", last: "watch 4"},
		{name: "bookmarks only: the watch resumes from the last",
			steps: []scriptStep{list, {"watch 4", events(bookmark("8"), bookmark("12"), ends)}},
			notes: first, last: "watch 12"},
		{name: "410 as an answer to a watch",
			steps: []scriptStep{list, {"watch 4", refuse(410, metav1.StatusReasonExpired)}, {"list", page("", "9", "b")}},
			notes: first + ", begin, listed b@9, end", last: "watch 9", logs: []string{reasonExpired, "in order again"}},
		{name: "410 of the older kind",
			steps: []scriptStep{list, {"watch 4", refuse(410, metav1.StatusReasonGone)}, {"list", page("", "9", "b")}},
			notes: first + ", begin, listed b@9, end", last: "watch 9"},
		{name: "410 as an event",
			steps: []scriptStep{list, {"watch 4", events(event("ADDED", a5), event("ERROR", status(410, metav1.StatusReasonExpired)))}, {"list", page("", "9", "b")}},
			notes: first + ", seen a@5, begin, listed b@9, end", last: "watch 9", logs: []string{reasonExpired}},
		{name: "410 for a continue token: the list begins anew",
			steps: []scriptStep{{"list", page("t1", "4", "a")}, {"list t1", refuse(410, metav1.StatusReasonExpired)}, {"list", page("", "9", "b")}},
			notes: "begin, listed a@4, begin, listed b@9, end", last: "watch 9"},
		{name: "504 as an answer to a watch",
			steps: []scriptStep{list, {"watch 4", refuse(504, metav1.StatusReasonTimeout)}, {"watch 4", events(event("ADDED", a5), ends)}},
			notes: first + ", seen a@5", last: "watch 5", logs: []string{reasonFailed, "in order again"}},
		{name: "504 as an event",
			steps: []scriptStep{list, {"watch 4", events(event("ADDED", a5), event("ERROR", status(504, metav1.StatusReasonTimeout)))}},
			notes: first + ", seen a@5", last: "watch 5"},
		{name: "504 in the middle of a list: the page is asked for again",
			steps: []scriptStep{{"list", page("t1", "4", "a")}, {"list t1", refuse(504, metav1.StatusReasonTimeout)}, {"list t1", page("", "4", "b")}},
			notes: "begin, listed a@4, listed b@4, end", last: "watch 4"},
		{name: "500 for a while",
			steps: []scriptStep{
				{"list", refuse(500, metav1.StatusReasonInternalError)}, {"list", refuse(500, "")}, {"list", proxyPage(502)}, {"list", refuse(503, metav1.StatusReasonServiceUnavailable)},
				list, {"watch 4", refuse(500, metav1.StatusReasonInternalError)}, {"watch 4", proxyPage(502)}, {"watch 4", events(bookmark("8"), ends)},
			},
			notes: "begin, begin, begin, begin, " + first, last: "watch 8"},
		{name: "500 as an event",
			steps: []scriptStep{list, {"watch 4", events(event("ERROR", status(500, "")))}, {"watch 4", events(bookmark("8"), ends)}},
			notes: first, last: "watch 8"},
		// client-go itself heeds Retry-After, up to ten times; only the eleventh answer is ours.
		{name: "429 with Retry-After, on and on",
			steps: slices.Concat(
				slices.Repeat([]scriptStep{{"list", refuse(429, metav1.StatusReasonTooManyRequests, "Retry-After", "0")}}, 11),
				[]scriptStep{list}),
			notes: "begin, " + first, last: "watch 4", logs: []string{reasonFailed}},
		{name: "429 without Retry-After",
			steps: []scriptStep{{"list", refuse(429, metav1.StatusReasonTooManyRequests)}, list},
			notes: "begin, " + first, last: "watch 4", logs: []string{reasonFailed}},
		{name: "a stream cut in the middle of an object",
			steps: []scriptStep{list, {"watch 4", events(event("ADDED", a5), raw(`{"type":"ADDED","object":{"apiVersion":"example.com/v1","kind":"Th`), breaks)}, {"watch 5", events(event("ADDED", b6), ends)}},
			notes: first + ", seen a@5, seen b@6", last: "watch 6"},
		{name: "a stream that ends in the middle of an object",
			steps: []scriptStep{list, {"watch 4", events(event("ADDED", a5), raw(`{"type":"ADDED","object":{"apiVersion":"example.com/v1","kind":"Th`), ends)}, {"watch 5", events(event("ADDED", b6), ends)}},
			notes: first + ", seen a@5, seen b@6", last: "watch 6"},
		{name: "a stream that is no JSON",
			steps: []scriptStep{list, {"watch 4", events(event("ADDED", a5), raw("<html>\n"))}, {"watch 5", events(event("ADDED", b6), ends)}},
			notes: first + ", seen a@5, seen b@6", last: "watch 6", logs: []string{reasonFailed, "unable to decode"}},
		{name: "an event that carries no object",
			steps: []scriptStep{list, {"watch 4", events(event("ADDED", status(200, "")))}, {"watch 4", events(event("ADDED", a5), ends)}},
			notes: first + ", seen a@5", last: "watch 5", logs: []string{"carries a"}},
		{name: "an event without resourceVersion",
			steps: []scriptStep{list, {"watch 4", events(event("ADDED", object("a", "")))}, {"watch 4", events(event("ADDED", a5), ends)}},
			notes: first + ", seen a@5", last: "watch 5", logs: []string{"carries a"}},
		{name: "a stream that says nothing",
			steps: []scriptStep{list, {"watch 4", events(event("ADDED", a5))}, {"watch 5", events()}, {"watch 5", events(event("ADDED", b6), ends)}},
			notes: first + ", seen a@5, seen b@6", last: "watch 6", pace: func(p *pace) { p.quiet = time.Second }},
		{name: "a watch that is not even answered",
			steps: []scriptStep{list, {"watch 4", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }}, {"watch 4", events(event("ADDED", a5), ends)}},
			notes: first + ", seen a@5", last: "watch 5", pace: func(p *pace) { p.quiet = time.Second }, logs: []string{reasonFailed, "in order again"}},
		{name: "a page that is not answered",
			steps: []scriptStep{{"list", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }}, list},
			notes: "begin, " + first, last: "watch 4", pace: func(p *pace) { p.pageLimit = time.Second }, logs: []string{reasonFailed, "deadline"}},
		{name: "a page cut in its middle",
			steps: []scriptStep{{"list", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				raw(`{"kind":"ThingList","apiVersion":"example.com/v1","items":[{"kind"`)(w, r)
				cut(w, r)
			}}, list},
			notes: "begin, " + first, last: "watch 4", logs: []string{reasonFailed}},
		{name: "a page that is no list",
			steps: []scriptStep{{"list", proxyPage(200)}, list},
			notes: "begin, " + first, last: "watch 4", logs: []string{reasonFailed}},
		{name: "a stream that the server does not end at its time limit",
			steps: []scriptStep{list, {"watch 4", events(bookmark("8"))}},
			notes: first, last: "watch 8", pace: func(p *pace) { p.watch, p.grace = 600*time.Millisecond, 400*time.Millisecond }},
		{name: "a CRD that is missing, comes, goes and comes again",
			steps: []scriptStep{
				{"list", func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }}, {"list", refuse(404, metav1.StatusReasonNotFound)}, list,
				{"watch 4", events(event("DELETED", object("a", "7")), event("ERROR", status(410, metav1.StatusReasonExpired)))},
				{"list", func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }}, {"list", page("", "20", "b")},
			},
			notes: "begin, begin, " + first + ", left a@7, begin, begin, listed b@20, end", last: "watch 20", logs: []string{reasonMissing, "in order again"}},
		{name: "a watch of a CRD that went",
			steps: []scriptStep{list, {"watch 4", func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }}, {"list", page("", "20")}},
			notes: first + ", begin, end", last: "watch 20", logs: []string{reasonMissing}},
		{name: "RBAC that is missing, given, taken and given back",
			steps: []scriptStep{
				{"list", refuse(403, metav1.StatusReasonForbidden)}, {"list", refuse(403, metav1.StatusReasonForbidden)}, list,
				{"watch 4", refuse(403, metav1.StatusReasonForbidden)}, {"watch 4", events(event("ADDED", a5), ends)},
			},
			notes: "begin, begin, " + first + ", seen a@5", last: "watch 5", logs: []string{reasonForbidden, "in order again", reasonForbidden, "in order again"}},
		{name: "RBAC that is taken in the middle of a list",
			steps: []scriptStep{{"list", page("t1", "4", "a")}, {"list t1", refuse(403, metav1.StatusReasonForbidden)}, {"list t1", page("", "4", "b")}},
			notes: "begin, listed a@4, listed b@4, end", last: "watch 4"},
		{name: "credentials that have run out",
			steps: []scriptStep{list, {"watch 4", refuse(401, metav1.StatusReasonUnauthorized)}, {"watch 4", events(bookmark("8"), ends)}},
			notes: first, last: "watch 8", logs: []string{reasonUnauthorized}},
		{name: "a selector that the CRD does not declare",
			steps: []scriptStep{{"list", refuse(400, metav1.StatusReasonBadRequest)}, list},
			notes: "begin, " + first, last: "watch 4", logs: []string{reasonRefused}},
		{name: "a resourceVersion that only ever fails, as after a restore",
			steps: slices.Concat([]scriptStep{list},
				slices.Repeat([]scriptStep{{"watch 4", refuse(504, metav1.StatusReasonTimeout)}}, 9),
				[]scriptStep{{"list", page("", "2", "b")}}),
			notes: first + ", begin, listed b@2, end", last: "watch 2"},
		{name: "after so long, a list repairs what watches missed",
			steps: []scriptStep{list, {"watch 4", events(event("ADDED", b6), ends)}, {"list", page("t1", "7", "a")}, {"list t1", page("", "7", "c")}},
			notes: first + ", seen b@6, begin, listed a@7, listed c@7, end", last: "watch 7", pace: func(p *pace) { p.relist = 0 }},
		{name: "a list that repairs and fails leaves the watch as it was",
			steps: []scriptStep{list, {"watch 4", events(bookmark("5"), ends)}, {"list", page("t1", "7", "a")}, {"list t1", refuse(500, "")}, {"watch 5", events(event("ADDED", b6), ends)}, {"list", page("", "8", "b")}},
			notes: first + ", begin, listed a@7, seen b@6, begin, listed b@8, end", pace: func(p *pace) { p.relist = 0 }, last: "watch 8", logs: []string{reasonUnrepaired, "in order again"}},
		{name: "a continue token that expires in a list that repairs",
			steps: []scriptStep{list, {"watch 4", events(bookmark("5"), ends)}, {"list", page("t1", "7", "a")}, {"list t1", refuse(410, metav1.StatusReasonExpired)}, {"watch 5", events(event("ADDED", b6), ends)}, {"list", page("", "8", "b")}},
			notes: first + ", begin, listed a@7, seen b@6, begin, listed b@8, end", pace: func(p *pace) { p.relist = 0 }, last: "watch 8", logs: []string{reasonUnrepaired, "in order again"}},
		{name: "a page that omits an item, and the list that brings it back",
			steps: []scriptStep{{"list", page("", "4", "a", "b")}, {"watch 4", refuse(410, metav1.StatusReasonExpired)}, {"list", page("", "5", "a")}, {"watch 5", events(ends)}, {"list", page("", "5", "a", "b")}},
			notes: "begin, listed a@4, listed b@4, end, begin, listed a@5, end, begin, listed a@5, listed b@5, end", pace: func(p *pace) { p.relist = 0 }, last: "watch 5"},
		{name: "resourceVersions that go back, in an event",
			steps: []scriptStep{{"list", page("", "100", "a")}, {"watch 100", events(event("ADDED", b6))}, {"list", page("", "7", "b")}},
			notes: "begin, listed a@100, end, begin, listed b@7, end", last: "watch 7", logs: []string{reasonWentBack, "in order again"}},
		{name: "resourceVersions that go back, in a bookmark",
			steps: []scriptStep{{"list", page("", "100", "a")}, {"watch 100", events(bookmark("6"))}, {"list", page("", "7", "b")}},
			notes: "begin, listed a@100, end, begin, listed b@7, end", last: "watch 7", logs: []string{reasonWentBack}},
		{name: "a deleted object as it was last seen",
			steps: []scriptStep{{"list", page("", "100", "a")}, {"watch 100", events(event("DELETED", object("a", "5")), ends)}},
			notes: "begin, listed a@100, end, left a@5", last: "watch 100"},
		{name: "a resourceVersion that is still to come: streams without a word",
			steps: []scriptStep{{"list", page("", "100", "a")}, {"watch 100", events()}, {"watch 100", events()}, {"list", page("", "7", "b")}, {"watch 7", events(event("ADDED", object("c", "8")), ends)}},
			notes: "begin, listed a@100, end, begin, listed b@7, end, seen c@8", last: "watch 8", pace: func(p *pace) { p.quiet = time.Second }, logs: []string{reasonSilent, "in order again"}},
	} {
		t.Run(c.name, c.run)
	}
}

func TestWatcherAsksForItsSelection(t *testing.T) {
	var asked []string
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		asked = append(asked, fmt.Sprint(r.URL.Path, " ", q.Get("labelSelector"), " ", q.Get("fieldSelector"), " ", q.Get("limit")))
		if q.Get("watch") != "" {
			events()(w, r)
		} else {
			page("", "4")(w, r)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := &watcher{resource: clientFor(t, &rest.Config{Host: "http://memory"}, wire.NewLine(handler, nil)).Resource(thingResource), what: "things",
			sel: Selection{Namespace: "shop", LabelSelector: "team=red", FieldSelector: "spec.site=edge-01"}, sink: &notes{}, log: (&logLines{}).logger(), synced: func() {}, pace: usualPace, random: noJitter}
		ctx, cancel := context.WithCancel(t.Context())
		go w.run(ctx)
		synctest.Wait()
		cancel()
		synctest.Wait()
	})
	want := []string{
		"/apis/example.com/v1/namespaces/shop/things team=red spec.site=edge-01 250",
		"/apis/example.com/v1/namespaces/shop/things team=red spec.site=edge-01 ",
	}
	if !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

// The usual pace, in virtual time: what a watcher does in the course of days.
func TestWatcherInTheLongRun(t *testing.T) {
	type request struct {
		at   time.Duration
		what string
	}
	watching := func(t *testing.T, handler func(at time.Duration, w http.ResponseWriter, r *http.Request), d time.Duration) ([]request, *logLines) {
		began := time.Now()
		var mu sync.Mutex
		var requests []request
		log := &logLines{}
		serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			what := "list"
			if r.URL.Query().Get("watch") != "" {
				what = "watch"
			}
			mu.Lock()
			requests = append(requests, request{time.Since(began), what})
			mu.Unlock()
			handler(time.Since(began), w, r)
		})
		w := &watcher{resource: clientFor(t, &rest.Config{Host: "http://memory"}, wire.NewLine(serve, nil)).Resource(thingResource), what: "things",
			sink: &notes{}, log: log.logger(), synced: func() {}, pace: usualPace, random: noJitter}
		ctx, cancel := context.WithCancel(t.Context())
		go w.run(ctx)
		time.Sleep(d)
		cancel()
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		return requests, log
	}
	count := func(requests []request, what string) (n int) {
		for _, r := range requests {
			if r.what == what {
				n++
			}
		}
		return n
	}
	// healthy is an API server that sends a bookmark every minute and ends a watch when asked to.
	healthy := func(at time.Duration, w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("watch") == "" {
			page("", "4", "a")(w, r)
			return
		}
		limit, _ := time.ParseDuration(q.Get("timeoutSeconds") + "s")
		events(func(w http.ResponseWriter, r *http.Request) bool {
			for end := time.Now().Add(limit); time.Now().Before(end) && r.Context().Err() == nil; {
				event("BOOKMARK", object("", "4"))(w, r)
				sleep(r.Context(), min(time.Minute, time.Until(end)))
			}
			return false
		})(w, r)
	}
	t.Run("a day with a healthy API server", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			requests, log := watching(t, healthy, 24*time.Hour)
			// With no jitter a watch is five minutes, and a list comes every four and a half hours.
			if lists, watches := count(requests, "list"), count(requests, "watch"); lists != 6 || watches < 286 || watches > 289 {
				t.Errorf("%d lists and %d watches", lists, watches)
			}
			if log.String() != "" {
				t.Errorf("the log says:\n%s", log)
			}
		})
	})
	t.Run("an API server that is never there", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			requests, log := watching(t, func(_ time.Duration, w http.ResponseWriter, r *http.Request) { refuse(500, "InternalError")(w, r) }, time.Hour)
			if n := len(requests); n < 100 || n > 130 {
				t.Errorf("%d requests in an hour, want one every half minute", n)
			}
			if n := log.count("level=WARN"); n != 1 {
				t.Errorf("%d warnings:\n%s", n, log)
			}
		})
	})
	t.Run("Retry-After is heeded", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			requests, _ := watching(t, func(at time.Duration, w http.ResponseWriter, r *http.Request) {
				if at < 30*time.Second {
					refuse(429, metav1.StatusReasonTooManyRequests, "Retry-After", "7")(w, r)
				} else {
					healthy(at, w, r)
				}
			}, time.Minute)
			var at []time.Duration
			for _, r := range requests {
				at = append(at, r.at)
			}
			if got := fmt.Sprint(at); got != "[0s 7s 14s 21s 28s 35s 35s]" {
				t.Errorf("requests at %s", got)
			}
		})
	})
	t.Run("streams that fall silent are taken up again within minutes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			requests, log := watching(t, func(_ time.Duration, w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("watch") == "" {
					page("", "4")(w, r)
				} else {
					events()(w, r)
				}
			}, time.Hour-time.Second)
			// Two streams of five minutes, a list, and so on.
			if lists, watches := count(requests, "list"), count(requests, "watch"); lists != 6 || watches != 12 {
				t.Errorf("%d lists and %d watches in an hour", lists, watches)
			}
			if n := log.count(reasonSilent); n != 1 || log.count("in order") != 0 {
				t.Errorf("the log says:\n%s", log)
			}
		})
	})
	t.Run("a watch that hangs before its answer", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			requests, log := watching(t, func(_ time.Duration, w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("watch") == "" {
					page("", "4")(w, r)
				} else {
					<-r.Context().Done()
				}
			}, 11*time.Minute)
			if n := len(requests); n != 5 {
				t.Errorf("%d requests: %v", n, requests)
			}
			if log.count(reasonFailed) != 1 {
				t.Errorf("the log says:\n%s", log)
			}
		})
	})
	t.Run("a proxy that lets no stream through leaves us lists", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			requests, log := watching(t, func(_ time.Duration, w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("watch") == "" {
					page("", "4")(w, r)
				} else {
					events(ends)(w, r)
				}
			}, time.Hour)
			if lists := count(requests, "list"); lists < 15 || lists > 30 {
				t.Errorf("%d lists in an hour", lists)
			}
			if log.count(reasonBrief) == 0 {
				t.Errorf("the log says:\n%s", log)
			}
		})
	})
	t.Run("history that is always gone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			requests, _ := watching(t, func(_ time.Duration, w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("watch") == "" {
					page("", "4")(w, r)
				} else {
					events(event("ADDED", object("a", "5")), event("ERROR", status(410, metav1.StatusReasonExpired)))(w, r)
				}
			}, time.Hour)
			if lists := count(requests, "list"); lists < 100 || lists > 135 {
				t.Errorf("%d lists in an hour, want one every half minute", lists)
			}
		})
	})
}
