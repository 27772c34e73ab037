package reconcile

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// Controller keeps one kind true.
type Controller struct {
	kind   Kind
	client dynamic.Interface
	glance dynamic.Interface
	events *Recorder
	log    *slog.Logger
	queue  *Queue
	index  *Index
	owned  []*ownedSink

	lists  atomic.Int32 // whole lists still missing before the kind is synced
	synced chan struct{}
	panics atomic.Int64
}

// Clients are the ways to the API server.
type Clients struct {
	// Whole reads and writes whole objects.
	Whole dynamic.Interface
	// Glance lists and watches a kind for triage, which reads little of an object;
	// see package lean. nil: Whole does that too.
	Glance dynamic.Interface
}

// NewController makes a controller; Run starts it.
func NewController(clients Clients, k Kind, events *Recorder, log *slog.Logger) *Controller {
	if clients.Glance == nil {
		clients.Glance = clients.Whole
	}
	c := &Controller{
		kind: k, client: clients.Whole, glance: clients.Glance, events: events, log: log.With("kind", k.Name),
		queue: NewQueue(DefaultBackoff, rand.Float64), index: NewIndex(), synced: make(chan struct{}),
	}
	for _, o := range k.Owned {
		c.owned = append(c.owned, &ownedSink{controller: c, owned: o, children: map[Key]child{}})
	}
	c.lists.Store(int32(1 + len(c.owned)))
	return c
}

// Wake gives an object a turn soon, if it is one of ours. The cloud's watch calls it.
func (c *Controller) Wake(k Key) {
	if c.index.Has(k) {
		c.queue.Add(k, Live)
	}
}

// Synced is closed when the first lists are whole.
func (c *Controller) Synced() <-chan struct{} { return c.synced }

// Run watches and works until ctx ends, then lets turns in work finish within
// the grace period: their context ends only after it.
func (c *Controller) Run(ctx context.Context, grace time.Duration) {
	var watchers, workers sync.WaitGroup
	watchers.Go(func() {
		(&watcher{resource: c.glance.Resource(c.kind.Resource), what: c.kind.Resource.Resource, sel: c.kind.Selection,
			sink: c, log: c.log, synced: c.oneSynced(), pace: usualPace, random: rand.Float64}).run(ctx)
	})
	for _, o := range c.owned {
		watchers.Go(func() {
			sel := Selection{Namespace: c.kind.Selection.Namespace, LabelSelector: OwnedLabel + "=" + OwnedBy}
			(&watcher{resource: c.client.Resource(o.owned.Resource), what: o.owned.Resource.Resource, sel: sel,
				sink: o, log: c.log, synced: c.oneSynced(), pace: usualPace, random: rand.Float64}).run(ctx)
		})
	}
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	for range c.kind.Workers {
		workers.Go(func() {
			for {
				k, ok := c.queue.Get()
				if !ok {
					return
				}
				r, err := c.turn(work, k)
				c.queue.Done(k, r.After, err != nil || r.Retry)
			}
		})
	}
	<-ctx.Done()
	if n := c.queue.Close(grace); n > 0 {
		c.log.Warn("stopping although turns are still in work: each call is cut off; what it did is found again at the next start", "turns", n)
	}
	stop()
	workers.Wait()
	watchers.Wait()
}

func (c *Controller) oneSynced() func() {
	var once sync.Once
	return func() {
		once.Do(func() {
			if c.lists.Add(-1) == 0 {
				c.log.Info("synced", "objects", c.index.Len())
				close(c.synced)
				if len(c.owned) > 0 { // what happened to children while nobody watched shows in no event
					for _, k := range c.index.Keys() {
						c.queue.Add(k, Flood)
					}
				}
			}
		})
	}
}

// turn reads an object live and gives it its turn.
func (c *Controller) turn(ctx context.Context, k Key) (res Result, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.kind.TurnLimit)
	defer cancel()
	log := c.log.With("object", k.String())
	resource := c.client.Resource(c.kind.Resource).Namespace(k.Namespace)
	u, err := resource.Get(ctx, k.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		c.kind.Reconciler.Left(k)
		return Result{}, nil
	case err != nil:
		log.Warn("could not read the object, will try again", "error", err.Error())
		return Result{Retry: true}, nil
	}
	if u.GetAnnotations()[AnnotationPaused] == "true" {
		log.Debug("paused")
		return Result{}, nil
	}
	t := &Turn{Key: k, Object: u, Log: log, client: c.client, resource: resource, events: c.events}
	defer func() {
		if p := recover(); p != nil {
			c.panics.Add(1)
			log.Error("a turn panicked, will try again", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			c.showPanic(ctx, t, fmt.Sprint(p))
			res, err = Result{Retry: true}, nil
		}
	}()
	res, err = c.kind.Reconciler.Reconcile(ctx, t)
	switch {
	case err == nil:
	case apierrors.IsConflict(err):
		log.Debug("the object changed meanwhile, reading it again")
		return Result{After: 20 * time.Millisecond}, nil
	case apierrors.IsNotFound(err) && ctx.Err() == nil:
		log.Debug("gone or half gone, looking again", "error", err.Error())
	default:
		log.Warn("turn failed, will try again", "error", err.Error())
	}
	return res, err
}

// showPanic puts a panic into the object's Ready condition and an Event.
func (c *Controller) showPanic(ctx context.Context, t *Turn, what string) {
	what, _, _ = strings.Cut(what, "\n")
	note := "Mote failed on this object: " + what + ". It tries again, ever more slowly; other objects go on. Please report this."
	status, _, _ := unstructured.NestedMap(t.Object.Object, "status")
	if status == nil {
		status = map[string]any{}
	}
	var list []metav1.Condition
	var holder struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := t.Into(&holder); err == nil {
		list = holder.Status.Conditions
	}
	status["conditions"] = SetCondition(list, metav1.Condition{Type: ConditionReady, Status: metav1.ConditionFalse,
		Reason: "InternalError", Message: note, ObservedGeneration: t.Object.GetGeneration()}, t.Now())
	if _, err := t.PatchStatus(ctx, status); err != nil {
		t.Log.Warn("could not show the panic on the object", "error", err.Error())
	}
	t.Event(ctx, Warning, "InternalError", "Reconcile", note)
}

// The sink of the kind's own watch.

func (c *Controller) begin() { c.index.Begin() }

func (c *Controller) seen(u *unstructured.Unstructured, fromList bool) {
	k := Key{u.GetNamespace(), u.GetName()}
	c.kind.Reconciler.Seen(k, u)
	if c.index.See(k, Look(u, c.kind.SteadyPhases)) {
		p := Live
		if fromList {
			p = Flood
		}
		c.queue.Add(k, p)
	}
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
	c.kind.Reconciler.Left(k)
}
