package reconcile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"example.com/mote/reconcile/lean"
)

var (
	errHalf     = errors.New("the stream ended before the list was whole")
	errWentBack = errors.New("the resourceVersion is older than one seen before")
)

// stream is an open watch. Its context ends at its time limit, or when nothing has
// come for too long; and its channel with it. A connection can die without a word,
// so it is ended from here.
type stream struct {
	watch.Interface
	ctx    context.Context
	cancel context.CancelFunc
	quiet  *time.Timer
	silent atomic.Bool
}

// open begins a watch; on an error the stream only tells whether it was silent.
func (w *watcher) open(ctx context.Context, o metav1.ListOptions, quiet time.Duration) (*stream, error) {
	limit := w.pace.watch + time.Duration(w.random()*float64(w.pace.watch))
	seconds := int64(math.Ceil(limit.Seconds()))
	o.LabelSelector, o.FieldSelector = w.sel.LabelSelector, w.sel.FieldSelector
	o.AllowWatchBookmarks, o.TimeoutSeconds = true, &seconds
	w.meter.streams.Inc()
	s := &stream{}
	s.ctx, s.cancel = context.WithTimeout(ctx, limit+w.pace.grace)
	s.quiet = time.AfterFunc(quiet, func() {
		s.silent.Store(true)
		s.cancel()
	})
	var err error
	if s.Interface, err = w.client().Watch(s.ctx, o); err != nil {
		s.quiet.Stop()
		s.cancel()
	}
	return s, err
}

func (s *stream) close() {
	s.quiet.Stop()
	s.cancel()
	s.Stop()
}

// object is what an event carries; nil with no error when the stream was ended
// from here, as the client reports it.
func (s *stream) object(e watch.Event) (*unstructured.Unstructured, error) {
	if e.Type == watch.Error {
		if s.ctx.Err() != nil {
			return nil, nil
		}
		return nil, apierrors.FromObject(e.Object)
	}
	u, _ := glanced(e.Object)
	if u == nil || u.GetResourceVersion() == "" {
		return nil, fmt.Errorf("event %s carries a %T without resourceVersion", e.Type, e.Object)
	}
	return u, nil
}

// glanced is what an event carries, and its JSON where that is only a glance of it.
func glanced(o runtime.Object) (u *unstructured.Unstructured, text []byte) {
	switch o := o.(type) {
	case *unstructured.Unstructured:
		return o, nil
	case *lean.Glance:
		return &o.Unstructured, o.Text
	}
	return nil, nil
}

// streamed takes a whole list from a watch that begins with every object there is,
// one at a time, and leaves the watch open for follow. The bookmark that ends the
// list may never come (an API server too old, or on a store that does not report
// its progress): without new objects the wait for it is bounded.
func (w *watcher) streamed(ctx context.Context) outcome {
	w.sink.begin()
	yes := true
	s, err := w.open(ctx, metav1.ListOptions{SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}, w.pace.stall)
	if err != nil {
		return outcome{err: err, silent: s.silent.Load()}
	}
	for e := range s.ResultChan() {
		var u *unstructured.Unstructured
		if u, err = s.object(e); u == nil {
			break
		}
		switch {
		case e.Type == watch.Bookmark && u.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true":
			s.quiet.Reset(w.pace.quiet)
			w.live = s
			w.sink.end()
			return outcome{resourceVersion: u.GetResourceVersion()}
		case e.Type == watch.Added:
			s.quiet.Reset(w.pace.stall)
			w.sink.seen(u, nil, true)
		default:
			w.deliver(e, u)
		}
	}
	if err == nil {
		err = errHalf
	}
	s.close()
	return outcome{err: err, silent: s.silent.Load()}
}

// follow takes the events of a watch until it ends: of the one that a streamed
// list has left open, or of a new one.
func (w *watcher) follow(ctx context.Context, rv string) outcome {
	o := outcome{resourceVersion: rv, brief: true}
	s := w.live
	w.live = nil
	if s == nil {
		if s, o.err = w.open(ctx, metav1.ListOptions{ResourceVersion: rv}, w.pace.quiet); o.err != nil {
			o.silent = s.silent.Load()
			return o
		}
	}
	defer s.close()
	opened := time.Now()
	stood := time.NewTimer(w.pace.brief)
	defer stood.Stop()
	for open := true; open; {
		select {
		case <-stood.C:
			w.inOrder()
		case e, ok := <-s.ResultChan():
			if open = ok; open {
				open = w.take(s, e, &o)
			}
		}
	}
	o.silent = s.silent.Load()
	o.brief = time.Since(opened) < w.pace.brief
	if o.err == nil && !o.brief {
		w.inOrder()
	}
	return o
}

// take takes one event of a watch, and tells whether the watch goes on.
func (w *watcher) take(s *stream, e watch.Event, o *outcome) (open bool) {
	u, err := s.object(e)
	if u == nil {
		o.err = err
		return false
	}
	s.quiet.Reset(w.pace.quiet)
	w.meter.event()
	back := older(u.GetResourceVersion(), o.resourceVersion)
	if back && e.Type != watch.Deleted { // what is deleted may come as it was last seen
		o.err = errWentBack
		return false
	}
	if !back {
		o.resourceVersion = u.GetResourceVersion()
	}
	if !o.progressed {
		o.progressed = true
		w.heard()
	}
	w.deliver(e, u)
	return true
}

func (w *watcher) deliver(e watch.Event, u *unstructured.Unstructured) {
	switch e.Type {
	case watch.Added, watch.Modified:
		_, text := glanced(e.Object)
		w.sink.seen(u, text, false)
	case watch.Deleted:
		w.sink.left(u)
	}
}

// older tells whether a resourceVersion is of before another. Those that are no
// numbers say nothing.
func older(a, b string) bool {
	x, errA := strconv.ParseUint(a, 10, 64)
	y, errB := strconv.ParseUint(b, 10, 64)
	return errA == nil && errB == nil && x < y
}
