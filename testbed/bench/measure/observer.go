package measure

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"example.com/mote/testbed/bench/dataset"
)

// observer watches a kind and takes the time from the event that shows a new
// generation to the event that shows that generation in the status. Both come by
// the same stream, so what delays one delays the other.
type observer struct {
	stream io.ReadCloser
	ended  chan error

	mu      sync.Mutex
	changed map[string]change // by uid
	took    []time.Duration
	bought  map[string]bool // uids of the new objects that have an instance
}

type change struct {
	generation int64
	at         time.Time // zero: it was answered
}

// observe starts to watch all objects of a resource's path from now on.
func observe(ctx context.Context, a *dataset.API, path string) (*observer, error) {
	var list dataset.Object
	if err := a.Do(ctx, http.MethodGet, path+"?limit=1", nil, &list); err != nil {
		return nil, err
	}
	stream, err := a.Stream(ctx, path+"?watch=true&resourceVersion="+list.Metadata.ResourceVersion)
	if err != nil {
		return nil, err
	}
	o := &observer{stream: stream, ended: make(chan error, 1), changed: map[string]change{}, bought: map[string]bool{}}
	go o.read()
	return o, nil
}

func (o *observer) close() { o.stream.Close() }

func (o *observer) read() {
	lines := bufio.NewReaderSize(o.stream, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			o.ended <- err
			return
		}
		at := time.Now()
		var e struct {
			Type   string         `json:"type"`
			Object dataset.Object `json:"object"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			o.ended <- err
			return
		}
		if e.Type == "ERROR" {
			o.ended <- errors.New("the benchmark's own watch ended with an error event")
			return
		}
		o.see(e.Object, at)
	}
}

// see takes an event in.
func (o *observer) see(e dataset.Object, at time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m := e.Metadata
	if m.Namespace == dataset.NewSpace && e.Status.InstanceID != "" {
		o.bought[m.UID] = true
	}
	c, known := o.changed[m.UID]
	if known && m.Generation < c.generation {
		return
	}
	answered := e.Status.ObservedGeneration >= m.Generation
	switch {
	case !answered && (!known || m.Generation > c.generation):
		o.changed[m.UID] = change{m.Generation, at}
	case answered && known && !c.at.IsZero():
		o.took = append(o.took, at.Sub(c.at))
		o.changed[m.UID] = change{generation: m.Generation}
	}
}

// times are those taken so far.
func (o *observer) times() []time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]time.Duration{}, o.took...)
}

// instances is how many new objects have one.
func (o *observer) instances() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.bought)
}
