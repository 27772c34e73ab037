package reconcile

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"example.com/mote/metric"
)

// secretPatience is how long a reader waits for the first list.
const secretPatience = 10 * time.Second

// SecretWatch follows one Secret by its name, so that it needs rights for no other.
// What it saw last stands while the API server cannot be reached; it does not stand
// when the Secret is gone, or may not be read any more.
type SecretWatch struct {
	watcher *watcher
	secret  Key
	whole   chan struct{} // closed when the first list is whole
	once    sync.Once

	mu    sync.Mutex
	data  map[string]string // never changed, but replaced; nil: there is no such Secret
	found bool              // the list under way has shown it
}

// NewSecretWatch makes a watch of one Secret; Run starts it.
func NewSecretWatch(client dynamic.Interface, namespace, name string, log *slog.Logger) *SecretWatch {
	s := &SecretWatch{secret: Key{namespace, name}, whole: make(chan struct{})}
	s.watcher = &watcher{
		resource: client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"}), what: "secrets", sink: s,
		sel: Selection{Namespace: namespace, FieldSelector: "metadata.name=" + name},
		log: log.With("kind", "Credentials"), synced: func() { s.once.Do(func() { close(s.whole) }) }, pace: usualPace, random: rand.Float64,
	}
	return s
}

// Run watches until ctx ends.
func (s *SecretWatch) Run(ctx context.Context) { s.watcher.run(ctx) }

// Read is the Secret's data as it was seen last, white space around values taken
// off; it must not be changed. While nothing was seen yet, it waits up to ten
// seconds, unless there is trouble to tell of. Any goroutine may call it.
func (s *SecretWatch) Read(ctx context.Context) (map[string]string, error) {
	reason := s.wait(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case reason == reasonForbidden:
		return nil, fmt.Errorf("the credentials Secret %s: not allowed to list and watch it by its name: check the ServiceAccount's RBAC", s.secret)
	case s.data != nil:
		return s.data, nil
	case reason != "":
		return nil, fmt.Errorf("the credentials Secret %s was not read yet: %s", s.secret, reason)
	}
	return nil, fmt.Errorf("there is no credentials Secret %s", s.secret)
}

// wait waits for the first list or for trouble, and tells the trouble.
func (s *SecretWatch) wait(ctx context.Context) (reason string) {
	limit := time.NewTimer(secretPatience)
	defer limit.Stop()
	glance := time.NewTicker(secretPatience / 100)
	defer glance.Stop()
	for {
		if reason, _ = s.watcher.trouble.get(); reason != "" {
			return reason
		}
		select {
		case <-s.whole:
			return ""
		case <-limit.C:
			return "the API server does not answer"
		case <-ctx.Done():
			return ctx.Err().Error()
		case <-glance.C:
		}
	}
}

// The sink of the watch.

func (s *SecretWatch) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found = false
}

func (s *SecretWatch) seen(u *unstructured.Unstructured, _ []byte, _ bool) {
	if u.GetName() != s.secret.Name {
		return
	}
	data := map[string]string{}
	raw, _, _ := unstructured.NestedStringMap(u.Object, "data")
	for k, v := range raw {
		if b, err := base64.StdEncoding.DecodeString(v); err == nil {
			data[k] = strings.TrimSpace(string(b))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data, s.found = data, true
}

func (s *SecretWatch) left(u *unstructured.Unstructured) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.GetName() == s.secret.Name {
		s.data = nil
	}
}

func (s *SecretWatch) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.found {
		s.data = nil
	}
}

// Metrics puts what the watch counts on the page.
func (s *SecretWatch) Metrics(p *metric.Page) { s.watcher.metrics(p, "Credentials") }

// Alive tells whether the watch moves.
func (s *SecretWatch) Alive(tell func(check, trouble string, since time.Time)) {
	s.watcher.alive("Credentials", tell)
}

// Ready tells whether the watch is in order. That there is no such Secret is told on
// the objects that wait for it.
func (s *SecretWatch) Ready(tell func(check, trouble string, since time.Time)) {
	s.watcher.ready("Credentials", tell)
}
