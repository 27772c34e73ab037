package measure

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"example.com/mote/testbed/bench/dataset"
)

// Changer changes the spec of the dataset's first objects, in turn: the deletion
// policy goes from Isolate to Retain and back, which makes a new generation and
// asks nothing of the cloud. It remembers what it did, so one serves all contenders.
type Changer struct {
	api     *dataset.API
	objects int
	next    int
	retain  []bool
}

// NewChanger changes the first n objects.
func NewChanger(a *dataset.API, n int) *Changer {
	return &Changer{api: a, objects: n, retain: make([]bool, n)}
}

// step is the next change, ready to be sent.
func (c *Changer) step() (path string, body map[string]any) {
	i := c.next % c.objects
	c.next++
	c.retain[i] = !c.retain[i]
	policy := "Isolate"
	if c.retain[i] {
		policy = "Retain"
	}
	return dataset.Path(i), map[string]any{"spec": map[string]any{"deletionPolicy": policy}}
}

// tries is how often a change is sent: an API server with too little of the machine
// may let one time out, and the same patch again does no harm.
const tries = 3

func (c *Changer) send(ctx context.Context, path string, body any) (err error) {
	for range tries {
		if err = c.api.Do(ctx, http.MethodPatch, path, body, nil); err == nil {
			return nil
		}
	}
	return err
}

// steadily sends rate changes a second until stop is closed or d is over, whether or
// not the earlier ones have been answered, and returns how many were made. When ctx
// ends, those under way are given up.
func (c *Changer) steadily(ctx context.Context, stop <-chan struct{}, rate int, d time.Duration) (int, error) {
	var sending sync.WaitGroup
	var mu sync.Mutex
	var failed error
	sent := 0
	began := time.Now()
	for n := 0; time.Since(began) < d; n++ {
		select {
		case <-time.After(time.Until(began.Add(time.Duration(n) * time.Second / time.Duration(rate)))):
		case <-ctx.Done():
			d = 0
			continue
		case <-stop:
			d = 0
			continue
		}
		path, body := c.step()
		sending.Go(func() {
			err := c.send(ctx, path, body)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = fmt.Errorf("change an object: %w", err)
			} else {
				sent++
			}
		})
	}
	sending.Wait()
	return sent, failed
}
