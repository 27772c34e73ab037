package faulty

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Fault is what befalls requests while it is set. The parts that can be combined
// are: Which, Delay, Edit, and one of the rest.
type Fault struct {
	Which func(*http.Request) bool // nil: every request
	Delay time.Duration            // before it is passed on
	Edit  func(url.Values)         // changes the query

	Answer http.HandlerFunc // answers in place of the server
	Half   bool             // of the next piece of an answer half is passed on, then the connection is cut
	Silent bool             // nothing more is ever passed on, and nothing is closed
	Lose   bool             // pieces of answers are left out
}

func (f *Fault) strikes(r *http.Request) bool { return f != nil && (f.Which == nil || f.Which(r)) }

// Watches are requests for a stream; those with which a list begins too.
func Watches(r *http.Request) bool { return r.URL.Query().Get("watch") != "" }

// Lists are requests for a page.
func Lists(r *http.Request) bool { return r.Method == http.MethodGet && !Watches(r) }

// Continued are requests for a page that is not the first.
func Continued(r *http.Request) bool { return Lists(r) && r.URL.Query().Get("continue") != "" }

// Streamed are requests for a stream that begins with a list.
func Streamed(r *http.Request) bool { return r.URL.Query().Get("sendInitialEvents") == "true" }

// Refuse answers as an API server does; retryAfter in seconds, 0: none.
func Refuse(code int, reason string, retryAfter int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if retryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		json.NewEncoder(w).Encode(map[string]any{"apiVersion": "v1", "kind": "Status", "status": "Failure",
			"code": code, "reason": reason, "message": "the faulty proxy says so"})
	}
}

// BadGateway answers as a proxy whose server is away does.
func BadGateway(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "<html>Bad Gateway</html>", http.StatusBadGateway)
}
