package reconcile

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"example.com/mote/simulation/wire"
)

// listEnd is the bookmark that ends a streamed list.
func listEnd(version string) streamPart {
	return event("BOOKMARK", map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{
		"resourceVersion": version, "annotations": map[string]any{"k8s.io/initial-events-end": "true"}}})
}

// Lists that are streamed, and how pages take their place.
func TestStreamedLists(t *testing.T) {
	a3, b4, a5 := object("a", "3"), object("b", "4"), object("a", "5")
	bookmark := event("BOOKMARK", object("", "9"))
	const whole = "begin, listed b@4, listed a@3, end"
	list := scriptStep{"list", page("", "6", "a")}
	const listed = "begin, listed a@6, end"
	for _, c := range []scriptCase{
		{name: "a list and a watch in one",
			steps: []scriptStep{{"stream", events(event("ADDED", b4), event("ADDED", a3), listEnd("4"), event("MODIFIED", a5), ends)}},
			notes: whole + ", seen a@5", last: "watch 5"},
		{name: "an empty list",
			steps: []scriptStep{{"stream", events(listEnd("4"), ends)}},
			notes: "begin, end", last: "watch 4"},
		{name: "what happens while the list comes",
			steps: []scriptStep{{"stream", events(event("ADDED", a3), event("MODIFIED", b4), event("DELETED", a5), bookmark, listEnd("10"), ends)}},
			notes: "begin, listed a@3, seen b@4, left a@5, end", last: "watch 10"},
		{name: "refused as invalid: pages, and for some time no other try",
			steps: []scriptStep{{"stream", refuse(422, metav1.StatusReasonInvalid)}, list,
				{"watch 6", refuse(410, metav1.StatusReasonExpired)}, list,
				{"watch 6", refuse(410, metav1.StatusReasonExpired)}, {"stream", events(listEnd("7"), ends)}},
			notes: "begin, " + listed + ", " + listed + ", begin, end", last: "watch 7", logs: []string{reasonExpired}},
		{name: "refused as a bad request", steps: []scriptStep{{"stream", refuse(400, metav1.StatusReasonBadRequest)}, list},
			notes: "begin, " + listed, last: "watch 6"},
		{name: "forbidden", steps: []scriptStep{{"stream", refuse(403, metav1.StatusReasonForbidden)}, list},
			notes: "begin, " + listed, last: "watch 6"},
		{name: "no bookmark ends it",
			steps: []scriptStep{{"stream", events(event("ADDED", a3))}, list, {"watch 6", refuse(410, metav1.StatusReasonExpired)}, list},
			notes: "begin, listed a@3, " + listed + ", " + listed, last: "watch 6", pace: func(p *pace) { p.stall = 2 * time.Second }, logs: []string{reasonStalled, "in order again"}},
		{name: "no answer at all",
			steps: []scriptStep{{"stream", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }}, list},
			notes: "begin, " + listed, last: "watch 6", pace: func(p *pace) { p.stall = 2 * time.Second }, logs: []string{reasonStalled}},
		{name: "cut half way: not whole, pages for this time",
			steps: []scriptStep{{"stream", events(event("ADDED", a3), raw(`{"type":"ADDED","object":{"apiVersion"`), breaks)}, list, {"watch 6", refuse(410, metav1.StatusReasonExpired)}, {"stream", events(listEnd("7"), ends)}},
			notes: "begin, listed a@3, " + listed + ", begin, end", last: "watch 7", logs: []string{reasonFailed, "before the list was whole"}},
		{name: "ended half way, in order",
			steps: []scriptStep{{"stream", events(event("ADDED", a3), ends)}, list},
			notes: "begin, listed a@3, " + listed, last: "watch 6", logs: []string{reasonFailed}},
		{name: "an error half way",
			steps: []scriptStep{{"stream", events(event("ADDED", a3), event("ERROR", status(500, "")))}, list},
			notes: "begin, listed a@3, " + listed, last: "watch 6", logs: []string{reasonFailed}},
		{name: "history is gone half way",
			steps: []scriptStep{{"stream", events(event("ADDED", a3), event("ERROR", status(410, metav1.StatusReasonExpired)))}, list},
			notes: "begin, listed a@3, " + listed, last: "watch 6", logs: []string{reasonExpired}},
		{name: "a CRD that is missing, and comes",
			steps: []scriptStep{{"stream", http.NotFound}, {"stream", refuse(404, metav1.StatusReasonNotFound)}, {"stream", events(listEnd("4"), ends)}},
			notes: "begin, begin, begin, end", last: "watch 4", logs: []string{reasonMissing, "in order again"}},
		{name: "credentials that have run out",
			steps: []scriptStep{{"stream", refuse(401, metav1.StatusReasonUnauthorized)}, {"stream", events(listEnd("4"), ends)}},
			notes: "begin, begin, end", last: "watch 4", logs: []string{reasonUnauthorized}},
		{name: "a repair that is streamed, and cut: the watch goes on",
			steps: []scriptStep{{"stream", events(event("ADDED", a3), listEnd("4"), event("ADDED", b4), ends)}, {"stream", events(event("ADDED", a5), breaks)}, {"watch 4", events(event("MODIFIED", a5), ends)}, list},
			notes: "begin, listed a@3, end, seen b@4, begin, listed a@5, seen a@5, " + listed, last: "watch 6", pace: func(p *pace) { p.relist = 0 }, logs: []string{reasonUnrepaired}},
		{name: "a repair that stalls is taken up in pages",
			steps: []scriptStep{{"stream", events(event("ADDED", a3), listEnd("4"), event("ADDED", b4), ends)}, {"stream", events(event("ADDED", a3))}, list},
			notes: "begin, listed a@3, end, seen b@4, begin, listed a@3, " + listed, last: "watch 6", pace: func(p *pace) { p.relist = 0; p.stall = 2 * time.Second }, logs: []string{reasonStalled}},
	} {
		further := c.pace
		c.pace = func(p *pace) {
			p.stream = true
			if further != nil {
				further(p)
			}
		}
		t.Run(c.name, c.run)
	}
}

// An API server that sends objects now and then, and never the end: after the last
// of them it is given ten seconds.
func TestStreamedListStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var at []time.Duration
		serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			at = append(at, time.Since(began))
			switch q := r.URL.Query(); {
			case q.Get("sendInitialEvents") != "":
				part := func(w http.ResponseWriter, r *http.Request) bool {
					event("ADDED", object("a", "3"))(w, r)
					return sleep(r.Context(), 9*time.Second)
				}
				events(part, part, part)(w, r)
			case q.Get("watch") != "":
				events()(w, r)
			default:
				page("", "4", "a")(w, r)
			}
		})
		p := usualPace
		p.stream = true
		w := &watcher{resource: clientFor(t, &rest.Config{Host: "http://memory"}, wire.NewLine(serve, nil)).Resource(thingResource), what: "things",
			sink: &notes{}, log: (&logLines{}).logger(), synced: func() {}, pace: p, random: noJitter}
		ctx, cancel := context.WithCancel(t.Context())
		go w.run(ctx)
		time.Sleep(time.Minute)
		cancel()
		synctest.Wait()
		if want := []time.Duration{0, 28 * time.Second, 28 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("requests at %s, want %s", at, want)
		}
	})
}

// The stream that a list has left open ends with the watcher.
func TestStreamedListIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { events(listEnd("4"))(w, r) })
		p := usualPace
		p.stream = true
		w := &watcher{resource: clientFor(t, &rest.Config{Host: "http://memory"}, wire.NewLine(serve, nil)).Resource(thingResource), what: "things",
			sink: &notes{}, log: (&logLines{}).logger(), synced: cancel, pace: p, random: noJitter}
		w.run(ctx) // synctest fails if a goroutine is left
	})
}

// What is the matter shows while it is, and by which watch.
func TestTrouble(t *testing.T) {
	c := &Controller{watchers: []*watcher{{what: "things"}, {what: "deployments"}, {what: "services"}}}
	if got := c.Trouble(); got != "" {
		t.Errorf("at first: %q", got)
	}
	c.watchers[0].trouble.set("one")
	c.watchers[2].trouble.set("two")
	if got, want := c.Trouble(), "things: one; services: two"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	c.watchers[0].trouble.set("")
	c.watchers[2].trouble.set("")
	if got := c.Trouble(); got != "" {
		t.Errorf("at last: %q", got)
	}
}
