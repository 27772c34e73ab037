package reconcile

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// Selection narrows what the API server sends.
type Selection struct {
	Namespace     string // "" is all
	LabelSelector string
	FieldSelector string
}

// sink takes what a watcher sees. Its methods must not block.
type sink interface {
	begin()                                           // a list begins
	seen(u *unstructured.Unstructured, fromList bool) // an object is there, new or changed
	left(u *unstructured.Unstructured)                // an object was deleted, or left the selection
	end()                                             // the list is whole
}

// watcher follows one resource: a list in pages, then a watch, and again when
// the watch's history is lost. See watchState for how it goes on after each
// kind of failure.
type watcher struct {
	resource dynamic.NamespaceableResourceInterface
	what     string // for the log
	sel      Selection
	sink     sink
	log      *slog.Logger
	synced   func() // called after each whole list
}

const (
	pageSize = 250
	// The API server ends a watch after timeoutSeconds, spread so that not all
	// end at once; the client allows a little more before it gives a stream up.
	watchMin   = 5 * time.Minute
	watchGrace = 30 * time.Second
	pageLimit  = time.Minute // for one page of a list
)

// run follows the resource until ctx ends.
func (w *watcher) run(ctx context.Context) {
	var s watchState
	said := ""
	for ctx.Err() == nil {
		var o outcome
		if s.mode == listing {
			o = w.page(ctx, s.continueToken)
		} else {
			o = w.follow(ctx, s.resourceVersion)
		}
		if ctx.Err() != nil {
			return
		}
		before := s
		var v verdict
		s, v = s.next(o, rand.Float64())
		switch {
		case o.err != nil && v.reason != said:
			w.log.Warn("watch: "+v.reason, "resource", w.what, "error", o.err.Error(), "retryIn", v.wait.Round(time.Second).String())
			said = v.reason
		case o.err == nil && before.mode == listing && s.mode == watching:
			if said != "" {
				w.log.Info("watch: in order again", "resource", w.what)
				said = ""
			}
			w.synced()
		case o.err == nil && o.progressed && said != "":
			w.log.Info("watch: in order again", "resource", w.what)
			said = ""
		}
		if !rest(ctx, v.wait) {
			return
		}
	}
}

// page fetches one page of a list.
func (w *watcher) page(ctx context.Context, token string) outcome {
	if token == "" {
		w.sink.begin()
	}
	ctx, cancel := context.WithTimeout(ctx, pageLimit)
	defer cancel()
	l, err := w.client().List(ctx, metav1.ListOptions{
		LabelSelector: w.sel.LabelSelector, FieldSelector: w.sel.FieldSelector,
		Limit: pageSize, Continue: token,
	})
	if err != nil {
		return outcome{err: err}
	}
	for i := range l.Items {
		w.sink.seen(&l.Items[i], true)
	}
	if l.GetContinue() == "" {
		w.sink.end()
	}
	return outcome{continueToken: l.GetContinue(), resourceVersion: l.GetResourceVersion()}
}

// follow opens a watch and takes its events until it ends.
func (w *watcher) follow(ctx context.Context, rv string) outcome {
	o := outcome{resourceVersion: rv}
	limit := watchMin + time.Duration(rand.Int64N(int64(watchMin)))
	seconds := int64(limit.Seconds())
	ctx, cancel := context.WithTimeout(ctx, limit+watchGrace)
	defer cancel()
	stream, err := w.client().Watch(ctx, metav1.ListOptions{
		LabelSelector: w.sel.LabelSelector, FieldSelector: w.sel.FieldSelector,
		ResourceVersion: rv, AllowWatchBookmarks: true, TimeoutSeconds: &seconds,
	})
	if err != nil {
		o.err = err
		return o
	}
	defer stream.Stop()
	for e := range stream.ResultChan() {
		if e.Type == watch.Error {
			o.err = apierrors.FromObject(e.Object)
			return o
		}
		u, ok := e.Object.(*unstructured.Unstructured)
		if !ok {
			o.err = fmt.Errorf("event %s carries a %T", e.Type, e.Object)
			return o
		}
		o.resourceVersion, o.progressed = u.GetResourceVersion(), true
		switch e.Type {
		case watch.Added, watch.Modified:
			w.sink.seen(u, false)
		case watch.Deleted:
			w.sink.left(u)
		}
	}
	return o
}

func (w *watcher) client() dynamic.ResourceInterface {
	if w.sel.Namespace != "" {
		return w.resource.Namespace(w.sel.Namespace)
	}
	return w.resource
}

// rest waits, and tells whether ctx is still alive.
func rest(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
