package measure

import (
	"context"
	"sync"
	"time"

	"example.com/mote/testbed/bench/contender"
	"example.com/mote/testbed/bench/dataset"
	"example.com/mote/testbed/bench/proc"
)

// Creations is how a contender buys many instances of a cloud whose every call is
// slow, and how it serves other objects of the kind meanwhile.
type Creations struct {
	Objects int     `json:"objects"`
	Bought  int     `json:"bought"`  // that had an instance at the end
	Call    float64 `json:"call"`    // seconds that each call to the cloud takes
	Seconds float64 `json:"seconds"` // until all had one, or until the limit
	Probes  Latency `json:"probes"`  // changes of steady objects meanwhile
	Peak    int64   `json:"peak"`    // most bytes of memory ever held
}

// ProbeRate is how many steady objects are changed a second meanwhile.
const ProbeRate = 5

// Creating makes n objects at once and waits until each has an instance, at most
// for limit.
func Creating(ctx context.Context, p *contender.Process, a *dataset.API, c *Changer, n int, call, limit time.Duration) (Creations, error) {
	m := Creations{Objects: n, Call: call.Seconds()}
	o, err := observe(ctx, a, databases)
	if err != nil {
		return m, err
	}
	defer o.close()

	stop := make(chan struct{})
	stopped := sync.OnceFunc(func() { close(stop) })
	defer stopped()
	type probes struct {
		sent int
		err  error
	}
	probed := make(chan probes, 1)
	began := time.Now()
	go func() {
		sent, err := c.steadily(ctx, stop, ProbeRate, limit)
		probed <- probes{sent, err}
	}()
	if err := dataset.Create(ctx, a, n); err != nil {
		return m, err
	}
	for o.instances() < n && time.Since(began) < limit {
		if err := p.Wait(ctx, 50*time.Millisecond); err != nil {
			return m, err
		}
	}
	m.Seconds, m.Bought = time.Since(began).Seconds(), o.instances()
	stopped()
	sent := <-probed
	if sent.err != nil {
		return m, sent.err
	}
	for end := time.Now().Add(answerLimit); len(o.times()) < sent.sent && time.Now().Before(end); {
		if err := p.Wait(ctx, 50*time.Millisecond); err != nil {
			return m, err
		}
	}
	u, err := proc.Read(p.PID())
	if err != nil {
		return m, err
	}
	m.Probes, m.Peak = latencyOf(sent.sent, o.times()), u.Peak
	return m, nil
}
