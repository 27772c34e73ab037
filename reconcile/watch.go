package reconcile

import (
	"context"
	"log/slog"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
	begin() // a list begins
	// seen: an object is there, new or changed; text is its JSON, where an event came
	// with it and u is only a glance.
	seen(u *unstructured.Unstructured, text []byte, fromList bool)
	left(u *unstructured.Unstructured) // an object was deleted, or left the selection
	end()                              // the list is whole
}

// watcher follows one resource: a list, in pages or streamed, then a watch, and
// again when the watch's history is lost. See watchState for how it goes on after
// each kind of failure.
type watcher struct {
	resource dynamic.NamespaceableResourceInterface
	what     string // for the log
	sel      Selection
	sink     sink
	log      *slog.Logger
	synced   func() // called after each whole list
	trouble  trouble
	meter    watchMeter
	pace     pace
	random   func() float64 // in [0, 1)

	live *stream // a streamed list that is whole, to be followed; or nil
}

// run follows the resource until ctx ends.
func (w *watcher) run(ctx context.Context) {
	defer func() {
		if w.live != nil {
			w.live.close()
		}
	}()
	s := watchState{}.anew(w.pace)
	for ctx.Err() == nil {
		w.meter.step()
		began := time.Now()
		var o outcome
		switch s.mode {
		case listing:
			o = w.page(ctx, s.continueToken)
		case streaming:
			o = w.streamed(ctx)
		case watching:
			o = w.follow(ctx, s.resourceVersion)
		}
		if ctx.Err() != nil {
			return
		}
		o.took = time.Since(began)
		whole := s.mode != watching && o.err == nil && o.continueToken == ""
		var v verdict
		s, v = s.next(o, w.pace, w.random())
		if v.reason != "" {
			w.say(v, o.err)
		}
		if whole {
			w.meter.lists.Inc()
			w.inOrder()
			w.synced()
		}
		w.meter.step()
		if !sleep(ctx, v.wait) {
			return
		}
	}
}

// say logs what is the matter, and shows it; once, however often it happens.
func (w *watcher) say(v verdict, err error) {
	if !w.trouble.set(v.reason) {
		return
	}
	log := w.log
	if err != nil {
		log = log.With("error", err.Error())
	}
	log.Warn("watch: "+v.reason, "resource", w.what, "retryIn", v.wait.Round(time.Second).String())
}

// inOrder takes back what say said, when a list is whole or a watch has stood. Of a
// silence that is no proof.
func (w *watcher) inOrder() {
	if reason, _ := w.trouble.get(); reason != reasonSilent {
		w.heal()
	}
}

// heard takes back what say said of a silence.
func (w *watcher) heard() {
	if reason, _ := w.trouble.get(); reason == reasonSilent {
		w.heal()
	}
}

func (w *watcher) heal() {
	if w.trouble.set("") {
		w.log.Info("watch: in order again", "resource", w.what)
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
		w.sink.seen(&l.Items[i], nil, true)
	}
	if l.GetContinue() == "" {
		w.sink.end()
	}
	return outcome{continueToken: l.GetContinue(), resourceVersion: l.GetResourceVersion()}
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
