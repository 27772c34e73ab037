package postgresdb

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"example.com/mote/reconcile"
)

func TestResyncPace(t *testing.T) {
	for n, want := range map[int]time.Duration{0: time.Hour, 1: time.Hour, 60: time.Minute, 61: time.Minute, 100_000: time.Minute} {
		if gap := resyncPace(time.Hour, n); gap != want {
			t.Errorf("%d objects: one every %s, want %s", n, gap, want)
		}
	}
}

func TestResyncPaceOfAShortInterval(t *testing.T) {
	for n, want := range map[int]time.Duration{0: 2 * time.Second, 1: 2 * time.Second, 60: 2 * time.Second} {
		if gap := resyncPace(2*time.Second, n); gap != want {
			t.Errorf("%d objects: one every %s, want %s", n, gap, want)
		}
	}
}

// Every object at rest is woken once in an interval, none more often than that but
// for the ends of rounds; those in transition are not.
func TestResync(t *testing.T) {
	for _, n := range []int{1, 7, 10} {
		synctest.Test(t, func(t *testing.T) {
			p, x := testPaces()
			for i := range n + 1 {
				k := reconcile.Key{Namespace: "ns", Name: fmt.Sprint("db", i)}
				x.See(k, reconcile.Glimpse{Interest: 1, Steady: true})
				p.Track("region", fmt.Sprintf("postgres-%08d", i), k, 9, i == n)
			}
			woken := map[reconcile.Key]int{}
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				p.resync(ctx, 10*time.Minute, func(k reconcile.Key) { woken[k]++ })
				close(done)
			}()
			time.Sleep(40*time.Minute + 30*time.Second)
			stop()
			<-done
			if len(woken) != n {
				t.Errorf("%d of %d were woken", len(woken), n)
			}
			for k, often := range woken {
				if often < 3 || often > 8 {
					t.Errorf("%s was woken %d times in four rounds", k, often)
				}
			}
		})
	}
}
