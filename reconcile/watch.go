package reconcile

import (
	"context"
	"fmt"
	"log/slog"
	"math"
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
	pace     pace
	random   func() float64 // in [0, 1)
}

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
		s, v = s.next(o, w.pace, w.random())
		whole := before.mode == listing && o.err == nil && o.continueToken == ""
		switch {
		case v.reason != "" && v.reason != said:
			said = v.reason
			log := w.log
			if o.err != nil {
				log = log.With("error", o.err.Error())
			}
			log.Warn("watch: "+v.reason, "resource", w.what, "retryIn", v.wait.Round(time.Second).String())
		case v.reason == "" && said != "" && (whole || before.mode == watching && (o.progressed || !o.brief)):
			said = ""
			w.log.Info("watch: in order again", "resource", w.what)
		}
		if whole {
			w.synced()
		}
		if !sleep(ctx, v.wait) {
			return
		}
	}
}

// page fetches one page of a list.
func (w *watcher) page(ctx context.Context, token string) outcome {
	if token == "" {
		w.sink.begin()
	}
	ctx, cancel := context.WithTimeout(ctx, w.pace.pageLimit)
	defer cancel()
	l, err := w.client().List(ctx, metav1.ListOptions{
		LabelSelector: w.sel.LabelSelector, FieldSelector: w.sel.FieldSelector,
		Limit: w.pace.page, Continue: token,
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

// follow opens a watch and takes its events until it ends. A connection can die
// without a word, and then so does the stream: one that is silent for too long is
// ended from here, and taken up where it was.
func (w *watcher) follow(ctx context.Context, rv string) outcome {
	o := outcome{resourceVersion: rv, brief: true}
	limit := w.pace.watch + time.Duration(w.random()*float64(w.pace.watch))
	seconds := int64(math.Ceil(limit.Seconds()))
	ctx, cancel := context.WithTimeout(ctx, limit+w.pace.grace)
	defer cancel()
	silence := time.AfterFunc(w.pace.quiet, cancel)
	defer silence.Stop()
	stream, err := w.client().Watch(ctx, metav1.ListOptions{
		LabelSelector: w.sel.LabelSelector, FieldSelector: w.sel.FieldSelector,
		ResourceVersion: rv, AllowWatchBookmarks: true, TimeoutSeconds: &seconds,
	})
	if err != nil {
		o.err = err
		return o
	}
	defer stream.Stop()
	opened := time.Now()
	for e := range stream.ResultChan() {
		if e.Type == watch.Error && ctx.Err() != nil {
			break // our own end of it, as the client reports it
		}
		silence.Reset(w.pace.quiet)
		if e.Type == watch.Error {
			o.err = apierrors.FromObject(e.Object)
			break
		}
		u, ok := e.Object.(*unstructured.Unstructured)
		if !ok || u.GetResourceVersion() == "" {
			o.err = fmt.Errorf("event %s carries a %T without resourceVersion", e.Type, e.Object)
			break
		}
		o.resourceVersion, o.progressed = u.GetResourceVersion(), true
		switch e.Type {
		case watch.Added, watch.Modified:
			w.sink.seen(u, false)
		case watch.Deleted:
			w.sink.left(u)
		}
	}
	o.brief = time.Since(opened) < w.pace.brief
	return o
}

func (w *watcher) client() dynamic.ResourceInterface {
	if w.sel.Namespace != "" {
		return w.resource.Namespace(w.sel.Namespace)
	}
	return w.resource
}

// sleep waits, and tells whether ctx is still alive.
func sleep(ctx context.Context, d time.Duration) bool {
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
