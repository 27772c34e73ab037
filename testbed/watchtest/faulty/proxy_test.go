package faulty

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
)

// lines is a server that answers with its query, then with a line for each word it
// is sent through the channel.
func lines(t *testing.T) (*Proxy, chan string) {
	words := make(chan string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.URL.Query().Encode())
		w.(http.Flusher).Flush()
		for {
			select {
			case <-r.Context().Done():
				return
			case word, ok := <-words:
				if !ok {
					return
				}
				fmt.Fprintln(w, word)
				w.(http.Flusher).Flush()
			}
		}
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
	return p, words
}

// reader is an answer under way.
type reader struct {
	*bufio.Reader
	t *testing.T
}

func ask(t *testing.T, ctx context.Context, address string) (*http.Response, reader) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer, reader{bufio.NewReader(answer.Body), t}
}

func (r reader) line(want string) {
	r.t.Helper()
	if got, err := r.ReadString('\n'); err != nil || strings.TrimSpace(got) != want {
		r.t.Fatalf("%q, %v; want %q", got, err, want)
	}
}

func (r reader) cut(want string) {
	r.t.Helper()
	if got, err := io.ReadAll(r); !errors.Is(err, io.ErrUnexpectedEOF) || string(got) != want {
		r.t.Fatalf("%q, %v; want %q and a cut", got, err, want)
	}
}

// struck waits until a fault has befallen something.
func struck(p *Proxy) {
	for p.Struck() == 0 {
		runtime.Gosched()
	}
}

func TestPasses(t *testing.T) {
	p, words := lines(t)
	_, r := ask(t, t.Context(), p.URL+"/?watch=1")
	r.line("watch=1")
	words <- "one"
	r.line("one")
	close(words)
	if rest, err := io.ReadAll(r); err != nil || len(rest) != 0 {
		t.Errorf("%q, %v", rest, err)
	}
	if p.Count(Watches) != 1 || p.Count(Lists) != 0 || p.Struck() != 0 {
		t.Error("counts")
	}
}

func TestHalf(t *testing.T) {
	p, words := lines(t)
	_, r := ask(t, t.Context(), p.URL)
	r.line("")
	p.Set(&Fault{Half: true})
	words <- "123456789"
	r.cut("12345")
	if p.Struck() != 1 {
		t.Errorf("struck %d times", p.Struck())
	}
}

func TestCut(t *testing.T) {
	p, _ := lines(t)
	_, r := ask(t, t.Context(), p.URL)
	r.line("")
	p.Cut()
	r.cut("")
}

func TestLoses(t *testing.T) {
	p, words := lines(t)
	_, r := ask(t, t.Context(), p.URL)
	r.line("")
	p.Set(&Fault{Lose: true})
	words <- "one"
	struck(p)
	p.Set(nil)
	words <- "two"
	r.line("two")
}

// What fell silent stays so; what comes later does not.
func TestSilent(t *testing.T) {
	p, words := lines(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, r := ask(t, ctx, p.URL)
	r.line("")
	p.Set(&Fault{Silent: true})
	words <- "one"
	struck(p)
	p.Set(nil)
	_, other := ask(t, t.Context(), p.URL)
	other.line("")
	cancel()
	if got, err := io.ReadAll(r); !errors.Is(err, context.Canceled) || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}

func TestEditsAndRefuses(t *testing.T) {
	p, _ := lines(t)
	p.Set(&Fault{Edit: func(q url.Values) { q.Set("limit", "2") }})
	_, r := ask(t, t.Context(), p.URL+"/?limit=250")
	r.line("limit=2")
	p.Set(&Fault{Which: Continued, Answer: Refuse(410, "Expired", 7)})
	_, r = ask(t, t.Context(), p.URL)
	r.line("")
	answer, _ := ask(t, t.Context(), p.URL+"/?continue=x")
	if answer.StatusCode != 410 || answer.Header.Get("Retry-After") != "7" {
		t.Error(answer)
	}
	p.Set(&Fault{Answer: BadGateway})
	if answer, _ = ask(t, t.Context(), p.URL); answer.StatusCode != 502 {
		t.Error(answer)
	}
}
