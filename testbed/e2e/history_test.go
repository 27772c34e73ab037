package e2e

import (
	"context"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// history is every state that an object has been in since a moment, by a watch.
type history struct {
	mu     sync.Mutex
	states []state
	err    error
}

// follow begins a history with the object as it is.
func (s *site) follow(r schema.GroupVersionResource, name string) *history {
	s.t.Helper()
	u := s.get(r, name)
	h := &history{states: []state{stateOf(u)}}
	ctx, cancel := context.WithCancel(context.Background())
	w, err := s.client.Resource(r).Namespace(s.ns).Watch(ctx, metav1.ListOptions{
		FieldSelector: "metadata.name=" + name, ResourceVersion: u.GetResourceVersion()})
	if err != nil {
		cancel()
		s.t.Fatal(err)
	}
	over := make(chan struct{})
	s.t.Cleanup(func() {
		cancel()
		<-over
	})
	go func() {
		defer close(over)
		for e := range w.ResultChan() {
			u, ok := e.Object.(*unstructured.Unstructured)
			h.mu.Lock()
			if ok && e.Type != "ERROR" {
				h.states = append(h.states, stateOf(u))
			} else if h.err == nil {
				h.err = fmt.Errorf("the watch says %s %v", e.Type, e.Object)
			}
			h.mu.Unlock()
		}
	}()
	return h
}

// upTo waits until the history has reached a version, and returns what it holds.
func (h *history) upTo(s *site, version string) []state {
	s.t.Helper()
	var out []state
	s.eventually("the watch has seen version "+version, func() error {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.err != nil {
			return fatal{h.err}
		}
		out = append([]state{}, h.states...)
		for _, st := range out {
			if st.version == version {
				return nil
			}
		}
		return fmt.Errorf("not among %d states", len(out))
	})
	return out
}
