package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"example.com/mote/simulation/wire"
)

// clusterFate decides what becomes of a request to the API server.
func (w *world) clusterFate(p *process, r *http.Request, body []byte) wire.Fate {
	w.mu.Lock()
	defer w.mu.Unlock()
	watch := r.URL.Query().Get("watch") != ""
	lease := strings.Contains(r.URL.Path, "/leases")
	what := r.Method + " " + r.URL.Path
	if watch {
		what += " watch"
	}
	if !watch && !lease && r.URL.Path != "/api/v1/namespaces/kube-system/secrets" {
		w.asked++
	}
	w.learnSecrets(r.URL.Path, body)
	d := w.dice("cluster", what)
	usual := wire.Fate{Delay: some(d, 10*time.Millisecond), Late: some(d, 10*time.Millisecond)}
	if f, ok := w.killed(p, d, r.Method != http.MethodGet && !lease, what); ok {
		return f
	}
	if w.calm {
		return usual
	}
	var f wire.Fate
	switch {
	case w.inside(w.plan.clusterDown):
		f = wire.Fate{Delay: time.Second, Lost: true}
	case watch && d.Float64() < w.plan.streamTrouble:
		f = streamFate(d)
	case d.Float64() < w.plan.clusterTrouble:
		f = trouble(d, []http.Handler{
			status(500, "InternalError", "rpc error: database is locked"), status(429, "TooManyRequests", "slow down"), status(503, "ServiceUnavailable", "starting"),
			status(504, "Timeout", "request timed out"), after(w.cluster, status(504, "Timeout", "request timed out")), after(w.cluster, status(500, "InternalError", "leader changed")),
		})
	default:
		return usual
	}
	w.note("cluster: %s shall %+v", what, f)
	return f
}

// cloudFate decides what becomes of a call to the cloud.
func (w *world) cloudFate(p *process, r *http.Request, body []byte) wire.Fate {
	w.mu.Lock()
	defer w.mu.Unlock()
	what := r.Header.Get("X-TC-Action")
	if what != "DescribeDBInstances" {
		w.asked++
	}
	d := w.dice("cloud", what+string(body))
	changes := !strings.HasPrefix(what, "Describe")
	if f, ok := w.killed(p, d, changes, what); ok {
		return f
	}
	var f wire.Fate
	switch {
	case w.calm:
		return f
	case w.inside(w.plan.cloudDown):
		f = wire.Fate{Delay: time.Second, Lost: true}
	case d.Float64() < w.plan.cloudTrouble:
		f = trouble(d, []http.Handler{badGateway, after(w.cloud, badGateway), nothing, after(w.cloud, nothing)})
	default:
		return f
	}
	w.note("cloud: %s %s shall %+v", what, body, f)
	return f
}

// killed tells whether this is the write at which its sender dies: just before it
// leaves, or just after it took effect.
func (w *world) killed(p *process, d *rand.Rand, write bool, what string) (wire.Fate, bool) {
	if !write {
		return wire.Fate{}, false
	}
	w.writes++
	if w.calm || !slices.Contains(w.plan.killSteps, w.writes) {
		return wire.Fate{}, false
	}
	f := wire.Fate{Lost: d.IntN(2) == 0}
	w.note("--- killed at %s, lost: %v", what, f.Lost)
	p.kill()
	return f, true
}

func (w *world) inside(windows []window) bool {
	return slices.ContainsFunc(windows, func(x window) bool { return x.has(time.Since(w.began)) })
}

func some(d *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(d.Int64N(int64(most)))
}

// trouble is a request that goes wrong, in one of the usual ways or by an answer.
func trouble(d *rand.Rand, answers []http.Handler) wire.Fate {
	switch d.IntN(8) {
	case 0:
		return wire.Fate{Lost: true}
	case 1:
		return wire.Fate{Unheard: true}
	case 2:
		return wire.Fate{Delay: some(d, 40*time.Second)}
	case 3:
		return wire.Fate{Late: some(d, 40*time.Second)}
	case 4:
		return wire.Fate{Hung: true}
	case 5:
		return wire.Fate{Delay: some(d, 40*time.Second), Unheard: true}
	}
	return wire.Fate{Instead: answers[d.IntN(len(answers))]}
}

// streamFate is a watch that goes wrong.
func streamFate(d *rand.Rand) wire.Fate {
	switch d.IntN(6) {
	case 0, 1:
		return wire.Fate{Breaks: 1 + some(d, 5*time.Minute)}
	case 2:
		return wire.Fate{Silent: 1 + some(d, 2*time.Minute)}
	case 3:
		return wire.Fate{Instead: status(410, "Expired", "too old resource version")}
	case 4:
		return wire.Fate{Instead: status(500, "InternalError", "database is locked")}
	}
	return wire.Fate{Lost: true}
}

// status answers as an API server that is in trouble.
func status(code int, reason, message string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if code == 429 {
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":%q,"message":%q,"code":%d}`, reason, message, code)
	})
}

// after lets a request take effect and answers otherwise.
func after(effect, answer http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		effect.ServeHTTP(httptest.NewRecorder(), r)
		answer.ServeHTTP(w, r)
	})
}

var (
	badGateway http.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprint(w, "<html><body><h1>502 Bad Gateway</h1></body></html>")
	})
	nothing http.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
)

// learnSecrets takes down the passwords that are written; w.mu is held.
func (w *world) learnSecrets(path string, body []byte) {
	if !strings.Contains(path, "/secrets") {
		return
	}
	var s struct{ Data map[string]string }
	if json.Unmarshal(body, &s) != nil {
		return
	}
	if p, err := base64.StdEncoding.DecodeString(s.Data["password"]); err == nil && len(p) > 0 {
		w.secrets[string(p)] = true
	}
}
