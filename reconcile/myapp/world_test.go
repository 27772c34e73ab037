package myapp

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
	"example.com/mote/reconcile/lean"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// world is the real engine with a real dynamic client on a small API server.
type world struct {
	t     *testing.T
	api   *apiServer
	ctl   *reconcile.Controller
	turns chan turnEnd
}

// turnEnd is how a turn ended, and the requests since the one before.
type turnEnd struct {
	reconcile.Result
	err      error
	requests []string
}

// reporter tells the world of each turn's end.
type reporter struct {
	*Reconciler
	w *world
}

func (r reporter) Reconcile(ctx context.Context, t *reconcile.Turn) (reconcile.Result, error) {
	res, err := r.Reconciler.Reconcile(ctx, t)
	r.w.turns <- turnEnd{res, err, r.w.api.taken()}
	return res, err
}

var web = map[role]place{
	config:     {"api/v1", "configmaps", "shop", "web-config"},
	deployment: {"apis/apps/v1", "deployments", "shop", "web"},
	service:    {"api/v1", "services", "shop", "web"},
}

var webApp = place{"apis/example.com/v1", "myapps", "shop", "web"}

// newWorld starts an engine that has nothing to serve yet.
func newWorld(t *testing.T, before ...func(*apiServer)) *world {
	t.Helper()
	return openWorld(t, false, before...)
}

// newGlancingWorld is one whose watch of apps glances at them, and whose children's
// watches speak, as in the product.
func newGlancingWorld(t *testing.T) *world {
	t.Helper()
	return openWorld(t, true, func(s *apiServer) { s.quiet = false })
}

func openWorld(t *testing.T, glancing bool, before ...func(*apiServer)) *world {
	t.Helper()
	w := &world{t: t, api: newAPIServer(t), turns: make(chan turnEnd, 1000)}
	for _, change := range before {
		change(w.api)
	}
	server := httptest.NewServer(w.api)
	config := &rest.Config{Host: server.URL, QPS: -1}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	clients := reconcile.Clients{Whole: client} // whose events have no text, so that each turn begins with a read
	if glancing {
		if clients.Glance, err = lean.NewClient(config); err != nil {
			t.Fatal(err)
		}
		if clients.Bare, err = lean.NewBareClient(config); err != nil {
			t.Fatal(err)
		}
	}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	reconciler := New(Options{HostPaths: []string{"/dev"}, HostNetwork: true})
	kind := reconciler.Kind(reconcile.Selection{}, 1)
	kind.Reconciler = reporter{reconciler, w}
	w.ctl = reconcile.NewController(clients, kind, reconcile.NewRecorder(client, "test", log), log)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { w.ctl.Run(ctx, time.Second); close(ended) }()
	t.Cleanup(func() {
		stop()
		<-ended
		server.CloseClientConnections()
		server.Close()
	})
	<-w.ctl.Synced()
	return w
}

// taken are the requests since it was asked last.
func (s *apiServer) taken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.requests
	s.requests = nil
	return r
}

// turn waits for the next turn to end.
func (w *world) turn() turnEnd {
	w.t.Helper()
	select {
	case e := <-w.turns:
		return e
	case <-time.After(10 * time.Second):
		w.t.Fatal("no turn ends")
		panic("unreachable")
	}
}

// next wakes the app and waits for its turn to end.
func (w *world) next() turnEnd {
	w.t.Helper()
	w.ctl.Wake(reconcile.Key{Namespace: "shop", Name: "web"})
	return w.turn()
}

// put makes an app, as a user does.
func (w *world) put(app *examplev1.MyApp) {
	w.t.Helper()
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(app)
	if err != nil {
		w.t.Fatal(err)
	}
	delete(m, "status")
	w.api.mu.Lock()
	defer w.api.mu.Unlock()
	w.api.store(webApp, m)
}

// edit changes an object, as somebody else does.
func (w *world) edit(at place, change func(*unstructured.Unstructured)) {
	w.t.Helper()
	w.api.mu.Lock()
	defer w.api.mu.Unlock()
	u := &unstructured.Unstructured{Object: copyOf(w.t, w.api.objects[at])}
	change(u)
	w.api.store(at, u.Object)
}

// respec changes an app's spec, as a user does.
func (w *world) respec(change func(spec map[string]any)) {
	w.t.Helper()
	w.edit(webApp, func(u *unstructured.Unstructured) {
		change(u.Object["spec"].(map[string]any))
		u.SetGeneration(u.GetGeneration() + 1)
	})
}

func (w *world) lose(at place) {
	w.api.mu.Lock()
	defer w.api.mu.Unlock()
	w.api.drop(at)
}

// object is an object as it is now; nil: not there.
func (w *world) object(at place) map[string]any {
	w.api.mu.Lock()
	defer w.api.mu.Unlock()
	return w.api.objects[at]
}

// status is the app's phase and the reason of its Ready condition.
func (w *world) status() (phase, reason string) {
	status := asMap(w.object(webApp)["status"])
	phase, _ = status["phase"].(string)
	if c := asList(status["conditions"]); len(c) > 0 {
		reason, _ = c[0]["reason"].(string)
	}
	return phase, reason
}

// wantRequests checks which requests a turn made, in order. The first is the
// engine's live read of the app.
func (e turnEnd) wantRequests(t *testing.T, want ...string) {
	t.Helper()
	want = append([]string{"GET myapps/web"}, want...)
	if !slices.Equal(e.requests, want) {
		t.Errorf("requests %q\nwant     %q", e.requests, want)
	}
}

func (w *world) wantStatus(phase, reason string) {
	w.t.Helper()
	if p, r := w.status(); p != phase || r != reason {
		w.t.Errorf("phase %s, Ready %s; want %s, %s", p, r, phase, reason)
	}
}

// wantMessage checks what the app's Ready condition says.
func (w *world) wantMessage(words string) {
	w.t.Helper()
	c := asList(asMap(w.object(webApp)["status"])["conditions"])
	if message, _ := c[0]["message"].(string); !strings.Contains(message, words) {
		w.t.Errorf("Ready says %q, want %q", message, words)
	}
}

// reads are the requests of a look at all children.
var reads = []string{"GET configmaps/web-config", "GET services/web", "GET deployments/web"}

// running is a world with an app that is as it should be.
func running(t *testing.T, changes ...func(*examplev1.MyApp)) *world {
	t.Helper()
	w := newWorld(t)
	w.put(newApp(changes...))
	w.turn()
	w.edit(web[deployment], func(u *unstructured.Unstructured) { rolledOut(u, 3, 3, 3, settled) })
	w.next()
	w.wantStatus("Running", "Available")
	w.api.taken()
	return w
}
