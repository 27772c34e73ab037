package reconcile

import (
	"sync/atomic"
	"time"

	"example.com/mote/metric"
)

// turnMeter counts turns, under the names of controller-runtime and client-go.
type turnMeter struct {
	start time.Time      // the zero of its clock
	began []atomic.Int64 // when the turn in each slot began; 0: none
	took  metric.Histogram
	ends  [4]metric.Counter // by ending
}

// ending is how a turn ended, as controller-runtime names it.
type ending uint8

const (
	endedWell ending = iota
	endedLater
	endedRetry
	endedError
)

var endings = [...]string{"success", "requeue_after", "requeue", "error"}

func newTurnMeter(slots int) *turnMeter {
	return &turnMeter{start: time.Now().Add(-1), began: make([]atomic.Int64, slots)} // no time on its clock is 0
}

func (m *turnMeter) begin(slot int) { m.began[slot].Store(int64(time.Since(m.start))) }

func (m *turnMeter) end(slot int, r Result, err error) {
	m.took.Observe(time.Since(m.start) - time.Duration(m.began[slot].Swap(0)))
	how := endedWell
	switch {
	case err != nil:
		how = endedError
	case r.Retry:
		how = endedRetry
	case r.After > 0:
		how = endedLater
	}
	m.ends[how].Inc()
}

// now is how many turns are in work, for how long all of them, and the longest.
func (m *turnMeter) now() (n int, sum, longest time.Duration) {
	now := time.Since(m.start)
	for i := range m.began {
		if began := m.began[i].Load(); began != 0 {
			d := max(now-time.Duration(began), 0)
			n, sum, longest = n+1, sum+d, max(longest, d)
		}
	}
	return n, sum, longest
}

func (m *turnMeter) metrics(p *metric.Page, name string) {
	n, sum, longest := m.now()
	p.Gauge("workqueue_unfinished_work_seconds", "For how long all turns in work have been that, added up.", sum.Seconds(), "name", name)
	p.Gauge("workqueue_longest_running_processor_seconds", "For how long the longest turn in work has been that.", longest.Seconds(), "name", name)
	p.Histogram("workqueue_work_duration_seconds", "How long turns took.", &m.took, "name", name)
	p.Histogram("controller_runtime_reconcile_time_seconds", "How long turns took.", &m.took, "controller", name)
	p.Gauge("controller_runtime_active_workers", "Turns in work.", float64(n), "controller", name)
	p.Gauge("controller_runtime_max_concurrent_reconciles", "Turns that may be in work at once.", float64(len(m.began)), "controller", name)
	for how := range m.ends {
		p.Counter("controller_runtime_reconcile_total", "Turns that ended, by how.", m.ends[how].Value(), "controller", name, "result", endings[how])
	}
	p.Counter("controller_runtime_reconcile_errors_total", "Turns that ended with an error.", m.ends[endedError].Value(), "controller", name)
}
