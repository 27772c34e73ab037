package measure

import (
	"context"
	"time"

	"example.com/mote/testbed/bench/contender"
	"example.com/mote/testbed/bench/dataset"
	"example.com/mote/testbed/bench/proc"
	"example.com/mote/testbed/bench/proxy"
)

// Changes is how a contender answers a steady stream of changes.
type Changes struct {
	Rate    int          `json:"rate"` // changes a second
	Latency Latency      `json:"latency"`
	CPU     float64      `json:"cpu"`   // CPU-seconds
	Peak    int64        `json:"peak"`  // most bytes of memory ever held
	Taken   proxy.Counts `json:"taken"` // from the API server
}

const (
	databases   = "/apis/database.example.com/v1/postgresdbs"
	answerLimit = time.Minute // for what is still to be answered after the last change
)

// Changing changes objects at a rate for d and waits for the answers.
func Changing(ctx context.Context, p *contender.Process, a *dataset.API, c *Changer, rate int, d time.Duration, taken func() proxy.Counts) (Changes, error) {
	m := Changes{Rate: rate}
	o, err := observe(ctx, a, databases)
	if err != nil {
		return m, err
	}
	defer o.close()
	before, err := proc.Read(p.PID())
	if err != nil {
		return m, err
	}
	counts := taken()
	sent, err := c.steadily(ctx, nil, rate, d)
	if err != nil {
		return m, err
	}
	for limit := time.Now().Add(answerLimit); len(o.times()) < sent && time.Now().Before(limit); {
		select {
		case err := <-o.ended:
			return m, err
		default:
		}
		if err := p.Wait(ctx, 50*time.Millisecond); err != nil {
			return m, err
		}
	}
	after, err := proc.Read(p.PID())
	if err != nil {
		return m, err
	}
	m.Latency, m.CPU, m.Peak, m.Taken = latencyOf(sent, o.times()), (after.CPU - before.CPU).Seconds(), after.Peak, taken().Since(counts)
	return m, nil
}
