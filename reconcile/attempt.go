package reconcile

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	usualTurn = 2 * time.Minute
	// attempts is how often a turn is begun, at once, because its object was
	// changed meanwhile; after that the key waits as for any failure, for a Conflict
	// may last (another manager's fields, say).
	attempts = 3
	// showLimit bounds the telling of a panic, which may come at the end of a turn's time.
	showLimit = 10 * time.Second
)

// turn gives an object its turn. Whatever went wrong is in the log, and Retry is
// set in the result; the error is for counting.
func (c *Controller) turn(stopping context.Context, k Key) (Result, error) {
	if !c.index.Has(k) { // deleted since it was queued, or not ours any more
		return Result{}, nil
	}
	ctx, cancel := context.WithTimeout(stopping, c.kind.TurnLimit)
	defer cancel()
	log := c.log.With("object", k.String())
	c.echoes.begin(k)
	defer func() {
		if c.echoes.end(k) {
			c.add(k, Live) // it is still in work, and so runs once more after it
		}
	}()
	for try := 1; ; try++ {
		res, err := c.attempt(ctx, k, log)
		switch {
		case err == nil:
			res.After = c.pruned.again(k, res.After)
			return res, nil
		case stopping.Err() != nil:
			log.Info("the turn was cut off", "error", err.Error())
		case apierrors.IsConflict(err) && try < attempts && ctx.Err() == nil:
			log.Debug("the object changed meanwhile, reading it again")
			continue
		case apierrors.IsNotFound(err) && ctx.Err() == nil:
			log.Debug("gone or half gone, looking again", "error", err.Error())
		default:
			log.Warn("turn failed, will try again", "error", err.Error())
		}
		res.Retry = true
		return res, err
	}
}

// attempt lets an object's kind reconcile it, as it is, or as it was seen last; see
// Reconciler. A panic costs this turn only, and is shown on the object.
func (c *Controller) attempt(ctx context.Context, k Key, log *slog.Logger) (res Result, err error) {
	var t *Turn
	defer func() {
		if p := recover(); p != nil {
			c.panics.Add(1)
			log.Error("a turn panicked, will try again", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			c.showPanic(ctx, t, fmt.Sprint(p))
			res, err = Result{Retry: true}, nil
		}
	}()
	resource := c.client.Resource(c.kind.Resource).Namespace(k.Namespace)
	if u := c.fresh.take(k); u != nil {
		t = &Turn{Key: k, Object: u, Log: log, client: c.client, resource: c.brief.Resource(c.kind.Resource).Namespace(k.Namespace), events: c.events, pruned: c.pruned}
		if done, err := c.skimmer.Skim(ctx, t); done || err != nil {
			return Result{}, err
		}
	}
	t = &Turn{Key: k, Log: log, client: c.client, resource: resource, events: c.events, owned: c.owned, pruned: c.pruned, recents: c.recents, recent: c.recents.of(k)}
	defer func() { // where nothing is to come soon nothing is kept, nor where it may be what the turn failed by
		c.recents.end(t.recent, t.seen, err == nil && res.After > 0 && res.After <= recently && !res.Retry)
	}()
	u := c.recents.get(t.recent, itself)
	t.recalled = u != nil
	if !t.recalled {
		u, err = resource.Get(ctx, k.Name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			c.kind.Reconciler.Left(k)
			return Result{}, nil
		case err != nil:
			return Result{}, fmt.Errorf("read the object: %w", err)
		}
		t.saw(itself, u)
	}
	t.Object = u
	paused, err := pausedAt(ctx, t)
	switch {
	case paused && err == nil:
		log.Debug("paused")
		return Result{}, nil
	case err != nil:
		return Result{}, fmt.Errorf("show whether it is paused: %w", err)
	}
	return c.kind.Reconciler.Reconcile(ctx, t)
}

// showPanic puts a panic into the object's Ready condition and an Event. The
// status does not speak of any generation then, so that the object is not steady:
// after a restart, with a better Mote perhaps, it has a turn.
func (c *Controller) showPanic(ctx context.Context, t *Turn, what string) {
	if t == nil || t.Object == nil { // it was not read yet
		return
	}
	defer func() { // the reconciler may have left the object in any state
		if p := recover(); p != nil {
			t.Log.Error("could not show the panic on the object", "panic", fmt.Sprint(p))
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), showLimit)
	defer cancel()
	what, _, _ = strings.Cut(what, "\n")
	note := "Mote failed on this object: " + shortened(what, 500) + ". It tries again, ever more slowly; other objects go on. Please report this."
	conditions, err := conditionsOf(t)
	if err != nil {
		t.Log.Warn("the object's conditions are unreadable and written anew", "error", err.Error())
	}
	status := statusOf(t.Object)
	delete(status, "observedGeneration")
	status["conditions"] = SetCondition(conditions, metav1.Condition{Type: ConditionReady, Status: metav1.ConditionFalse,
		Reason: "InternalError", Message: note, ObservedGeneration: t.Object.GetGeneration()}, t.Now())
	if _, err := t.PatchStatus(ctx, status); err != nil {
		t.Log.Warn("could not show the panic on the object", "error", err.Error())
	}
	t.Event(ctx, Warning, "InternalError", "Reconcile", note)
}
