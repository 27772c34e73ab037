package measure

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	close context.CancelFunc
	ended chan error // why it stopped

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
	ctx, cancel := context.WithCancel(ctx)
	o := &observer{close: cancel, ended: make(chan error, 1), changed: map[string]change{}, bought: map[string]bool{}}
	go func() {
		o.ended <- follow(ctx, a, path, list.Metadata.ResourceVersion, o.see)
	}()
	return o, nil
}

// follow reads one watch after the other: the API server ends one that it thinks
// too slow, and the next goes on from the version last seen. see is called with each
// event's object and when it came.
func follow(ctx context.Context, a *dataset.API, path, version string, see func(dataset.Object, time.Time)) error {
	for {
		stream, err := a.Stream(ctx, path+"?watch=true&resourceVersion="+version)
		if err != nil {
			return fmt.Errorf("the benchmark's own watch: %w", err)
		}
		version, err = read(stream, version, see)
		stream.Close()
		if !errors.Is(err, io.EOF) {
			return fmt.Errorf("the benchmark's own watch: %w", err)
		}
	}
}

// read takes the events of one watch until it ends, and returns the version last
// seen and why it ended: io.EOF when it did so in order.
func read(stream io.Reader, version string, see func(dataset.Object, time.Time)) (string, error) {
	lines := bufio.NewReaderSize(stream, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return version, err
		}
		at := time.Now()
		var e struct {
			Type   string         `json:"type"`
			Object dataset.Object `json:"object"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return version, err
		}
		if e.Type == "ERROR" {
			return version, fmt.Errorf("it ended with %s", line)
		}
		version = e.Object.Metadata.ResourceVersion
		see(e.Object, at)
	}
}

// see takes an event in.
func (o *observer) see(e dataset.Object, at time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m := e.Metadata
	if m.Namespace == dataset.NewSpace { // not one of those that are changed
		if e.Status.InstanceID != "" {
			o.bought[m.UID] = true
		}
		return
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
