package reconcile

import (
	"sync/atomic"
	"time"

	"example.com/mote/metric"
)

// watchMeter counts what a watcher does.
type watchMeter struct {
	lists, streams, events metric.Counter
	last                   atomic.Int64              // when the last event or bookmark came, in Unix seconds; 0: none came
	began                  atomic.Pointer[time.Time] // when its present step began; nil: it does not run
}

// event notes that something came on a stream.
func (m *watchMeter) event() {
	m.events.Inc()
	m.last.Store(time.Now().Unix())
}

// step notes that the watcher goes on to something that has a bound.
func (m *watchMeter) step() {
	now := time.Now()
	m.began.Store(&now)
}

// troubles are short names of what can be the matter with a watch.
var troubles = []struct{ name, reason string }{
	{"Expired", reasonExpired}, {"NotServed", reasonMissing}, {"Forbidden", reasonForbidden}, {"Unauthorized", reasonUnauthorized},
	{"Refused", reasonRefused}, {"Failed", reasonFailed}, {"WentBack", reasonWentBack}, {"Stalled", reasonStalled},
	{"Unrepaired", reasonUnrepaired}, {"Silent", reasonSilent}, {"Brief", reasonBrief},
}

func (w *watcher) metrics(p *metric.Page, kind string) {
	reason, _ := w.trouble.get()
	for _, t := range troubles {
		p.Flag("mote_watch_trouble", "1 for what is the matter with a watch at present.", t.reason == reason, "kind", kind, "resource", w.what, "reason", t.name)
	}
	p.Gauge("mote_watch_last_event_timestamp_seconds", "When a watch last brought an event or a bookmark, in Unix time; 0: never.", float64(w.meter.last.Load()),
		"kind", kind, "resource", w.what)
	p.Counter("mote_watch_events_total", "Events and bookmarks that watches brought.", w.meter.events.Value(), "kind", kind, "resource", w.what)
	p.Counter("mote_watch_lists_total", "Whole lists: the first, those that repair what watches missed, and those after a loss of history.", w.meter.lists.Value(),
		"kind", kind, "resource", w.what)
	p.Counter("mote_watch_streams_total", "Watches that were begun.", w.meter.streams.Value(), "kind", kind, "resource", w.what)
}

// still is for how long the watcher has been at one step; 0 when it does not run.
func (w *watcher) still() time.Duration {
	if began := w.meter.began.Load(); began != nil {
		return time.Since(*began)
	}
	return 0
}

// longestStep is more than any step takes, or any rest between two.
func (p pace) longestStep() time.Duration {
	return 2 * max(2*p.watch+p.grace, p.pageLimit, p.stall, p.longest)
}
