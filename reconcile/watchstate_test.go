package reconcile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var things = schema.GroupResource{Group: "example.com", Resource: "things"}

// answers are what an API server, or what stands before it, may say no with.
var answers = map[string]error{
	"expired":        apierrors.NewResourceExpired("too old resource version"),
	"gone":           &apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusGone, Reason: metav1.StatusReasonGone}},
	"410, bare":      apierrors.NewGenericServerResponse(http.StatusGone, "get", things, "", "", 0, true),
	"not found":      apierrors.NewNotFound(things, ""),
	"404, a page":    apierrors.NewGenericServerResponse(http.StatusNotFound, "get", things, "", "404 page not found", 0, true),
	"forbidden":      apierrors.NewForbidden(things, "", errors.New("no RBAC")),
	"unauthorized":   apierrors.NewUnauthorized("token has expired"),
	"bad request":    apierrors.NewBadRequest("field label not supported: spec.site"),
	"invalid":        apierrors.NewInvalid(schema.GroupKind{Kind: "Thing"}, "", nil),
	"internal":       apierrors.NewInternalError(errors.New("database is locked")),
	"500, bare":      apierrors.NewGenericServerResponse(http.StatusInternalServerError, "get", things, "", "", 0, true),
	"502, HTML":      apierrors.NewGenericServerResponse(http.StatusBadGateway, "get", things, "", "<html>", 0, true),
	"unavailable":    apierrors.NewServiceUnavailable("starting"),
	"timeout":        apierrors.NewTimeoutError("too slow", 0),
	"504, bare":      apierrors.NewGenericServerResponse(http.StatusGatewayTimeout, "get", things, "", "", 0, true),
	"server timeout": apierrors.NewServerTimeout(things, "list", 7),
	"429, for 20 s":  apierrors.NewTooManyRequests("slow down", 20),
	"429, for ever":  apierrors.NewTooManyRequests("slow down", 1<<30),
	"too large": &apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusGatewayTimeout, Reason: metav1.StatusReasonTimeout,
		Details: &metav1.StatusDetails{RetryAfterSeconds: 1, Causes: []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}}}},
	"wrapped":      fmt.Errorf("list: %w", apierrors.NewResourceExpired("too old")),
	"no route":     errors.New("dial tcp: connection refused"),
	"out of time":  fmt.Errorf("page: %w", http.ErrHandlerTimeout),
	"odd event":    errors.New("event ADDED carries a *v1.Status"),
	"decode error": apierrors.FromObject(apierrors.NewClientErrorReporter(500, "GET", "ClientWatchDecoding").AsObject(errors.New("unable to decode"))),
}

// Every state that differs to next, and every outcome there is in it.
func TestWatchStateTable(t *testing.T) {
	p := usualPace
	// What becomes of a state by an answer, whatever the mode.
	type effect struct {
		anew   bool          // a list begins
		wait   time.Duration // with no jitter, after the first failure
		reason string
	}
	again := effect{wait: time.Second, reason: reasonFailed}
	expired := effect{anew: true, reason: reasonExpired}
	missing := effect{anew: true, wait: 5 * time.Second, reason: reasonMissing}
	refused := effect{anew: true, wait: 30 * time.Second, reason: reasonRefused}
	effects := map[string]effect{
		"expired": expired, "gone": expired, "410, bare": expired, "wrapped": expired,
		"not found": missing, "404, a page": missing,
		"forbidden":    {wait: 30 * time.Second, reason: reasonForbidden},
		"unauthorized": {wait: 30 * time.Second, reason: reasonUnauthorized},
		"bad request":  refused, "invalid": refused,
		"internal": again, "500, bare": again, "502, HTML": again, "unavailable": again, "timeout": again, "504, bare": again,
		"no route": again, "out of time": again, "odd event": again, "decode error": again, "too large": again,
		"server timeout": {wait: 7 * time.Second, reason: reasonFailed},
		"429, for 20 s":  {wait: 20 * time.Second, reason: reasonFailed},
		"429, for ever":  {wait: 5 * time.Minute, reason: reasonFailed},
	}
	if len(effects) != len(answers) {
		t.Fatalf("%d answers, and what becomes of %d of them", len(answers), len(effects))
	}
	noStream := map[string]bool{"forbidden": true, "bad request": true, "invalid": true}
	states := map[string]watchState{
		"the start":                   {},
		"within a list":               {continueToken: "token"},
		"within a repair":             {continueToken: "token", resourceVersion: "100", age: time.Hour},
		"a streamed start":            {mode: streaming},
		"a streamed repair":           {mode: streaming, resourceVersion: "100", age: time.Hour},
		"watching":                    {mode: watching, resourceVersion: "100", due: 10 * time.Hour},
		"watching, streams refused":   {mode: watching, resourceVersion: "100", due: 10 * time.Hour, paged: 3},
		"watching, and a list due":    {mode: watching, resourceVersion: "100", due: time.Hour, age: time.Hour},
		"watching after two silences": {mode: watching, resourceVersion: "100", due: 10 * time.Hour, silences: 2},
	}
	for sName, s := range states {
		for aName, err := range answers {
			for _, progressed := range []bool{false, true} {
				for _, p.stream = range []bool{false, true} {
					list := func(s watchState) watchState { // as a list begins
						s.mode, s.continueToken = listing, ""
						if p.stream && s.paged == 0 {
							s.mode = streaming
						}
						return s
					}
					o := outcome{err: err, brief: true}
					e := effects[aName]
					want := s
					if s.mode == watching {
						o.resourceVersion = "100"
						if o.progressed = progressed; progressed {
							o.resourceVersion, want.resourceVersion, want.silences = "150", "150", 0
						}
					}
					switch {
					case s.mode == streaming && noStream[aName]: // pages, at once and for some time
						want.mode, want.paged = listing, 4
						e = effect{}
					case s.mode != watching && s.resourceVersion != "": // a repair that fails harms nothing
						want.mode, want.continueToken = watching, ""
						if s.mode == streaming && aName != "not found" && aName != "404, a page" && aName != "unauthorized" {
							want.paged = 1
						}
						e = effect{wait: time.Second, reason: reasonUnrepaired}
					default:
						want.failures = 1
						if e.reason == reasonExpired {
							want.expiries = 1
						}
						if s.mode == streaming && e.reason != reasonMissing && e.reason != reasonUnauthorized {
							want.mode, want.paged = listing, 1
						}
						if e.anew {
							want.resourceVersion = ""
							want = list(want)
						}
						if s.mode == watching && want.mode == watching && s.age >= s.due {
							want = list(want)
						}
					}
					want.age = s.age + e.wait
					got, v := s.next(o, p, 0)
					if got != want || v != (verdict{e.wait, e.reason}) {
						t.Errorf("%s, %s (progressed: %v, streams: %v):\n got %+v, %+v\nwant %+v, %+v", sName, aName, progressed, p.stream, got, v, want, verdict{e.wait, e.reason})
					}
				}
			}
		}
	}
}

// What goes well, and what comes without an error.
func TestWatchStateWithoutErrors(t *testing.T) {
	p := usualPace
	p.stream = true
	const due, later = 4*time.Hour + 30*time.Minute, 10 * time.Hour
	for _, c := range []struct {
		name string
		s    watchState
		o    outcome
		want watchState
		v    verdict
	}{
		{"a page of several", watchState{failures: 3}, outcome{continueToken: "t1", resourceVersion: "9"},
			watchState{continueToken: "t1"}, verdict{}},
		{"another", watchState{continueToken: "t1", expiries: 1}, outcome{continueToken: "t2", resourceVersion: "9"},
			watchState{continueToken: "t2", expiries: 1}, verdict{}},
		{"the last page", watchState{continueToken: "t2", failures: 2, expiries: 1, silences: 3}, outcome{resourceVersion: "9"},
			watchState{mode: watching, resourceVersion: "9", expiries: 1, silences: 3, due: due}, verdict{}},
		{"a list of one page", watchState{}, outcome{resourceVersion: "9"},
			watchState{mode: watching, resourceVersion: "9", due: due}, verdict{}},
		{"a page of a repair", watchState{resourceVersion: "8", age: time.Hour}, outcome{continueToken: "t1", resourceVersion: "9", took: time.Second},
			watchState{continueToken: "t1", resourceVersion: "8", age: time.Hour + time.Second}, verdict{}},
		{"the last page of a repair", watchState{continueToken: "t1", resourceVersion: "8", age: time.Hour}, outcome{resourceVersion: "9"},
			watchState{mode: watching, resourceVersion: "9", due: due}, verdict{}},
		{"a list in place of a stream that was refused", watchState{paged: 4}, outcome{resourceVersion: "9"},
			watchState{mode: watching, resourceVersion: "9", due: due, paged: 3}, verdict{}},
		{"a streamed list", watchState{mode: streaming, failures: 2}, outcome{resourceVersion: "9"},
			watchState{mode: watching, resourceVersion: "9", due: due}, verdict{}},
		{"a streamed list that stalls", watchState{mode: streaming}, outcome{err: errHalf, silent: true, took: 10 * time.Second},
			watchState{paged: 4, age: 10 * time.Second}, verdict{reason: reasonStalled}},
		{"a streamed repair that stalls", watchState{mode: streaming, resourceVersion: "8"}, outcome{err: errHalf, silent: true},
			watchState{paged: 4, resourceVersion: "8"}, verdict{reason: reasonStalled}},
		{"a streamed list cut half way", watchState{mode: streaming}, outcome{err: errHalf},
			watchState{paged: 1, failures: 1, age: time.Second}, verdict{time.Second, reasonFailed}},
		{"a watch that stood and brought events", watchState{mode: watching, resourceVersion: "9", failures: 2, expiries: 2, silences: 1, due: later}, outcome{resourceVersion: "20", progressed: true, took: time.Hour},
			watchState{mode: watching, resourceVersion: "20", due: later, age: time.Hour}, verdict{}},
		{"a watch that stood and brought nothing", watchState{mode: watching, resourceVersion: "9", failures: 2, expiries: 2, due: later}, outcome{resourceVersion: "9"},
			watchState{mode: watching, resourceVersion: "9", due: later}, verdict{}},
		{"the last watch before a repair", watchState{mode: watching, resourceVersion: "9", due: later, age: 9 * time.Hour}, outcome{resourceVersion: "20", progressed: true, took: time.Hour},
			watchState{mode: streaming, resourceVersion: "20", due: later, age: later}, verdict{}},
		{"and where streams are refused", watchState{mode: watching, resourceVersion: "9", due: later, age: later, paged: 1}, outcome{resourceVersion: "20", progressed: true},
			watchState{resourceVersion: "20", due: later, age: later, paged: 1}, verdict{}},
		{"resourceVersions that go back", watchState{mode: watching, resourceVersion: "9", due: later}, outcome{resourceVersion: "9", err: errWentBack, brief: true},
			watchState{mode: streaming, failures: 1, expiries: 1, due: later}, verdict{reason: reasonWentBack}},
		{"a stream given up for its silence", watchState{mode: watching, resourceVersion: "9", due: later}, outcome{resourceVersion: "9", silent: true},
			watchState{mode: watching, resourceVersion: "9", silences: 1, due: later}, verdict{}},
		{"a second one", watchState{mode: watching, resourceVersion: "9", silences: 1, due: later}, outcome{resourceVersion: "9", silent: true},
			watchState{mode: streaming, resourceVersion: "9", silences: 2}, verdict{reason: reasonSilent}},
		{"a third one", watchState{mode: watching, resourceVersion: "9", silences: 2, due: later}, outcome{resourceVersion: "9", silent: true},
			watchState{mode: watching, resourceVersion: "9", silences: 3, due: later}, verdict{reason: reasonSilent}},
		{"a fourth one", watchState{mode: watching, resourceVersion: "9", silences: 3, due: later}, outcome{resourceVersion: "9", silent: true},
			watchState{mode: streaming, resourceVersion: "9", silences: 4}, verdict{reason: reasonSilent}},
		{"one that brought a little first", watchState{mode: watching, resourceVersion: "9", silences: 3, due: later}, outcome{resourceVersion: "12", progressed: true, silent: true},
			watchState{mode: watching, resourceVersion: "12", due: later}, verdict{}},
		{"a watch cut at once", watchState{mode: watching, resourceVersion: "9", due: later}, outcome{resourceVersion: "9", brief: true},
			watchState{mode: watching, resourceVersion: "9", failures: 1, due: later, age: time.Second}, verdict{wait: time.Second}},
		{"and again", watchState{mode: watching, resourceVersion: "9", failures: 2, due: later}, outcome{resourceVersion: "9", brief: true},
			watchState{mode: watching, resourceVersion: "9", failures: 3, due: later, age: 4 * time.Second}, verdict{4 * time.Second, reasonBrief}},
		{"and for ever", watchState{mode: watching, resourceVersion: "9", failures: 8, expiries: 1, due: later}, outcome{resourceVersion: "9", brief: true},
			watchState{mode: streaming, failures: 9, expiries: 1, due: later, age: 30 * time.Second}, verdict{30 * time.Second, reasonBrief}},
		{"a watch cut as soon as it brought something", watchState{mode: watching, resourceVersion: "9", failures: 5, expiries: 1, due: later}, outcome{resourceVersion: "20", progressed: true, brief: true},
			watchState{mode: watching, resourceVersion: "20", expiries: 1, due: later, age: time.Second}, verdict{wait: time.Second}},
	} {
		if got, v := c.s.next(c.o, p, 0); got != c.want || v != c.v {
			t.Errorf("%s:\n got %+v, %+v\nwant %+v, %+v", c.name, got, v, c.want, c.v)
		}
	}
}

// After how many failures in a row a watcher begins anew, by what answered.
func TestWatchStateStubbornness(t *testing.T) {
	for aName, anewAt := range map[string]int{
		"internal": 9, "timeout": 9, "too large": 9, "502, HTML": 9, "decode error": 9, "429, for 20 s": 9,
		"no route": 0, "out of time": 0, // that says nothing about the resourceVersion
		"forbidden": 0, "unauthorized": 0, // when it is allowed again, it goes on
	} {
		for _, s := range []watchState{{mode: watching, resourceVersion: "100", due: time.Hour}, {continueToken: "token"}} {
			began := 0
			for i := 1; i <= 20 && began == 0; i++ {
				s, _ = s.next(outcome{err: answers[aName], resourceVersion: s.resourceVersion, brief: true}, usualPace, 0.5)
				if s.mode == listing && s.continueToken == "" {
					began = i
				}
			}
			if began != anewAt {
				t.Errorf("%s: a list begins after %d failures, want %d", aName, began, anewAt)
			}
		}
	}
}

// Whatever comes in whatever order, a watcher that gets nowhere does not spin:
// of all it does, only pages and the first list after a watch that stood are
// without a wait.
func TestWatchStateNeverSpins(t *testing.T) {
	var errs []error
	for _, err := range answers {
		errs = append(errs, err)
	}
	ok := outcome{resourceVersion: "10"}
	brief := outcome{resourceVersion: "10", brief: true}
	progressed := outcome{resourceVersion: "11", brief: true, progressed: true}
	loops := map[string][]outcome{
		"each watch expires at once":                {ok, {err: answers["expired"], brief: true, resourceVersion: "10"}},
		"each watch expires after an event":         {ok, {err: answers["expired"], brief: true, resourceVersion: "11", progressed: true}},
		"each list expires on its way":              {{continueToken: "t"}, {err: answers["gone"], brief: true}},
		"each watch ends at once":                   {brief},
		"each watch ends after a bookmark":          {progressed},
		"each list is followed by a watch cut":      {ok, brief},
		"the list goes and the watch is not served": {ok, {err: answers["not found"], brief: true}},
		"the selector is refused":                   {{err: answers["bad request"]}},
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200 { // any loop of up to five
		var loop []outcome
		for range 1 + r.IntN(5) {
			switch r.IntN(4) {
			case 0:
				loop = append(loop, brief)
			case 1:
				loop = append(loop, progressed)
			default:
				loop = append(loop, outcome{err: errs[r.IntN(len(errs))], brief: true})
			}
		}
		loops[fmt.Sprint("random ", i)] = loop
	}
	for name, loop := range loops {
		for _, stream := range []bool{false, true} {
			p := usualPace
			p.stream = stream
			s := watchState{}.anew(p)
			var waited time.Duration
			steps := 0
			for range 100 {
				for _, o := range loop {
					if s.mode != watching && o.err == nil && o != ok && o.continueToken == "" || s.mode == streaming && o.continueToken != "" {
						s, _ = s.next(ok, p, r.Float64()) // what only a watch, or only pages, can bring: a list comes before it
						continue
					}
					before := s.mode
					var v verdict
					s, v = s.next(o, p, r.Float64())
					waited += v.wait
					if before != streaming || s.mode != listing { // pages in place of a stream may come at once
						steps++
					}
					if v.wait < 0 || v.wait > p.longest*5/4 {
						t.Fatalf("%s: a wait of %s", name, v.wait)
					}
				}
			}
			if least := time.Duration(steps/2-2) * 900 * time.Millisecond; waited < least {
				t.Errorf("%s (streams: %v): %d steps in %s", name, stream, steps, waited)
			}
		}
	}
}
