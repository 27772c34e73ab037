package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// Only who calls from the same machine, and says so, gets an explanation.
func TestExplanationsAreLocal(t *testing.T) {
	e := &explainer{}
	for _, c := range []struct {
		from, host, path string
		want             int
	}{
		{"10.0.0.7:4711", "localhost:8080", "/explain/pgdb/shop/orders", http.StatusForbidden},
		{"127.0.0.1:4711", "mote.example.com", "/explain/pgdb/shop/orders", http.StatusForbidden},
		{"127.0.0.1:4711", "10.0.0.7:8080", "/explain/pgdb/shop/orders", http.StatusForbidden},
		{"", "localhost", "/explain/pgdb/shop/orders", http.StatusForbidden},
		{"127.0.0.1:4711", "localhost:8080", "/explain/pods/shop/orders", http.StatusNotFound},
		{"127.0.0.1:4711", "127.0.0.1:8080", "/explain/pgdb/orders", http.StatusNotFound},
		{"[::1]:4711", "[::1]:8080", "/explain/pgdb//orders", http.StatusNotFound},
		{"[::1]:4711", "localhost", "/explain/pgdb/shop/orders/x", http.StatusNotFound},
	} {
		r := httptest.NewRequest(http.MethodGet, c.path, nil)
		r.RemoteAddr, r.Host = c.from, c.host
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%+v: %d, %s", c, w.Code, w.Body)
		}
	}
}
