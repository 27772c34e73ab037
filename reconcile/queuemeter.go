package reconcile

import (
	"time"

	"example.com/mote/metric"
)

// queueMeter counts what goes through a queue, under the names that client-go's
// workqueue has for it. It knows only the queue's own clock.
type queueMeter struct {
	adds    metric.Counter // keys that became ready
	retries metric.Counter
	waited  metric.Histogram // from ready to handed out
}

// stuck is for how long keys have been ready and none was handed out; 0: it moves.
func (q *Queue) stuck() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return 0
	}
	now := time.Since(q.start)
	longest := time.Duration(0)
	for _, l := range q.ready {
		if l.head != nil {
			longest = max(longest, now-max(l.head.due, q.handed))
		}
	}
	return longest
}

func (q *Queue) metrics(p *metric.Page, name string) {
	ready, delayed, _ := q.Depth()
	p.Gauge("workqueue_depth", "Keys that are ready for a turn.", float64(ready), "name", name)
	p.Gauge("mote_workqueue_delayed", "Keys whose turn is to come at a later time.", float64(delayed), "name", name)
	p.Counter("workqueue_adds_total", "Keys that became ready for a turn.", q.meter.adds.Value(), "name", name)
	p.Counter("workqueue_retries_total", "Keys put back by backoff because their turn failed.", q.meter.retries.Value(), "name", name)
	p.Histogram("workqueue_queue_duration_seconds", "How long keys that were ready waited for their turn.", &q.meter.waited, "name", name)
}
