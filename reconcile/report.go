package reconcile

import (
	"fmt"
	"time"

	"example.com/mote/metric"
)

// Metrics puts what the controller counts on the page. Labels are names of kinds,
// resources and reasons, never of objects.
func (c *Controller) Metrics(p *metric.Page) {
	c.index.byPhase(func(phase string, n int) {
		p.Gauge("mote_objects", "Objects in the selection, by the phase in their status; None: they have none yet.", float64(n), "kind", c.kind.Name, "phase", phase)
	})
	_, field, _ := c.pruned.get()
	p.Flag("mote_status_pruned", "1 while the API server drops a field of a status that Mote writes: its CRD is older than Mote.", field != "", "kind", c.kind.Name)
	if own, ok := c.kind.Reconciler.(Counting); ok {
		own.Metrics(p)
	}
	p.Counter("controller_runtime_reconcile_panics_total", "Panics, each caught, at the cost of one turn.", float64(c.panics.Load()), "controller", c.kind.Name)
	c.queue.metrics(p, c.kind.Name)
	c.turns.metrics(p, c.kind.Name)
	for _, w := range c.watchers {
		w.metrics(p, c.kind.Name)
	}
}

// CountDrift puts on the page how often something differed from a spec that had been
// met, and how many objects differ at present.
func CountDrift(p *metric.Page, kind string, times float64, now int) {
	p.Counter("mote_drift_total", "How often somebody's hand made something differ from a spec that had been met.", times, "kind", kind)
	p.Gauge("mote_objects_drifted", "Objects that somebody's hand makes differ from their spec at present; of those that had a turn since the start.", float64(now), "kind", kind)
}

// patient is how many times its limit a turn may take before the process is taken
// to hang: everything in a turn obeys its context.
const patient = 3

// Alive tells whether the loops move: the queue, turns, and each watch. What the
// API server or a cloud does or fails to do makes no difference: every wait for
// them has a bound.
func (c *Controller) Alive(tell func(check, trouble string, since time.Time)) {
	_, _, longest := c.turns.now()
	moves(tell, c.kind.Name+"/queue", "keys are ready and none has a turn", c.queue.stuck(), patient*c.kind.TurnLimit)
	moves(tell, c.kind.Name+"/turns", "a turn does not end", longest, patient*c.kind.TurnLimit)
	for _, w := range c.watchers {
		w.alive(c.kind.Name, tell)
	}
}

// moves tells of a loop whether it stood still for longer than it may.
func moves(tell func(check, trouble string, since time.Time), check, what string, still, limit time.Duration) {
	if still <= limit {
		tell(check, "", time.Time{})
		return
	}
	tell(check, fmt.Sprintf("%s, more than the %s that it may take; this is a bug in Mote, and a restart helps", what, limit), time.Now().Add(-still))
}

func (w *watcher) alive(kind string, tell func(check, trouble string, since time.Time)) {
	moves(tell, kind+"/"+w.what, "the watch does not move", w.still(), w.pace.longestStep())
}

// Ready tells of each list and watch whether it is whole and in order, and whether
// the API server keeps what is written into a status.
func (c *Controller) Ready(tell func(check, trouble string, since time.Time)) {
	trouble, _, since := c.pruned.get()
	tell(c.kind.Name+"/status", trouble, since)
	for _, w := range c.watchers {
		w.ready(c.kind.Name, tell)
	}
}

func (w *watcher) ready(kind string, tell func(check, trouble string, since time.Time)) {
	reason, since := w.trouble.get()
	if reason == "" && w.meter.lists.Value() == 0 {
		reason = "the first list is not whole yet"
	}
	tell(kind+"/"+w.what, reason, since)
}
