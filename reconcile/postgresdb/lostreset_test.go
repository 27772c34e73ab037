package postgresdb

import (
	"testing"
	"time"

	"example.com/mote/reconcile"
)

func TestLostResets(t *testing.T) {
	k, other := reconcile.Key{Name: "a"}, reconcile.Key{Name: "b"}
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return began.Add(time.Duration(minutes) * time.Minute) }
	var l lostResets
	is := func(what string, k reconcile.Key, password string, minutes int, want time.Duration) {
		t.Helper()
		if got := l.wait(k, password, at(minutes)); got != want {
			t.Errorf("%s: wait %s, want %s", what, got, want)
		}
	}
	is("nothing was lost", k, "one", 0, 0)
	l.lose(k, "one", at(3))
	is("the same password", k, "one", 1, 0)
	is("another", k, "two", 1, 2*time.Minute)
	is("another object", other, "two", 1, 0)
	l.lose(k, "two", at(5))
	is("two were lost, and the last of them is set", k, "two", 2, 3*time.Minute)
	l.lose(k, "two", at(6))
	is("the same once more", k, "two", 3, 3*time.Minute)
	is("nothing can come any more", k, "two", 6, 0)
	if len(l.lost) != 0 {
		t.Errorf("%d are remembered although nothing can come any more", len(l.lost))
	}
	l.lose(k, "one", at(9))
	l.forget(k)
	is("the object went", k, "two", 7, 0)
}
