package postgresdb

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/metric"
	"example.com/mote/reconcile"
)

// Watch is the cloud's watch, keyed by object.
type Watch = cloud.Watch[reconcile.Key]

// watch is what the shell asks of it.
type watch interface {
	Track(region, id string, key reconcile.Key, seen uint64, urgent bool)
	Forget(region, id string)
	// AtRest tells whether an instance that is not urgent is followed for an object.
	AtRest(key reconcile.Key) bool
	// Left lets go of what is kept of an object.
	Left(key reconcile.Key)
	Latest(region, id string) (inst cloud.Instance, found bool, at time.Time, ok bool)
}

// Reconciler is the shell around Decide. What it remembers may be lost at any
// time: it saves waiting, and nothing depends on it.
type Reconciler struct {
	api      cloud.Postgres
	settings Settings
	random   io.Reader
	decide   func(View) Decision // Decide, but in tests of the tests

	gate     *cloud.Gate
	paces    *paces
	follows  follows
	awaiting awaiting
	outcomes outcomes
	resets   lostResets
	lanes    *cloud.Lanes[reconcile.Key] // nil before Kind: no turn waits
	crowd    chan struct{}               // see crowd
	drift    metric.Counter
}

// New makes a Reconciler; random is the source of passwords, o the paces at which
// instances are looked at.
func New(api cloud.Postgres, o cloud.WatchOptions, s Settings, random io.Reader) *Reconciler {
	gate := cloud.NewGate(api, o)
	p := newPaces(gate, reconcile.NewIndex(), o)
	return &Reconciler{api: gate, gate: gate, settings: s, random: random, decide: decider(), paces: p, follows: follows{watch: p},
		crowd: make(chan struct{}, crowdRequests)}
}

// Watch follows the instances in the cloud until ctx ends, and wakes the objects
// of those that change.
func (r *Reconciler) Watch(ctx context.Context, wake func(reconcile.Key)) {
	if r.lanes != nil {
		r.lanes.Call(wake)
		defer r.lanes.Call(nil)
	}
	var all sync.WaitGroup
	all.Go(func() { r.gate.Run(ctx, func(region string) { r.awaiting.wake(region, wake) }) })
	all.Go(func() { r.paces.watch.Run(ctx, wake) })
	all.Go(func() { r.paces.sweep.Run(ctx, wake) })
	if r.settings.Resync > 0 {
		all.Go(func() { r.paces.resync(ctx, r.settings.Resync, wake) })
	}
	all.Wait()
}

// Kind describes PostgresDB to the engine.
func (r *Reconciler) Kind(sel reconcile.Selection, workers int) reconcile.Kind {
	r.lanes = cloud.NewLanes[reconcile.Key](workers, nil)
	return reconcile.Kind{
		Name:         databasev1.Kind,
		Resource:     schema.GroupVersionResource{Group: databasev1.Group, Version: databasev1.Version, Resource: databasev1.Resource},
		SteadyPhases: []string{databasev1.PhaseRunning},
		Phases:       databasev1.Phases,
		Workers:      workers,
		TurnLimit:    2 * time.Minute,
		Selection:    sel,
		Reconciler:   r,
		Index:        r.paces.index,
	}
}

// Seen follows the instances of steady objects in the cloud's slow sweep; all
// others are followed by their own turns.
func (r *Reconciler) Seen(k reconcile.Key, u *unstructured.Unstructured) { r.follows.seen(k, u) }

// Left lets go of all that is remembered of an object.
func (r *Reconciler) Left(k reconcile.Key) {
	r.follows.drop(k)
	r.outcomes.drop(k)
	r.awaiting.drop(k)
	r.resets.forget(k)
	if r.lanes != nil {
		r.lanes.Drop(k)
	}
}

// Reconcile takes one turn.
func (r *Reconciler) Reconcile(ctx context.Context, t *reconcile.Turn) (reconcile.Result, error) {
	before := marksOf(t.Object)
	defer func() { r.mark(t.Key, before, marksOf(t.Object)) }()
	here := live{t}
	here.lighten()
	var c cluster = here
	if phase, _, _ := unstructured.NestedString(t.Object.Object, "status", "phase"); !inUse(phase) {
		c = crowd{c, r.crowd}
	}
	return r.take(ctx, turn{cluster: c, key: t.Key, log: t.Log})
}

// turn is one object's turn.
type turn struct {
	cluster
	key   reconcile.Key
	log   *slog.Logger
	place *passage // in a lane; nil: there are no lanes
}
