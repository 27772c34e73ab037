package reconcile

import (
	"net/http"
	"strings"
)

// Narrow bounds how many requests of the API server are under way at once; the
// others wait for their turn, or until their context ends. Hundreds of turns may wait
// for a slow cloud at once; a k3s node's API server on SQLite should not see hundreds
// of requests because of that. Watches, which stay open, do not count. It is for
// rest.Config.Wrap.
func Narrow(atOnce int) func(http.RoundTripper) http.RoundTripper {
	places := make(chan struct{}, max(atOnce, 1))
	return func(rt http.RoundTripper) http.RoundTripper { return narrow{rt, places} }
}

type narrow struct {
	http.RoundTripper
	places chan struct{}
}

// WrappedRoundTripper lets client-go look through.
func (n narrow) WrappedRoundTripper() http.RoundTripper { return n.RoundTripper }

// RoundTrip is http.RoundTripper's. A place is given back with the answer's head; its
// body of a few kB is on its way by then.
func (n narrow) RoundTrip(q *http.Request) (*http.Response, error) {
	if strings.Contains(q.URL.RawQuery, "watch=true") {
		return n.RoundTripper.RoundTrip(q)
	}
	select {
	case n.places <- struct{}{}:
	case <-q.Context().Done():
		if q.Body != nil {
			q.Body.Close() // as a RoundTripper must
		}
		return nil, q.Context().Err()
	}
	defer func() { <-n.places }()
	return n.RoundTripper.RoundTrip(q)
}
