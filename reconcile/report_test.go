package reconcile

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/metric"
)

// told is what a controller tells, one line for each check; only those that fail,
// with the time since when.
func told(ask func(func(check, trouble string, since time.Time))) string {
	var lines []string
	n := 0
	ask(func(check, trouble string, since time.Time) {
		n++
		if trouble != "" {
			lines = append(lines, fmt.Sprintf("%s since %s: %s", check, since.UTC().Format(time.TimeOnly), trouble))
		}
	})
	if n == 0 {
		return "no check at all"
	}
	return strings.Join(lines, "\n")
}

// putter is something with metrics.
type putter func(p *metric.Page)

func (f putter) Metrics(p *metric.Page) { f(p) }

func TestQueueMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(Backoff{Base: time.Minute, Max: time.Hour}, noJitter)
		a, b := key(1), key(2)
		q.Add(a, Flood)
		time.Sleep(3 * time.Second)
		q.Add(a, Live) // it waits already: lifted, not added
		q.AddAfter(b, time.Second)
		time.Sleep(2 * time.Second) // b is ready for a second
		if d := q.stuck(); d != 5*time.Second {
			t.Errorf("stuck for %s, want 5s", d)
		}
		q.Get() // a
		q.Get() // b
		if d := q.stuck(); d != 0 {
			t.Errorf("stuck for %s although nothing is ready", d)
		}
		q.Add(a, Live)
		q.Done(a, 0, false) // it runs once more
		q.Done(b, 0, true)
		time.Sleep(2 * time.Second)
		if d := q.stuck(); d != 2*time.Second {
			t.Errorf("stuck for %s, want 2s", d)
		}
		shows(t, shown(t, putter(func(p *metric.Page) { q.metrics(p, "Thing") })), `workqueue_depth{name="Thing"} 1`, `mote_workqueue_delayed{name="Thing"} 1`,
			`workqueue_adds_total{name="Thing"} 3`, `workqueue_retries_total{name="Thing"} 1`,
			`workqueue_queue_duration_seconds_count{name="Thing"} 2`, `workqueue_queue_duration_seconds_sum{name="Thing"} 6`,
			`workqueue_queue_duration_seconds_bucket{name="Thing",le="1"} 1`, `workqueue_queue_duration_seconds_bucket{name="Thing",le="5"} 2`)
		q.Close(0)
		if d := q.stuck(); d != 0 {
			t.Errorf("a closed queue is stuck for %s", d)
		}
	})
}

func TestTurnMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newTurnMeter(3)
		m.begin(0)
		time.Sleep(4 * time.Second)
		m.begin(2)
		time.Sleep(time.Second)
		if n, sum, longest := m.now(); n != 2 || sum != 6*time.Second || longest != 5*time.Second {
			t.Errorf("%d turns, %s, the longest %s", n, sum, longest)
		}
		m.end(0, Result{}, nil)
		m.end(2, Result{Retry: true}, errors.New("x"))
		for _, r := range []Result{{After: time.Second}, {Retry: true}, {Retry: true, After: time.Second}} {
			m.begin(1)
			m.end(1, r, nil)
		}
		if n, sum, longest := m.now(); n != 0 || sum != 0 || longest != 0 {
			t.Errorf("at rest: %d turns, %s, the longest %s", n, sum, longest)
		}
		shows(t, shown(t, putter(func(p *metric.Page) { m.metrics(p, "Thing") })), `controller_runtime_reconcile_total{controller="Thing",result="success"} 1`,
			`controller_runtime_reconcile_total{controller="Thing",result="requeue_after"} 1`,
			`controller_runtime_reconcile_total{controller="Thing",result="requeue"} 2`,
			`controller_runtime_reconcile_total{controller="Thing",result="error"} 1`,
			`controller_runtime_reconcile_errors_total{controller="Thing"} 1`,
			`controller_runtime_max_concurrent_reconciles{controller="Thing"} 3`, `controller_runtime_active_workers{controller="Thing"} 0`,
			`workqueue_work_duration_seconds_sum{name="Thing"} 6`, `controller_runtime_reconcile_time_seconds_count{controller="Thing"} 5`)
	})
}

// What counts costs a turn no memory.
func TestMetersAllocateNothing(t *testing.T) {
	m := newTurnMeter(1)
	var w watchMeter
	if n := testing.AllocsPerRun(100, func() {
		m.begin(0)
		m.end(0, Result{}, nil)
		w.event()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Rights that are taken away show, for the one resource; they heal by themselves.
func TestReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.setFault(func(r *http.Request) *metav1.Status { return stubStatus(503, metav1.StatusReasonServiceUnavailable) })
		e := startEngine(t, s, &hand{do: bringToRunning}, owning)
		began := time.Now().UTC().Format(time.TimeOnly)
		if got, want := told(e.Ready), "Thing/things since "+began+": "+reasonFailed+"\nThing/deployments since "+began+": "+reasonFailed; got != want {
			t.Errorf("at the start it tells\n%s\nwant\n%s", got, want)
		}
		s.setFault(nil)
		time.Sleep(time.Minute)
		if got := told(e.Ready); got != "" {
			t.Errorf("in order it tells\n%s", got)
		}
		s.set("things", plain("a"))
		time.Sleep(time.Second)
		s.setFault(func(r *http.Request) *metav1.Status {
			if strings.HasSuffix(r.URL.Path, "/deployments") {
				return stubStatus(403, metav1.StatusReasonForbidden)
			}
			return nil
		})
		time.Sleep(15 * time.Minute) // the watch has ended, and is refused
		if got := told(e.Ready); !strings.HasPrefix(got, "Thing/deployments since 00:") || !strings.HasSuffix(got, reasonForbidden) || strings.Contains(got, "\n") {
			t.Errorf("without rights it tells\n%s", got)
		}
		if got := told(e.Alive); got != "" {
			t.Errorf("without rights it is not alive:\n%s", got)
		}
		page := shown(t, e)
		shows(t, page, `mote_watch_trouble{kind="Thing",resource="deployments",reason="Forbidden"} 1`,
			`mote_watch_trouble{kind="Thing",resource="deployments",reason="Failed"} 0`,
			`mote_watch_trouble{kind="Thing",resource="things",reason="Forbidden"} 0`,
			`mote_watch_lists_total{kind="Thing",resource="things"} 1`, `mote_objects{kind="Thing",phase="Other"} 1`)
		s.setFault(nil)
		time.Sleep(time.Minute)
		if got := told(e.Ready); got != "" {
			t.Errorf("with rights again it tells\n%s", got)
		}
		shows(t, shown(t, e), `mote_watch_trouble{kind="Thing",resource="deployments",reason="Forbidden"} 0`)
	})
}

// A list that is under way is no trouble, but it is not ready either.
func TestNotReadyBeforeTheFirstList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		answer := make(chan struct{})
		s.setFault(func(*http.Request) *metav1.Status { <-answer; return nil })
		e := startEngine(t, s, &hand{})
		if got := told(e.Ready); !strings.HasSuffix(got, "the first list is not whole yet") {
			t.Errorf("it tells\n%s", got)
		}
		close(answer)
		<-e.Synced()
		synctest.Wait()
		if got := told(e.Ready); got != "" {
			t.Errorf("it tells\n%s", got)
		}
	})
}

// A turn that obeys nothing is found out, and so is what waits behind it.
func TestAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		hang := make(chan struct{})
		h := &hand{do: func(context.Context, *Turn) (Result, error) { <-hang; return Result{}, nil }}
		e := startEngine(t, s, h, func(k *Kind) { k.Workers = 1 })
		s.set("things", plain("a"))
		s.set("things", plain("b"))
		time.Sleep(3 * time.Minute)
		if got := told(e.Alive); got != "" {
			t.Errorf("early it tells\n%s", got)
		}
		shows(t, shown(t, e), `workqueue_longest_running_processor_seconds{name="Thing"} 180`, `controller_runtime_active_workers{controller="Thing"} 1`)
		time.Sleep(time.Minute)
		got := told(e.Alive)
		for _, want := range []string{"Thing/queue since 00:00:00: keys are ready and none has a turn", "Thing/turns since 00:00:00: a turn does not end, more than the 3m0s"} {
			if !strings.Contains(got, want) {
				t.Errorf("it tells\n%s\nwhich lacks %q", got, want)
			}
		}
		close(hang)
		synctest.Wait()
		if got := told(e.Alive); got != "" {
			t.Errorf("at last it tells\n%s", got)
		}
	})
}

// A watch in a step that has no end is found out, whatever the step.
func TestAliveWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.set("things", plain("a"))
		hang := make(chan struct{})
		h := &hand{seen: func(Key, *unstructured.Unstructured) { <-hang }}
		e := startEngine(t, s, h)
		time.Sleep(usualPace.longestStep())
		if got := told(e.Alive); got != "" {
			t.Errorf("early it tells\n%s", got)
		}
		time.Sleep(time.Millisecond)
		if got := told(e.Alive); !strings.Contains(got, "Thing/things since 00:00:00: the watch does not move") {
			t.Errorf("it tells\n%s", got)
		}
		close(hang)
		synctest.Wait()
		if got := told(e.Alive); got != "" {
			t.Errorf("at last it tells\n%s", got)
		}
	})
}

// While nothing is wrong the loops move, for however long.
func TestAliveForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startEngine(t, newStub(t), &hand{})
		for range 200 {
			time.Sleep(17 * time.Minute)
			if got := told(e.Alive) + told(e.Ready); got != "" {
				t.Fatalf("it tells\n%s", got)
			}
		}
	})
}

// All that a kind's controller counts in takes little, with as many turns at once
// as by default and four watches: 2.5 kB.
func TestMetersAreSmall(t *testing.T) {
	const turns, watches = 128, 4
	var m turnMeter
	size := unsafe.Sizeof(m) + turns*unsafe.Sizeof(m.began[0]) + unsafe.Sizeof(queueMeter{}) + watches*(unsafe.Sizeof(watchMeter{})+unsafe.Sizeof(time.Time{}))
	if size > 2560 {
		t.Errorf("%d bytes", size)
	}
}
