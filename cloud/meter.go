package cloud

import (
	"errors"
	"sync/atomic"
	"time"

	"example.com/mote/metric"
)

// Meter counts the calls to a cloud. It is safe for use by many goroutines. Each
// series takes some 150 bytes; whatever regions users write, all of them together
// take 170 kB at most.
type Meter struct {
	calls     *metric.Vec[meterCall, metric.Counter]
	took      *metric.Vec[string, metric.Histogram] // by action
	throttled *metric.Vec[meterThrottled, metric.Counter]
	regions   *metric.Vec[string, meterRegion]
	purchases [len(meterPurchases)]metric.Counter
}

type (
	meterCall      struct{ action, region, result string }
	meterThrottled struct{ action, region, by string }
	meterRegion    struct {
		failures atomic.Int32 // calls without an answer, in a row
		answered atomic.Int64 // when the last answer came, in Unix seconds; 0: none came
	}
)

// meterPurchases are the ways in which the order of an instance ends.
var meterPurchases = [...]string{"made", "refused", "unknown"}

// Bounds of the series, for regions are what users write. There are some dozen
// actions and nine results, and few of those that an action can have.
const (
	meterRegions = 32
	meterSeries  = 512
	other        = "other"
)

// NewMeter makes one that has counted nothing.
func NewMeter() *Meter {
	return &Meter{
		calls:     metric.NewVec[meterCall, metric.Counter](meterSeries, meterCall{other, other, other}),
		took:      metric.NewVec[string, metric.Histogram](meterRegions, other),
		throttled: metric.NewVec[meterThrottled, metric.Counter](meterSeries, meterThrottled{other, other, other}),
		regions:   metric.NewVec[string, meterRegion](meterRegions, other),
	}
}

// purchase is the action that buys.
const purchase = "CreateInstances"

// Called counts one call that has ended, with nil or an *Error.
func (m *Meter) Called(action, region string, took time.Duration, err error) {
	class, answered := ClassOf(err), answered(err)
	if class == Throttled {
		by := "cloud"
		if !answered {
			by = "mote" // its own rate: nothing was sent, so it is no call
		}
		m.throttled.With(meterThrottled{action, region, by}).Inc()
		if !answered {
			return
		}
	}
	m.calls.With(meterCall{action, region, result(class)}).Inc()
	m.took.With(action).Observe(took)
	switch r := m.regions.With(region); {
	case answered:
		r.failures.Store(0)
		r.answered.Store(time.Now().Unix())
	case class == Ambiguous || class == NotSent: // any other says nothing of the region
		r.failures.Add(1)
	}
	if action == purchase {
		switch class {
		case "":
			m.purchases[0].Inc()
		case Ambiguous:
			m.purchases[2].Inc()
		default:
			m.purchases[1].Inc()
		}
	}
}

// answered tells whether the cloud said anything.
func answered(err error) bool {
	if err == nil {
		return true
	}
	var e *Error
	return errors.As(err, &e) && e.RequestID != ""
}

// result is a class as a label.
func result(c Class) string {
	if c == "" {
		return "OK"
	}
	return string(c)
}

// Metrics puts mote_cloud_* and mote_purchases_total on the page.
func (m *Meter) Metrics(p *metric.Page) {
	m.calls.Each(func(k meterCall, n *metric.Counter) {
		p.Counter("mote_cloud_requests_total", "Calls to the cloud, by what came of them: OK, or the class of the failure.", n.Value(),
			"action", k.action, "region", k.region, "class", k.result)
	})
	m.took.Each(func(action string, h *metric.Histogram) {
		p.Histogram("mote_cloud_request_duration_seconds", "How long calls to the cloud took.", h, "action", action)
	})
	m.throttled.Each(func(k meterThrottled, n *metric.Counter) {
		p.Counter("mote_cloud_throttled_total", "Calls that were too early: for the cloud, or for Mote's own account of the cloud's rates, which then sends nothing.", n.Value(),
			"action", k.action, "region", k.region, "by", k.by)
	})
	m.regions.Each(func(region string, r *meterRegion) {
		p.Flag("mote_cloud_region_reachable", "0 when two calls in a row got no answer from a region.", r.failures.Load() < badAfter, "region", region)
		p.Gauge("mote_cloud_last_answer_timestamp_seconds", "When a region last answered, in Unix time; 0: never.", float64(r.answered.Load()), "region", region)
	})
	for i := range m.purchases {
		p.Counter("mote_purchases_total", "Orders of an instance: made, refused, or unknown because the answer was lost, and then looked up.", m.purchases[i].Value(),
			"outcome", meterPurchases[i])
	}
}
