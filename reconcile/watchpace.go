package reconcile

import "time"

// pace is how a watcher takes its time.
type pace struct {
	page       int64         // objects in one page of a list
	pageLimit  time.Duration // for one page
	stream     bool          // lists are streamed, where the API server does that
	stall      time.Duration // a streamed list that brings no object for this long is given up for pages
	unstreamed int           // after one that was refused or stalled, this many lists are fetched in pages
	watch      time.Duration // the API server is asked to end a watch after this up to twice this, so that not all end at once
	grace      time.Duration // how much longer the client waits before it ends one itself
	quiet      time.Duration // a stream with no event and no bookmark for this long is taken for dead
	brief      time.Duration // a stream that stood for less has not really stood
	relist     time.Duration // a list repairs what watches missed after three quarters to five quarters of this
	backoff    Backoff       // after a failure
	missing    time.Duration // wait while the kind is not served (its CRD is missing)
	refused    time.Duration // wait while the API server says no (RBAC, credentials, selectors)
	longest    time.Duration // the longest Retry-After that is heeded
}

// usualPace: bookmarks come about once a minute, so in five minutes of silence
// some four are missing: no API server is that late, and a NAT or a load balancer
// that forgot the connection is found out in a time that an edge can bear.
var usualPace = pace{
	page: 250, pageLimit: time.Minute, stream: streamLists, stall: 10 * time.Second, unstreamed: 4,
	watch: 5 * time.Minute, grace: 30 * time.Second, quiet: 5 * time.Minute, brief: 5 * time.Second, relist: 6 * time.Hour,
	backoff: Backoff{Base: time.Second, Max: 30 * time.Second},
	missing: 5 * time.Second, refused: 30 * time.Second, longest: 5 * time.Minute,
}

// streamLists makes a streamed list the first attempt, and pages the second. It is
// off by measurement: 6,000 objects of 2.9 kB, glanced at, took 0.25 s of CPU and 20.2
// MB at the peak in pages of 250, and streamed 1.2 s and 19.3 MB. A stream holds one
// object at a time, but each is an event that is framed, decoded and flushed by
// itself, on both sides; for 100,000 that is 15 s more of an edge's CPU, to save 1 MB.
const streamLists = false

// hastened is a pace in which everything takes an n-th of its time.
func (p pace) hastened(n int) pace {
	for _, d := range []*time.Duration{&p.pageLimit, &p.stall, &p.watch, &p.grace, &p.quiet, &p.brief, &p.relist,
		&p.backoff.Base, &p.backoff.Max, &p.missing, &p.refused, &p.longest} {
		*d /= time.Duration(n)
	}
	return p
}

// Tempo is for tests against a real API server, in which minutes must be seconds.
type Tempo struct {
	Faster   int           // every wait and every bound of a watch is this much shorter
	Streamed bool          // lists are streamed, where the API server does that; else they come in pages
	Relist   time.Duration // when a list repairs what watches missed, as it is; 0: as usual
}

// SetTempo sets the tempo of the controller's watches; before Run.
func (c *Controller) SetTempo(t Tempo) {
	for _, w := range c.watchers {
		w.pace = w.pace.hastened(t.Faster)
		w.pace.stream = t.Streamed
		if t.Relist > 0 {
			w.pace.relist = t.Relist
		}
	}
}
