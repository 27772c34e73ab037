package measure

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"example.com/mote/testbed/bench/contender"
	"example.com/mote/testbed/bench/dataset"
	"example.com/mote/testbed/bench/proc"
	"example.com/mote/testbed/bench/proxy"
)

// Apps is how a contender brings up many apps that are made as fast as the API
// server takes them.
type Apps struct {
	Apps    int          `json:"apps"`
	Made    float64      `json:"made"`    // seconds until the last app was made, by the benchmark
	Seconds float64      `json:"seconds"` // until all said that they run
	CPU     float64      `json:"cpu"`     // CPU-seconds until then
	Before  int64        `json:"before"`  // bytes of memory held with no app at all
	Peak    int64        `json:"peak"`    // the most bytes ever held
	Taken   proxy.Counts `json:"taken"`   // from the API server, until the contender had come to rest
}

const apps = "/apis/example.com/v1/myapps"

// appsLimit is the longest that the apps may take.
const appsLimit = 10 * time.Minute

// BringingUp makes n apps and waits until each says that it runs. Deployments are
// rolled out at once by the benchmark itself.
func BringingUp(ctx context.Context, p *contender.Process, a *dataset.API, n int, taken func() proxy.Counts, progress func(done int)) (Apps, error) {
	m := Apps{Apps: n}
	ctx, cancel := context.WithTimeoutCause(ctx, appsLimit, fmt.Errorf("not all apps run %s after the first was made", appsLimit))
	defer cancel()
	u, err := proc.Read(p.PID())
	if err != nil {
		return m, err
	}
	m.Before = u.RSS
	cpu := u.CPU
	ended := make(chan error, 3)
	run := &runs{seen: map[string]bool{}}
	if err := watching(ctx, a, apps, run.see, ended); err != nil {
		return m, err
	}
	rolling := &rollouts{ctx: ctx, api: a, ended: ended, free: make(chan struct{}, rollers)}
	if err := watching(ctx, a, deployments, rolling.see, ended); err != nil {
		return m, err
	}
	counts, began := taken(), time.Now()
	made := make(chan float64, 1)
	go func() {
		if err := dataset.CreateApps(ctx, a, n); err != nil {
			ended <- err
			return
		}
		made <- time.Since(began).Seconds()
	}()
	for run.count() < n {
		select {
		case err := <-ended:
			return m, err
		default:
		}
		if err := p.Wait(ctx, 50*time.Millisecond); err != nil {
			if context.Cause(ctx) != nil {
				err = context.Cause(ctx)
			}
			return m, fmt.Errorf("%d of %d apps run: %w", run.count(), n, err)
		}
		progress(run.count())
	}
	m.Seconds, m.Made = time.Since(began).Seconds(), <-made
	if u, err = proc.Read(p.PID()); err != nil {
		return m, err
	}
	m.CPU = (u.CPU - cpu).Seconds()
	if _, u, err = settle(ctx, p); err != nil {
		return m, err
	}
	m.Peak, m.Taken = u.Peak, taken().Since(counts)
	return m, dataset.CheckApps(ctx, a, n)
}

// watching follows a path from now on, in a goroutine.
func watching(ctx context.Context, a *dataset.API, path string, see func(dataset.Object, time.Time), ended chan<- error) error {
	var list dataset.Object
	if err := a.Do(ctx, http.MethodGet, path+"?limit=1", nil, &list); err != nil {
		return err
	}
	go func() {
		err := follow(ctx, a, path, list.Metadata.ResourceVersion, see)
		if ctx.Err() == nil {
			ended <- err
		}
	}()
	return nil
}

// runs counts the apps that say of their present generation that they run.
type runs struct {
	mu   sync.Mutex
	seen map[string]bool // by uid
}

func (r *runs) see(o dataset.Object, _ time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o.Status.Phase == "Running" && o.Status.ObservedGeneration >= o.Metadata.Generation {
		r.seen[o.Metadata.UID] = true
	}
}

func (r *runs) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}
