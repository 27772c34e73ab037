package reconcile

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"example.com/mote/metric"
)

// shown is what something puts on a page.
func shown(t *testing.T, of ...interface{ Metrics(*metric.Page) }) string {
	t.Helper()
	var p metric.Page
	for _, m := range of {
		m.Metrics(&p)
	}
	var b strings.Builder
	p.WriteTo(&b)
	return b.String()
}

// shows complains of the lines that a page lacks.
func shows(t *testing.T, page string, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if !strings.Contains("\n"+page, "\n"+l+"\n") {
			t.Errorf("there is no line %q in\n%s", l, page)
		}
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Every request is counted by its answer, and handed through as it is.
func TestRequests(t *testing.T) {
	r := NewRequests()
	broken := errors.New("broken")
	inner := transport(func(q *http.Request) (*http.Response, error) {
		if q.Method == http.MethodPatch {
			return nil, broken
		}
		return &http.Response{StatusCode: http.StatusForbidden, Request: q}, nil
	})
	rt := r.Wrap(inner)
	for _, method := range []string{"GET", "GET", "PATCH"} {
		q, err := http.NewRequest(method, "https://host:6443/api/v1/namespaces/secret/pods/name?watch=1", nil)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := rt.RoundTrip(q); method == "GET" && (err != nil || p.Request != q) || method == "PATCH" && err != broken {
			t.Errorf("%s: %v, %v", method, p, err)
		}
	}
	page := shown(t, r)
	shows(t, page, `rest_client_requests_total{code="403",method="GET",host="host:6443"} 2`,
		`rest_client_requests_total{code="<error>",method="PATCH",host="host:6443"} 1`,
		`rest_client_request_duration_seconds_count{verb="GET",host="host:6443"} 2`)
	if strings.Contains(page, "secret") {
		t.Errorf("an object's name is on the page:\n%s", page)
	}
}

func TestTerm(t *testing.T) {
	term := &Term{Lease: "mote-1"}
	during := ""
	term.Of(func(context.Context) { during = shown(t, term) })(t.Context())
	shows(t, during, `leader_election_master_status{name="mote-1"} 1`)
	shows(t, shown(t, term), `leader_election_master_status{name="mote-1"} 0`)
}
