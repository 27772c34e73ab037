package cloud

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// serve is a region's goroutine. It ends when the region is empty or ctx done.
func (w *Watch[K]) serve(ctx context.Context, r *watchRegion[K]) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		w.mu.Lock()
		due, ok := r.due()
		if !ok {
			delete(w.regions, r.name)
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		if wait := time.Until(due); wait > 0 {
			timer.Reset(wait)
			select {
			case <-timer.C:
			case <-r.stirred:
			case <-ctx.Done():
				return
			}
			continue
		}
		if ctx.Err() != nil {
			return
		}
		w.poll(ctx, r)
	}
}

// poll asks for one page and acts on the answer.
func (w *Watch[K]) poll(ctx context.Context, r *watchRegion[K]) {
	c := &r.ring
	w.mu.Lock()
	asked := time.Now()
	ids := c.take(asked)
	w.mu.Unlock()
	if len(ids) == 0 {
		return // the last one was forgotten just now
	}
	call, cancel := context.WithTimeout(ctx, w.o.CallTimeout)
	got, err := w.api.List(call, r.name, ids)
	cancel()
	if ctx.Err() != nil {
		return // whatever came back, it came from stopping
	}

	w.mu.Lock()
	now := time.Now()
	var wakes []K
	var since time.Time
	var turned, healed bool
	switch class := ClassOf(err); {
	case err == nil:
		c.page = min(2*c.page, MaxPage)
		wakes = r.observe(ids, got, asked)
		since, healed = r.answered()
	case class == Refused || class == Gone:
		// One id that the cloud does not stand must not hide the other 99: the
		// page is asked for again in smaller ones, until that id is alone. By
		// itself it counts as not there, and its own live read says why.
		if len(ids) == 1 {
			wakes = r.observe(ids, nil, asked)
		} else {
			c.giveBack(len(ids))
			c.page = max(1, len(ids)/2)
		}
		since, healed = r.answered()
	case class == Throttled:
		// The cloud, or our own rate, answers: too early is not unreachable.
		c.giveBack(len(ids))
		pause := w.o.Interval
		var e *Error
		if errors.As(err, &e) && e.RetryAfter > 0 {
			pause = e.RetryAfter
		}
		r.notUntil = now.Add(pause)
	default:
		c.giveBack(len(ids))
		turned = r.failed(err, asked, now)
		since = r.failing
	}
	wake := w.wake
	w.mu.Unlock()

	switch {
	case turned:
		w.o.Log.Warn("the cloud does not answer", slog.String("region", r.name), slog.Time("since", since), slog.Any("error", err))
	case healed:
		w.o.Log.Info("the cloud answers again", slog.String("region", r.name), slog.Duration("after", now.Sub(since)))
	}
	for _, key := range wakes {
		wake(key)
	}
}
