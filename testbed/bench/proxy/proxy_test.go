package proxy

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"k8s.io/client-go/rest"
)

// TestCounts: what goes through the proxy arrives unchanged and is counted.
func TestCounts(t *testing.T) {
	const body = "twenty-five bytes of body"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, body) }))
	defer server.Close()
	p, err := Start(t.TempDir(), &rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ca, err := os.ReadFile(p.CAFile)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	before := p.Counts()
	for range 3 {
		resp, err := client.Get(p.URL + "/apis/g/v1/namespaces/n/things/a")
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(got) != body {
			t.Fatalf("got %q", got)
		}
	}
	c := p.Counts().Since(before)
	if c.Requests != 3 || c.By["get things"] != 3 || c.Bytes < 3*int64(len(body)) {
		t.Errorf("counted %+v", c)
	}
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct{ method, url, want string }{
		{"GET", "/apis/g/v1/things?limit=1", "list things"},
		{"GET", "/apis/g/v1/things?watch=true", "watch things"},
		{"GET", "/apis/g/v1/namespaces/n/things?watch=1", "watch things"},
		{"GET", "/apis/g/v1/namespaces/n/things/a", "get things"},
		{"PATCH", "/apis/g/v1/namespaces/n/things/a/status", "patch things/status"},
		{"GET", "/api/v1/namespaces/n/secrets/s", "get secrets"},
		{"PUT", "/apis/coordination.k8s.io/v1/namespaces/n/leases/mote", "put leases"},
		{"GET", "/apis/g/v1", "discover"},
		{"GET", "/version", "discover"},
	} {
		r := httptest.NewRequest(c.method, c.url, nil)
		if got := describe(r); got != c.want {
			t.Errorf("%s %s is %q, want %q", c.method, c.url, got, c.want)
		}
	}
}
