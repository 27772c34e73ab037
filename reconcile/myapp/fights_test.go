package myapp

import (
	"testing"
	"time"

	"example.com/mote/reconcile"
)

// Who changes a child now and then is put right at once; who goes on waits ever
// longer; and what is long past is forgotten.
func TestFights(t *testing.T) {
	var f fights
	k := reconcile.Key{Namespace: "shop", Name: "web"}
	now := noon
	held := func(r role) time.Duration {
		if until := f.held(k, now)[r]; !until.IsZero() {
			return until.Sub(now)
		}
		return 0
	}
	for n := range freely {
		if wait := held(service); wait != 0 {
			t.Errorf("after %d corrections it is held for %s", n, wait)
		}
		f.corrected(k, service, now)
		now = now.Add(time.Second)
	}
	for range 7 {
		f.corrected(k, service, now.Add(-time.Second))
	}
	if wait := held(service); wait != 30*time.Minute-time.Second {
		t.Errorf("after many it is held for %s", wait)
	}
	if held(deployment) != 0 || f.held(reconcile.Key{Namespace: "shop", Name: "other"}, now) != [roles]time.Time{} {
		t.Error("something else is held as well")
	}
	now = now.Add(time.Hour)
	if wait := held(service); wait > 0 {
		t.Errorf("an hour later it is held for %s", wait)
	}
	f.corrected(k, service, now)
	if got := f.apps[k][service].count; got != 1 {
		t.Errorf("an hour later %d corrections are remembered", got)
	}
	f.forget(k)
	if len(f.apps) != 0 {
		t.Error("it is not forgotten")
	}
}

func TestCorrectionWaits(t *testing.T) {
	for count, want := range map[int]time.Duration{
		0: 0, 4: 0, 5: time.Minute, 6: 2 * time.Minute, 7: 4 * time.Minute, 9: 16 * time.Minute, 10: 30 * time.Minute, 11: 30 * time.Minute, 1 << 40: 30 * time.Minute,
	} {
		if got := (corrections{count: count}).wait(); got != want {
			t.Errorf("after %d: %s, want %s", count, got, want)
		}
	}
}

// What is past is let go of, so that it cannot pile up.
func TestFightsArePruned(t *testing.T) {
	var f fights
	now := noon
	for i := range 3 * fightSweep {
		f.corrected(reconcile.Key{Namespace: "shop", Name: string(rune('a'+i%26)) + string(rune('0'+i/26))}, role(i%int(roles)), now)
		now = now.Add(time.Minute)
	}
	if n := len(f.apps); n > fightSweep {
		t.Errorf("%d apps are remembered", n)
	}
}
