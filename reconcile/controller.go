package reconcile

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// Controller keeps one kind true.
type Controller struct {
	kind    Kind
	client  dynamic.Interface
	brief   dynamic.Interface
	events  *Recorder
	log     *slog.Logger
	queue   *Queue
	index   *Index
	fresh   fresh
	skimmer Skimmer  // nil: the kind reads every object live
	recents *recents // nil: the kind owns nothing
	owned   []*ownedSink
	echoes  *echoes
	// watchers are of the kind, then of what it owns.
	watchers []*watcher

	lists  atomic.Int32 // whole lists still missing before the kind is synced
	synced chan struct{}
	panics atomic.Int64
	turns  *turnMeter
	pruned *pruned
}

// Clients are the ways to the API server.
type Clients struct {
	// Whole reads and writes whole objects.
	Whole dynamic.Interface
	// Glance lists and watches a kind for triage, which reads little of an object;
	// see package lean. nil: Whole does that too.
	Glance dynamic.Interface
	// Brief patches a status, and reads of the answer what a Skimmer's turn goes on
	// with: metadata and status. nil: Whole does that too.
	Brief dynamic.Interface
	// Bare lists and watches what a kind owns, and may leave managedFields out. nil:
	// Whole does that too.
	Bare dynamic.Interface
}

// NewController makes a controller; Run starts it.
func NewController(clients Clients, k Kind, events *Recorder, log *slog.Logger) *Controller {
	if clients.Glance == nil {
		clients.Glance = clients.Whole
	}
	if clients.Brief == nil {
		clients.Brief = clients.Whole
	}
	if clients.Bare == nil {
		clients.Bare = clients.Whole
	}
	k.Workers = max(k.Workers, 1)
	if k.TurnLimit <= 0 {
		k.TurnLimit = usualTurn
	}
	if k.Index == nil {
		k.Index = NewIndex()
	}
	k.Index.Name(k.Phases)
	c := &Controller{
		kind: k, client: clients.Whole, brief: clients.Brief, events: events, log: log.With("kind", k.Name),
		queue: NewQueue(DefaultBackoff, rand.Float64), index: k.Index, synced: make(chan struct{}),
		turns: newTurnMeter(k.Workers), echoes: newEchoes(), pruned: &pruned{has: k.Index.Has},
	}
	c.skimmer, _ = k.Reconciler.(Skimmer)
	c.watch(clients.Glance, k.Resource, k.Selection, c)
	for _, o := range k.Owned {
		s := newOwnedSink(c, o)
		c.owned = append(c.owned, s)
		c.watch(clients.Bare, o.Resource, Selection{Namespace: k.Selection.Namespace, LabelSelector: OwnedLabel + "=" + OwnedBy}, s)
		c.watchers[len(c.watchers)-1].pace.page = ownedPage
	}
	if len(c.owned) > 0 {
		c.recents = newRecents()
	}
	c.lists.Store(int32(1 + len(c.owned)))
	return c
}

// ownedPage is the page of a list of what a kind owns. Those objects are decoded whole,
// each into ten times its bytes, and several lists are read at once: in pages of 250 the
// start with 5,000 apps took 61.8 MiB at the peak, and takes 29.9 so.
const ownedPage = 60

// watch adds a watcher.
func (c *Controller) watch(client dynamic.Interface, r schema.GroupVersionResource, sel Selection, s sink) {
	c.watchers = append(c.watchers, &watcher{resource: client.Resource(r), what: r.Resource, sel: sel, sink: s, log: c.log,
		synced: c.oneSynced(), pace: usualPace, random: rand.Float64})
}

// Wake gives an object a turn soon, if it is one of ours. The cloud's watch calls it.
func (c *Controller) Wake(k Key) {
	c.recents.drop(k)
	c.fresh.drop(k, func() { c.add(k, Live) })
}

// add queues a key, if its object is in the selection. The queue gets the index's
// own strings, so that it keeps nothing else alive.
func (c *Controller) add(k Key, p Priority) {
	if own, ok := c.index.own(k); ok {
		c.queue.Add(own, p)
	}
}

// Synced is closed when the first lists are whole.
func (c *Controller) Synced() <-chan struct{} { return c.synced }

// Run watches and works until ctx ends, then lets turns in work finish within
// the grace period: their context ends only after it. It returns when all of them
// have returned, and is called once.
func (c *Controller) Run(ctx context.Context, grace time.Duration) {
	var watchers, turns sync.WaitGroup
	for _, w := range c.watchers {
		watchers.Go(func() { w.run(ctx) })
	}
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	turns.Go(func() { c.hand(work, &turns) })
	<-ctx.Done()
	if n := c.queue.Close(grace); n > 0 {
		c.log.Warn("stopping although turns are still in work: each call is cut off; what it did is found again at the next start", "turns", n)
	}
	stop()
	turns.Wait()
	watchers.Wait()
}

// hand gives each key that the queue hands out a turn in a goroutine of its own,
// at most Workers at once: many may wait for a slow cloud, and while nothing is
// to do there are none.
func (c *Controller) hand(work context.Context, turns *sync.WaitGroup) {
	free := make(chan int, c.kind.Workers) // slots
	for slot := range c.kind.Workers {
		free <- slot
	}
	for {
		slot := <-free
		k, ok := c.queue.Get()
		if !ok {
			return
		}
		turns.Go(func() {
			c.turns.begin(slot)
			r, err := c.turn(work, k)
			c.turns.end(slot, r, err)
			c.queue.Done(k, r.After, r.Retry)
			free <- slot
		})
	}
}

func (c *Controller) oneSynced() func() {
	var once sync.Once
	return func() {
		once.Do(func() {
			if c.lists.Add(-1) == 0 {
				c.log.Info("synced", "objects", c.index.Len())
				close(c.synced)
				if len(c.owned) > 0 { // what happened to children while nobody watched shows in no event
					c.wakeChanged()
				}
			}
		})
	}
}

// The sink of the kind's own watch.

func (c *Controller) begin() { c.index.Begin() }

func (c *Controller) seen(u *unstructured.Unstructured, text []byte, fromList bool) {
	k := Key{u.GetNamespace(), u.GetName()}
	g := Look(u, c.kind.SteadyPhases, c.kind.Seed)
	wake, respec := c.index.See(k, g)
	c.guard(k, func() { c.kind.Reconciler.Seen(k, u) })
	if _, paused := u.GetAnnotations()[AnnotationPaused]; paused {
		text = nil
	}
	c.recents.event(k, versionOf(u), wake, text)
	if c.skimmer == nil {
		text = nil
	}
	add := func() { c.add(k, priorityOf(fromList || untouched(u))) }
	switch {
	case !wake:
		c.fresh.drop(k, func() {})
	case text == nil:
		c.fresh.drop(k, add)
	default:
		c.fresh.put(k, text, g.Before, respec, c.queue.Has, add)
	}
}

// priorityOf is Flood for the mass of things, Live for what happens.
func priorityOf(mass bool) Priority {
	if mass {
		return Flood
	}
	return Live
}

// untouched tells of an object that never had a turn. Ten thousand of them, made
// at once, must not hold up those that are in use.
func untouched(u *unstructured.Unstructured) bool {
	_, touched := u.Object["status"]
	return !touched && u.GetDeletionTimestamp() == nil
}

// left does not conclude that the object was deleted: it looks the same when it
// left the selection. The kind only lets go of what it remembers.
func (c *Controller) left(u *unstructured.Unstructured) { c.drop(Key{u.GetNamespace(), u.GetName()}) }

func (c *Controller) end() {
	for _, k := range c.index.End() {
		c.drop(k)
	}
}

func (c *Controller) drop(k Key) {
	c.index.Leave(k)
	c.recents.drop(k)
	c.fresh.drop(k, func() {}) // its turn, which would take it, does not come
	c.guard(k, func() { c.kind.Reconciler.Left(k) })
}

// guard calls a kind's own code from a watch, where a panic must cost neither the
// process nor the watch.
func (c *Controller) guard(k Key, call func()) {
	defer func() {
		if p := recover(); p != nil {
			c.panics.Add(1)
			c.log.Error("panicked at the sight of an object", "object", k.String(), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	call()
}
