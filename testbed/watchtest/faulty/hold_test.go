package faulty

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// counter is a server that remembers the bodies that reached it.
func counter(t *testing.T) (*Proxy, chan string) {
	got := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		got <- string(body)
		fmt.Fprintf(w, "done %s", body)
	}))
	transport := &http.Transport{}
	p, err := Start(server.URL, transport)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Close()
		transport.CloseIdleConnections()
		server.Close()
	})
	return p, got
}

// post sends a body, and tells what came back.
func post(t *testing.T, ctx context.Context, p *Proxy, body string) chan string {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	out := make(chan string, 1)
	go func() {
		answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
		if err != nil {
			out <- "error"
			return
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil && !errors.Is(err, io.EOF) {
			text = []byte("error")
		}
		out <- string(text)
	}()
	return out
}

func about(word string) func(*http.Request, []byte) bool {
	return func(_ *http.Request, body []byte) bool { return strings.Contains(string(body), word) }
}

func TestHoldBefore(t *testing.T) {
	p, got := counter(t)
	h := &Hold{Which: about("one")}
	p.Hold(h)
	one := post(t, t.Context(), p, "one")
	<-h.Held()
	if answer := <-post(t, t.Context(), p, "two"); answer != "done two" || <-got != "two" {
		t.Errorf("another request: %q", answer)
	}
	if answer := <-post(t, t.Context(), p, "one more"); answer != "done one more" || <-got != "one more" {
		t.Errorf("a second request of the sort: %q", answer)
	}
	if len(got) != 0 {
		t.Error("it was passed on before its release")
	}
	h.Release()
	if answer := <-one; answer != "done one" || <-got != "one" {
		t.Errorf("once released: %q", answer)
	}
}

// A request that was held when its client went never reaches the server.
func TestHoldBeforeAndGone(t *testing.T) {
	p, got := counter(t)
	h := &Hold{Which: about("one")}
	p.Hold(h)
	ctx, leave := context.WithCancel(t.Context())
	one := post(t, ctx, p, "one")
	<-h.Held()
	leave()
	if answer := <-one; answer != "error" {
		t.Errorf("answered %q", answer)
	}
	p.Close() // when all requests are over
	if len(got) != 0 {
		t.Errorf("%q was passed on", <-got)
	}
}

func TestHoldAfter(t *testing.T) {
	p, got := counter(t)
	h := &Hold{Which: about("one"), After: true}
	p.Hold(h)
	one := post(t, t.Context(), p, "one")
	<-h.Held()
	if len(got) != 1 || len(one) != 0 {
		t.Errorf("the server got %d requests, the client %d answers", len(got), len(one))
	}
	p.DropHolds()
	h.Release()
	if answer := <-one; answer != "done one" {
		t.Errorf("once released: %q", answer)
	}
}

func TestDropHolds(t *testing.T) {
	p, got := counter(t)
	p.Hold(&Hold{Which: about("one")})
	p.DropHolds()
	if answer := <-post(t, t.Context(), p, "one"); answer != "done one" || <-got != "one" {
		t.Errorf("%q", answer)
	}
}
