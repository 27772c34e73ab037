package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// probeLimit bounds each request.
const probeLimit = 10 * time.Second

// mostBytes bounds an answer in memory.
const mostBytes = 8 << 20

// server asks the API server. It only reads: a review of access is a question,
// although it is POSTed.
type server struct {
	client *http.Client
	base   *url.URL
	clock  *Dates
}

// newServer makes a server of a configuration; nothing is asked yet.
func newServer(config *rest.Config, clock *Dates) (*server, error) {
	config = rest.CopyConfig(config)
	config.Wrap(clock.Wrap)
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	base, _, err := rest.DefaultServerURL(config.Host, "", schema.GroupVersion{}, rest.IsConfigTransportTLS(*config))
	if err != nil {
		return nil, err
	}
	return &server{client, base, clock}, nil
}

// refusal is an answer that says no.
type refusal struct {
	code    int
	message string
}

func (r refusal) Error() string { return fmt.Sprintf("HTTP %d: %s", r.code, r.message) }

// answered is the HTTP code of an answer that says no, or 0.
func answered(err error) int {
	var r refusal
	errors.As(err, &r)
	return r.code
}

func (s *server) get(ctx context.Context, path string, query url.Values, out any) error {
	return s.ask(ctx, http.MethodGet, path, query, nil, out)
}

func (s *server) ask(ctx context.Context, method, path string, query url.Values, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	at := s.base.JoinPath(path)
	at.RawQuery = query.Encode()
	var sent io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, at.String(), sent)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return plain(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, mostBytes))
	if err != nil {
		return plain(err)
	}
	if answer.StatusCode/100 != 2 {
		var status metav1.Status
		if json.Unmarshal(data, &status) != nil || status.Message == "" {
			status.Message = http.StatusText(answer.StatusCode)
		}
		return refusal{answer.StatusCode, status.Message}
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("the answer to %s cannot be read: %w", path, err)
	}
	return nil
}

// plain is an error of the network without the request's URL, and in words when it
// is our own limit.
func plain(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("nothing came within %s", probeLimit)
	}
	return err
}

// Dates notes the clock of whoever answers, by the Date of their answers.
type Dates struct {
	mu    sync.Mutex
	ahead time.Duration
	known bool
}

// Wrap puts it under a transport.
func (d *Dates) Wrap(base http.RoundTripper) http.RoundTripper { return noting{base, d} }

// clock is what was noted.
func (d *Dates) clock(whose string) Clock {
	d.mu.Lock()
	defer d.mu.Unlock()
	return Clock{whose, d.ahead, d.known}
}

type noting struct {
	base  http.RoundTripper
	dates *Dates
}

// RoundTrip is http.RoundTripper's.
func (n noting) RoundTrip(r *http.Request) (*http.Response, error) {
	began := time.Now()
	answer, err := n.base.RoundTrip(r)
	if err != nil {
		return answer, err
	}
	if date, e := http.ParseTime(answer.Header.Get("Date")); e == nil {
		n.dates.mu.Lock()
		defer n.dates.mu.Unlock()
		// A Date was made between the two, and has lost up to a second.
		n.dates.ahead, n.dates.known = off(date, began, time.Now()), true
	}
	return answer, nil
}

// off is how far a time that somebody else stated, cut to a second, is surely before or
// after ours, in which it was made between two moments; 0 when it may be the same.
func off(date, began, ended time.Time) time.Duration {
	switch {
	case date.After(ended):
		return date.Sub(ended)
	case date.Add(time.Second).Before(began):
		return date.Add(time.Second).Sub(began)
	}
	return 0
}
