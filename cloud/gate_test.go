package cloud

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// weather is a cloud of which only Get, Create, Versions and List are asked, and
// whether they reach it.
type weather struct {
	Postgres
	mu     sync.Mutex
	start  time.Time
	down   map[string]error // by region/action, or region alone
	calls  []string         // action after so long
	probes []string         // after so long
}

func (w *weather) call(action, region string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, action+" "+region)
	if err := w.down[region+"/"+action]; err != nil {
		return err
	}
	return w.down[region]
}

func (w *weather) Get(_ context.Context, region, _ string) (Instance, error) {
	return Instance{}, w.call("Get", region)
}

func (w *weather) Versions(_ context.Context, region string) ([]Version, error) {
	return nil, w.call("Versions", region)
}

func (w *weather) Create(_ context.Context, region string, _ CreateRequest) (Created, error) {
	return Created{}, w.call("Create", region)
}

// errHang lets a List hang until its caller has enough.
var errHang = &Error{Class: Ambiguous, Code: "x"}

func (w *weather) List(ctx context.Context, region string, ids []string) ([]Instance, error) {
	err := w.call("List", region)
	if err == errHang {
		<-ctx.Done()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(ids) == 1 && ids[0] == probeID {
		w.probes = append(w.probes, fmt.Sprint(time.Since(w.start)))
	}
	return nil, err
}

// change sets what fails.
func (w *weather) change(where string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down[where] = err
}

// taken are the calls since it was asked last.
func (w *weather) taken() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.calls
	w.calls = nil
	return c
}

var noRoute = &Error{Class: NotSent, Action: "x", Region: "r", Code: "mote.NotSent", Message: "no route", Network: true}

// gated runs a test with a Gate over a weather in virtual time; opened collects the
// regions whose outage ended.
func gated(t *testing.T, test func(t *testing.T, g *Gate, w *weather, opened *[]string)) {
	synctest.Test(t, func(t *testing.T) {
		w := &weather{start: time.Now(), down: map[string]error{}}
		g := NewGate(w, WatchOptions{})
		var opened []string
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			g.Run(ctx, func(r string) { opened = append(opened, r) })
			close(done)
		}()
		synctest.Wait()
		test(t, g, w, &opened)
		stop()
		<-done
	})
}

func get(g *Gate, region string) error {
	_, err := g.Get(context.Background(), region, "postgres-1")
	synctest.Wait()
	return err
}

func TestGateShutsAndOpens(t *testing.T) {
	gated(t, func(t *testing.T, g *Gate, w *weather, opened *[]string) {
		time.Sleep(time.Hour)
		w.change("r", noRoute)
		began := time.Now()
		for n := range suspectAfter {
			if g.Outage("r") != nil {
				t.Fatalf("an outage after %d failures", n)
			}
			if err := get(g, "r"); err != noRoute {
				t.Fatal(err)
			}
		}
		o := g.Outage("r")
		if o == nil || !o.Since.Equal(began) || !strings.Contains(o.Cause, "no route") {
			t.Fatalf("%+v", o)
		}
		w.taken()
		for range 1000 {
			e, ok := get(g, "r").(*Error)
			if !ok || e.Class != NotSent || e.Outage == nil || *e.Outage != *o || e.Action != "Get" || e.Region != "r" || network(e) != nil {
				t.Fatalf("%+v", e)
			}
		}
		if err := get(g, "other"); err != nil {
			t.Error("an outage of one region is one of another:", err)
		}
		if calls := w.taken(); !reflect.DeepEqual(calls, []string{"Get other"}) {
			t.Errorf("calls in an outage: %v", calls)
		}
		time.Sleep(3 * time.Hour)
		w.mu.Lock()
		first, n := strings.Join(w.probes[:6], " "), len(w.probes)
		w.mu.Unlock()
		if first != "1h0m0s 1h0m10s 1h0m30s 1h1m10s 1h2m10s 1h3m10s" || n < 175 || n > 185 {
			t.Errorf("%d probes in 3 hours: %s", n, first)
		}
		if later := g.Outage("r"); later == nil || *later != *o {
			t.Errorf("since and cause moved: %+v", later)
		}
		w.change("r", nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if g.Outage("r") != nil || !reflect.DeepEqual(*opened, []string{"r"}) {
			t.Errorf("not over: %v %v", g.Outage("r"), *opened)
		}
		w.taken()
		if err := get(g, "r"); err != nil || len(w.taken()) != 1 {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		if calls := w.taken(); len(calls) != 0 {
			t.Errorf("probes after the outage: %v", calls)
		}
	})
}

// What the cloud answers, however unkindly, is no outage; nor is one that comes now
// and then, or what never was a call.
func TestGateStaysOpen(t *testing.T) {
	answer := func(c Class) error { return &Error{Class: c, Code: "Some.Code", RequestID: "req-1"} }
	ours := func(c Class, code string) error { return &Error{Class: c, Code: code} }
	for name, fails := range map[string]error{
		"throttled": answer(Throttled), "busy": answer(Busy), "denied": answer(Denied), "refused": answer(Refused), "a fault inside": answer(Ambiguous),
		"our own rate": ours(Throttled, "mote.LocalRate"), "no credentials": ours(Denied, "mote.NoCredentials"), "the caller left": ours(NotSent, "mote.GaveUp"),
	} {
		gated(t, func(t *testing.T, g *Gate, w *weather, _ *[]string) {
			w.change("r", fails)
			for range 100 {
				if err := get(g, "r"); err != fails {
					t.Errorf("%s: %v", name, err)
				}
			}
			if len(w.probes) > 0 {
				t.Errorf("%s: probed", name)
			}
		})
	}
	gated(t, func(t *testing.T, g *Gate, w *weather, _ *[]string) {
		for range 100 {
			w.change("r", noRoute)
			get(g, "r")
			get(g, "r")
			w.change("r", nil)
			get(g, "r")
		}
		if len(w.probes) > 0 {
			t.Error("probed although every third call was answered")
		}
	})
}

// One action that never comes back is no outage: the probe is answered.
func TestGateLeavesOneBadActionAlone(t *testing.T) {
	gated(t, func(t *testing.T, g *Gate, w *weather, opened *[]string) {
		w.change("r/Create", noRoute)
		for range 20 {
			_, err := g.Create(context.Background(), "r", CreateRequest{})
			synctest.Wait()
			if err != noRoute {
				t.Fatal(err)
			}
			if g.Outage("r") != nil {
				t.Fatal("an outage")
			}
		}
		if n := len(w.probes); n == 0 || n > 20/suspectAfter {
			t.Errorf("%d probes", n)
		}
		if len(*opened) > 0 {
			t.Error("the end of an outage that was none")
		}
	})
}

// What is answered from memory says nothing of the region.
func TestGateBelievesNoMemory(t *testing.T) {
	gated(t, func(t *testing.T, g *Gate, w *weather, _ *[]string) {
		w.change("r/Get", noRoute)
		w.change("r/List", noRoute)
		for range suspectAfter {
			if _, err := g.Versions(t.Context(), "r"); err != nil {
				t.Fatal(err)
			}
			get(g, "r")
		}
		if g.Outage("r") == nil {
			t.Error("memory hides the outage")
		}
		if _, err := g.Versions(t.Context(), "r"); network(err) != nil || err == nil {
			t.Errorf("in an outage: %v", err)
		}
	})
}

// A probe that nobody answers in time is not answered.
func TestGateTakesSilenceForAnOutage(t *testing.T) {
	gated(t, func(t *testing.T, g *Gate, w *weather, _ *[]string) {
		w.change("r/Get", noRoute)
		w.change("r/List", errHang)
		for range suspectAfter {
			get(g, "r")
		}
		if g.Outage("r") != nil {
			t.Fatal("the probe is not over yet")
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if o := g.Outage("r"); o == nil || !strings.Contains(o.Cause, "nothing came within 30s") {
			t.Errorf("%+v", o)
		}
		w.change("r", nil)
		w.change("r/List", nil)
		time.Sleep(time.Minute)
		if g.Outage("r") != nil {
			t.Error("not over")
		}
	})
}

func TestGateWithoutRunNeverShuts(t *testing.T) {
	w := &weather{down: map[string]error{"r": noRoute}}
	g := NewGate(w, WatchOptions{})
	for range 10 {
		if _, err := g.Get(t.Context(), "r", "postgres-1"); err != noRoute {
			t.Fatal(err)
		}
	}
	if len(w.calls) != 10 {
		t.Errorf("%d calls", len(w.calls))
	}
}

func TestGateTellsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		w := &weather{start: time.Now(), down: map[string]error{"r": noRoute}}
		g := NewGate(w, WatchOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
		ctx, stop := context.WithCancel(t.Context())
		go g.Run(ctx, func(string) {})
		synctest.Wait()
		for range 5 {
			get(g, "r")
		}
		time.Sleep(5 * time.Hour)
		w.change("r", nil)
		time.Sleep(2 * time.Minute)
		stop()
		synctest.Wait()
		if n := strings.Count(log.String(), "\n"); n != 2 || !strings.Contains(log.String(), "does not answer") || !strings.Contains(log.String(), "answers again") {
			t.Errorf("logged:\n%s", log.String())
		}
	})
}

// Every method of Postgres goes through the Gate; one that was forgotten would come
// from the embedded interface.
func TestGateHasEveryCall(t *testing.T) {
	g := NewGate(nil, WatchOptions{})
	g.regions["r"] = &regionGate{outage: &Outage{Cause: "x"}}
	v := reflect.ValueOf(g)
	of := reflect.TypeFor[Postgres]()
	for n := range of.NumMethod() {
		m := v.MethodByName(of.Method(n).Name)
		args := []reflect.Value{reflect.ValueOf(t.Context()), reflect.ValueOf("r")}
		for i := 2; i < m.Type().NumIn(); i++ {
			args = append(args, reflect.Zero(m.Type().In(i)))
		}
		out := m.Call(args)
		err, _ := out[len(out)-1].Interface().(error)
		if e, ok := err.(*Error); !ok || e.Outage == nil || e.Action != of.Method(n).Name {
			t.Errorf("%s: %v", of.Method(n).Name, err)
		}
	}
}
