package reconcile

import (
	"net/http"
	"strconv"
	"time"

	"example.com/mote/metric"
)

// Requests counts what the API server is asked, below all clients. It is safe for
// use by many goroutines.
type Requests struct {
	answers *metric.Vec[answerKey, metric.Counter]
	took    *metric.Vec[requestKey, metric.Histogram]
}

type (
	answerKey struct {
		code         int // 0: no answer
		method, host string
	}
	requestKey struct{ method, host string }
)

// mostAnswers bounds the series: five methods, one host, and the codes there are.
const mostAnswers = 128

// NewRequests makes one that has counted nothing.
func NewRequests() *Requests {
	return &Requests{
		answers: metric.NewVec[answerKey, metric.Counter](mostAnswers, answerKey{method: "other", host: "other"}),
		took:    metric.NewVec[requestKey, metric.Histogram](mostAnswers/4, requestKey{"other", "other"}),
	}
}

// Wrap counts what goes through a transport; it is for rest.Config.Wrap.
func (r *Requests) Wrap(rt http.RoundTripper) http.RoundTripper { return counting{rt, r} }

type counting struct {
	http.RoundTripper
	requests *Requests
}

// WrappedRoundTripper lets client-go look through.
func (c counting) WrappedRoundTripper() http.RoundTripper { return c.RoundTripper }

// RoundTrip is http.RoundTripper's.
func (c counting) RoundTrip(q *http.Request) (*http.Response, error) {
	began := time.Now()
	p, err := c.RoundTripper.RoundTrip(q)
	k := answerKey{method: q.Method, host: q.URL.Host}
	if err == nil {
		k.code = p.StatusCode
	}
	c.requests.answers.With(k).Inc()
	c.requests.took.With(requestKey{k.method, k.host}).Observe(time.Since(began))
	return p, err
}

// Metrics puts rest_client_* on the page.
func (r *Requests) Metrics(p *metric.Page) {
	r.answers.Each(func(k answerKey, n *metric.Counter) {
		code := "<error>" // as client-go says it
		if k.code != 0 {
			code = strconv.Itoa(k.code)
		}
		p.Counter("rest_client_requests_total", "Requests to the API server, by what came back.", n.Value(),
			"code", code, "method", k.method, "host", k.host)
	})
	r.took.Each(func(k requestKey, h *metric.Histogram) {
		p.Histogram("rest_client_request_duration_seconds", "Time until the API server began to answer; a watch is answered when it opens.", h,
			"verb", k.method, "host", k.host)
	})
}
