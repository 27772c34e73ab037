package postgresdb

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// asleep is a cluster whose machine is put to sleep while a status is written.
type asleep struct {
	cluster
	slept time.Duration
}

func (c *asleep) PatchStatusChecked(ctx context.Context, wanted any) error {
	c.slept = time.Hour
	return c.cluster.PatchStatusChecked(ctx, wanted)
}

func (c *asleep) Now() time.Time { return c.cluster.Now().Add(c.slept) }

// A process that slept between the intent and the call makes no call: others may
// have given up the intent meanwhile, and bought.
func TestAnOldIntentIsNotCalledFor(t *testing.T) {
	m := mote
	m.cluster = func(c cluster) cluster { return &asleep{cluster: c} }
	w := newWorld(nil)
	m.turn(&w, &chooser{})
	if w.billed() != 0 || !w.Object.Status.Intent.Open || w.Proc.Outcome != outcomeNothing {
		t.Fatalf("after the sleep\n%s", w)
	}
	w.Proc.Turn = wakeNow
	mote.turn(&w, &chooser{})
	if w.billed() != 0 || w.Object.Status.Intent.Open {
		t.Fatalf("the process knows that it made no call\n%s", w)
	}
	mote.turn(&w, &chooser{})
	if w.billed() != 1 || w.Object.Status.ID != 1 {
		t.Errorf("never bought\n%s", w)
	}
}

// A purchase is not begun when the turn is about to end: cut short, it would be
// ambiguous.
func TestAPurchaseNeedsRoom(t *testing.T) {
	for left, buys := range map[time.Duration]bool{purchaseRoom / 2: false, 3 * purchaseRoom: true} {
		w := newWorld(nil)
		ch := &chooser{}
		r := mote.shell(&w, &modelCloud{w: &w, ch: ch, begun: w.Object, check: func(s string) { t.Error(s) }})
		ctx, cancel := context.WithTimeout(t.Context(), left)
		res, err := r.take(ctx, turn{cluster: &modelCluster{w: &w, ch: ch, o: w.Object}, key: testKey, log: silent})
		cancel()
		if err != nil || (w.billed() == 1) != buys || res.Retry == buys || !buys && w.Object.Status.Intent.Open {
			t.Errorf("%s left: %+v %v\n%s", left, res, err, w)
		}
	}
}

// crowded is a cloud that turns purchases away for their rate, so many times.
type crowded struct {
	cloud.Postgres
	times int
	wait  time.Duration
	calls int
}

func (c *crowded) Create(context.Context, string, cloud.CreateRequest) (cloud.Created, error) {
	if c.calls++; c.calls <= c.times {
		return cloud.Created{}, &cloud.Error{Class: cloud.Throttled, RetryAfter: c.wait}
	}
	return cloud.Created{ID: "postgres-1"}, nil
}

// atTime is a cluster that tells the time.
type atTime struct{ cluster }

func (atTime) Now() time.Time { return time.Now() }

// A purchase that was turned away for its rate is made again without another look-up,
// for a few seconds; and meanwhile it is known that it bought nothing.
func TestAPurchaseSitsItsRateOut(t *testing.T) {
	for _, c := range []struct {
		name   string
		cloud  crowded
		within time.Duration // the turn's time
		calls  int
		bought bool
	}{
		{"not turned away", crowded{}, time.Minute, 1, true},
		{"twice", crowded{times: 2, wait: 800 * time.Millisecond}, time.Minute, 3, true},
		{"for longer than it waits", crowded{times: 9, wait: sitOut / 2}, time.Minute, 3, false},
		{"far too long", crowded{times: 1, wait: time.Minute}, time.Minute, 1, false},
		{"without a time", crowded{times: 1}, time.Minute, 1, false},
		{"the turn ends before", crowded{times: 1, wait: 2 * time.Second}, time.Second, 1, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := &Reconciler{api: &c.cloud}
			intent := &databasev1.CreateIntent{StartedAt: metav1.Now()}
			ctx, cancel := context.WithTimeout(t.Context(), c.within)
			defer cancel()
			created, err := r.order(ctx, turn{cluster: atTime{}, key: testKey, log: silent}, "here", testUID, intent, &cloud.CreateRequest{})
			if c.cloud.calls != c.calls || (created.ID != "") != c.bought || (err == nil) != c.bought {
				t.Errorf("%s: %d calls, %v, %v", c.name, c.cloud.calls, created, err)
			}
			// Of the call that was made last nothing is known, but while the next one is waited for.
			if known := len(r.outcomes.of) > 0; known != (c.name == "the turn ends before") {
				t.Errorf("%s: known to have bought nothing: %t", c.name, known)
			}
		})
	}
}

func TestOutcomesAreOfOneIntent(t *testing.T) {
	o := see(openIntent(unmarked, 0)).Object
	var m outcomes
	if m.get(testKey, o) != nil {
		t.Error("something is known from the start")
	}
	m.keep(testKey, o.UID, o.Status.Create, Outcome{Nothing: true})
	if got := m.get(testKey, o); got == nil || !got.Nothing {
		t.Errorf("%+v", got)
	}
	later := *o.Status.Create
	later.StartedAt.Time = later.StartedAt.Add(time.Second)
	for name, change := range map[string]func() func(){
		"another object's intent": func() func() { o.UID = "u-2"; return func() { o.UID = testUID } },
		"another intent": func() func() {
			was := o.Status.Create
			o.Status.Create = &later
			return func() { o.Status.Create = was }
		},
		"an intent that is closed": func() func() { was := o.Status.Create; o.Status.Create = nil; return func() { o.Status.Create = was } },
	} {
		back := change()
		if m.get(testKey, o) != nil {
			t.Errorf("%s is taken for the one that is remembered", name)
		}
		back()
	}
	if m.get(reconcile.Key{Namespace: "other", Name: testName}, o) != nil {
		t.Error("another key's")
	}
	m.drop(testKey)
	if m.get(testKey, o) != nil || len(m.of) != 0 {
		t.Error("not forgotten")
	}
}
