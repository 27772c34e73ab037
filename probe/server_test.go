package probe

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/mote/metric"
)

// fake is a Part with two checks.
type fake struct{ alive, ready string }

var noon = time.Date(2030, 1, 1, 13, 0, 0, 0, time.FixedZone("CET", 3600))

func (f fake) Metrics(p *metric.Page) { p.Gauge("fake", "A part.", 1) }
func (f fake) Alive(tell Tell)        { tell("loops", f.alive, time.Time{}) }
func (f fake) Ready(tell Tell)        { tell("things-watch", f.ready, noon) }

func TestAnswers(t *testing.T) {
	over, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		name         string
		method, path string
		parts        []Part
		stopping     context.Context
		code         int
		body         string
	}{
		{"alive", "GET", "/healthz", []Part{fake{}}, t.Context(), 200, "ok\n"},
		{"alive, at length", "GET", "/healthz?verbose", []Part{fake{}}, t.Context(), 200, "[+]loops ok\nhealthz check passed\n"},
		{"not alive", "GET", "/healthz", []Part{fake{alive: "it hangs"}}, t.Context(), 503, "[-]loops failed: it hangs\nhealthz check failed\n"},
		{"alive with trouble", "GET", "/healthz", []Part{fake{ready: "no rights"}}, t.Context(), 200, "ok\n"},
		{"alive while it stops", "GET", "/healthz", []Part{fake{}}, over, 200, "ok\n"},
		{"ready", "GET", "/readyz", []Part{fake{}}, t.Context(), 200, "ok\n"},
		{"ready without parts, as a standby is", "GET", "/readyz?verbose", nil, t.Context(), 200, "[+]shutdown ok\nreadyz check passed\n"},
		{"not ready", "GET", "/readyz", []Part{fake{ready: "no rights"}}, t.Context(), 503,
			"[+]shutdown ok\n[-]things-watch failed since 2030-01-01T12:00:00Z: no rights\nreadyz check failed\n"},
		{"not ready any more", "GET", "/readyz", []Part{fake{}}, over, 503,
			"[-]shutdown failed: the process was asked to stop\n[+]things-watch ok\nreadyz check failed\n"},
		{"metrics", "GET", "/metrics", []Part{fake{}}, t.Context(), 200, "# HELP fake A part.\n# TYPE fake gauge\nfake 1\n"},
		{"nothing else", "GET", "/debug/pprof/", nil, t.Context(), 404, "there are /healthz, /readyz and /metrics\n"},
		{"not the root", "GET", "/", nil, t.Context(), 404, "there are /healthz, /readyz and /metrics\n"},
		{"nothing can be changed", "POST", "/healthz", nil, t.Context(), 405, "only GET and HEAD\n"},
		{"no options", "OPTIONS", "*", nil, t.Context(), 405, "only GET and HEAD\n"},
		{"HEAD", "HEAD", "/healthz", nil, t.Context(), 200, "ok\n"},
	} {
		b := &Board{}
		b.Put(c.parts...)
		w := httptest.NewRecorder()
		(&handler{stopping: c.stopping, board: b}).ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != c.code || w.Body.String() != c.body {
			t.Errorf("%s: %d\n%s\nwant %d\n%s", c.name, w.Code, w.Body, c.code, c.body)
		}
		kind := "text/plain; charset=utf-8"
		if c.path == "/metrics" {
			kind = metric.ContentType
		}
		if got := w.Header().Get("Content-Type"); got != kind {
			t.Errorf("%s: Content-Type %q", c.name, got)
		}
	}
}

// Parts come and go, with each term of a leader; what counts stays.
func TestBoard(t *testing.T) {
	b := &Board{}
	b.Count(metric.NewProcess())
	one, two := &fake{}, &fake{}
	take := b.Put(one)
	b.Put(two)
	take()
	if counts, parts := b.up(); len(counts) != 1 || len(parts) != 1 || parts[0] != Part(two) {
		t.Errorf("%v, %v", counts, parts)
	}
}

// serve runs a server for a test.
func serve(t *testing.T, stopping context.Context) (address string, over func()) {
	t.Helper()
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	over = Serve(stopping, l, &Board{}, slog.New(slog.DiscardHandler))
	t.Cleanup(over)
	return l.Addr().String(), over
}

// raw sends a request as it is, and returns what comes back until the end.
func raw(t *testing.T, address, request string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, request) // the answer to one that is too long may come before its end
	b, _ := io.ReadAll(c)
	return string(b)
}

// What is not a decent request is refused, and each connection is closed.
func TestRequestsAreBounded(t *testing.T) {
	address, _ := serve(t, t.Context())
	for _, c := range []struct{ request, want string }{
		{"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200 OK\r\n"},
		{"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("a", 3*headerBytes) + "\r\n\r\n", "HTTP/1.1 431 "},
		{"GET /healthz\r\n\r\n", "HTTP/1.1 400 "},
		{"\x16\x03\x01\x02\x00 TLS\r\n\r\n", "HTTP/1.1 400 "},
	} {
		if got := raw(t, address, c.request); !strings.HasPrefix(got, c.want) {
			t.Errorf("%.40q: %.80q, want %q", c.request, got, c.want)
		}
	}
}

// An address that cannot be used is known before anything else happens.
func TestListen(t *testing.T) {
	address, over := serve(t, t.Context())
	for _, a := range []string{address, "nonsense", "127.0.0.1:65536", "127.0.0.1:no"} {
		if l, err := Listen(a); err == nil {
			l.Close()
			t.Errorf("%q can be listened on", a)
		}
	}
	over()
	if c, err := net.Dial("tcp", address); err == nil {
		c.Close()
		t.Error("it still listens")
	}
}
