package postgresdb

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"example.com/mote/cloud"
)

// EXPLORE=3 goes deeper than the tests do by themselves: it is the number of
// unusual things in a life.
const exploreVariable = "EXPLORE"

// maxStates bounds an exploration's memory, at about 400 bytes a state.
const maxStates = 8_000_000

func newWorld(change func(*world)) world {
	w := world{
		Object: object{Exists: true, Gen: 2, Policy: deletePolicy},
		Proc:   process{Turn: wakeNow},
		Cloudy: cloudHabits{Lag: goodLag},
	}
	if change != nil {
		change(&w)
	}
	return w
}

// purchaseAlone leaves out what only happens after the purchase, for lives in which
// that is as in others.
func purchaseAlone(w *world) {
	w.Spent.New, w.Spent.Renamed, w.Spent.Password = true, true, true
}

// TestCreateOnce explores every life of an object with a number of unusual things
// in it: faults of the API server and of the cloud, crashes, and what other people
// do. The deletion, a change to any other policy, and all ways in which the
// cloud's lists lag, are in all of them. See rules_test.go for what must hold.
func TestCreateOnce(t *testing.T) {
	deep := 2
	if raceDetector {
		deep = 1 // one goroutine, five times slower: nothing to find and much to wait for
	}
	nameless := mote
	nameless.cloud = func(c cloud.Postgres) cloud.Postgres { return emptyAnswers{c} }
	for _, life := range []struct {
		name    string
		unusual int
		m       machine
		change  func(*world)
	}{
		{"postpaid", deep, mote, nil},
		{"prepaid", deep, mote, func(w *world) { w.Object.Prepaid = true; purchaseAlone(w) }},
		{"protected", 1, mote, func(w *world) { w.Object.Protect = protectYes }},
		{"isolate", 1, mote, func(w *world) { w.Object.Policy = isolatePolicy }},
		{"retain", 1, mote, func(w *world) { w.Object.Policy = retainPolicy }},
		{"bin not listed", 1, mote, func(w *world) { w.Cloudy.HideIsolated = true; purchaseAlone(w) }},
		{"purchases answered without an id", 1, nameless, purchaseAlone},
	} {
		t.Run(life.name, func(t *testing.T) {
			if n, err := strconv.Atoi(os.Getenv(exploreVariable)); err == nil {
				life.unusual = n
			}
			explore(t, &exploration{m: life.m, start: newWorld(life.change), unusual: life.unusual})
		})
	}
}

// TestLagBeyondGrace: when the cloud's lists lag for longer than the grace period,
// which the protocol assumes that they do not, an instance may be bought twice; but
// nothing is ended while several are in view, and what is in view is reported.
func TestLagBeyondGrace(t *testing.T) {
	x := &exploration{m: mote, start: newWorld(func(w *world) { w.Cloudy.Lag = badLag; purchaseAlone(w) }), unusual: 1}
	explore(t, x)
	twice, stopped := 0, 0
	for _, w := range x.worlds {
		if w.billed() > 1 {
			twice++
			if w.Object.Status.Said.what().Reason == "SeveralInstances" {
				stopped++
			}
		}
	}
	if twice == 0 || stopped == 0 {
		t.Errorf("%d worlds with two instances, %d of them stopped: the test shows nothing", twice, stopped)
	}
	t.Logf("%d worlds with two instances, in %d of them the object says so", twice, stopped)
}

func explore(t *testing.T, x *exploration) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	x.states = maxStates
	began := time.Now()
	if v := x.run(); v != nil {
		t.Fatalf("%s\n%s", v.rule, v.trace)
	}
	if x.whole < x.unusual {
		t.Fatalf("not explored: %s", x.report(time.Since(began)))
	}
	t.Log(x.report(time.Since(began)))
}

// shortestViolation looks for a violation with as few unusual things as can be.
func shortestViolation(m machine, start world, most int) (*violation, string) {
	var x *exploration
	began := time.Now()
	for unusual := range most + 1 {
		x = &exploration{m: m, start: start, unusual: unusual, states: maxStates}
		if v := x.run(); v != nil {
			return v, fmt.Sprintf("caught with %d unusual things after %s", unusual, time.Since(began).Round(time.Millisecond))
		}
	}
	return nil, x.report(time.Since(began))
}

// emptyAnswers says yes to a purchase, and names nothing.
type emptyAnswers struct{ cloud.Postgres }

func (c emptyAnswers) Create(ctx context.Context, region string, r cloud.CreateRequest) (cloud.Created, error) {
	_, err := c.Postgres.Create(ctx, region, r)
	return cloud.Created{}, err
}
