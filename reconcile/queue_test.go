package reconcile

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func key(n int) Key { return Key{Namespace: "ns", Name: fmt.Sprintf("object-%d", n)} }

// noJitter is a source of randomness for queues whose backoff is to be exact.
func noJitter() float64 { return 0 }

// taken is what Get would hand out now, one after another; each stays in work.
func taken(q *Queue) []Key {
	var keys []Key
	for {
		if ready, _, _ := q.Depth(); ready == 0 {
			return keys
		}
		k, ok := q.Get()
		if !ok {
			return keys
		}
		keys = append(keys, k)
	}
}

func sameKeys(t *testing.T, what string, got []Key, want ...Key) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: handed out %v, want %v", what, got, want)
	}
}

// Each promise of Queue's doc comment, one scene for each.
func TestQueuePromises(t *testing.T) {
	a, b, c := key(1), key(2), key(3)
	// want is what the queue hands out at the end of a scene.
	for _, scene := range []struct {
		name string
		play func(q *Queue)
		want []Key
	}{
		{"a key in work is not handed out again", func(q *Queue) {
			q.Add(a, Live)
			q.Get()
			q.Add(a, Live)
			q.Add(a, Flood)
		}, nil},
		{"added while in work, however often, it runs once more", func(q *Queue) {
			q.Add(a, Live)
			q.Get()
			for range 5 {
				q.Add(a, Live)
			}
			q.Done(a, 0, false)
		}, []Key{a}},
		{"once more means once", func(q *Queue) {
			q.Add(a, Live)
			q.Get()
			q.Add(a, Live)
			q.Done(a, 0, false)
			q.Get()
			q.Done(a, 0, false)
			time.Sleep(time.Hour)
		}, nil},
		{"added while in work, it does not wait for its backoff", func(q *Queue) {
			q.Add(a, Live)
			q.Get()
			q.Add(a, Live)
			q.Done(a, time.Hour, true)
		}, []Key{a}},
		{"added twice, it waits in one place", func(q *Queue) {
			q.Add(a, Live)
			q.Add(b, Live)
			q.Add(a, Live)
		}, []Key{a, b}},
		{"a delay ends", func(q *Queue) {
			q.AddAfter(a, time.Minute)
			time.Sleep(time.Minute)
		}, []Key{a}},
		{"and not before its time", func(q *Queue) {
			q.AddAfter(a, time.Minute)
			time.Sleep(time.Minute - 1)
		}, nil},
		{"a delay replaces an earlier one by a later time", func(q *Queue) {
			q.AddAfter(a, time.Minute)
			q.AddAfter(a, time.Hour)
			time.Sleep(time.Hour - 1)
		}, nil},
		{"a delay replaces an earlier one by an earlier time", func(q *Queue) {
			q.AddAfter(a, time.Hour)
			q.AddAfter(a, time.Minute)
			time.Sleep(time.Minute)
		}, []Key{a}},
		{"replaced delays do not pile up", func(q *Queue) {
			for i := range 100 {
				q.AddAfter(a, time.Duration(i)*time.Second)
			}
			time.Sleep(time.Hour)
		}, []Key{a}},
		{"an immediate add replaces a delayed one", func(q *Queue) {
			q.AddAfter(a, time.Minute)
			q.Add(a, Live)
			q.Get()
			q.Done(a, 0, false)
			time.Sleep(time.Hour)
		}, nil},
		{"a delayed add changes nothing for a ready key", func(q *Queue) {
			q.Add(a, Live)
			q.AddAfter(a, time.Minute)
			q.Get()
			q.Done(a, 0, false)
			time.Sleep(time.Hour)
		}, nil},
		{"delays end in the order of their times", func(q *Queue) {
			q.AddAfter(a, 3*time.Minute)
			q.AddAfter(b, time.Minute)
			q.AddAfter(c, 2*time.Minute)
			time.Sleep(time.Hour)
		}, []Key{b, c, a}},
		{"no delay and less than none are now", func(q *Queue) {
			q.AddAfter(a, 0)
			q.AddAfter(b, -time.Hour)
			time.Sleep(time.Nanosecond)
		}, []Key{a, b}},
		{"a delay without end does not come round to the past", func(q *Queue) {
			q.AddAfter(a, 1<<63-1)
			time.Sleep(1000 * time.Hour)
		}, nil},
		{"a delay asked for during the turn counts from when it was asked for", func(q *Queue) {
			q.Add(a, Live)
			q.Get()
			q.AddAfter(a, time.Minute)
			time.Sleep(time.Minute)
			q.Done(a, 0, false)
			time.Sleep(time.Nanosecond)
		}, []Key{a}},
		{"Done's own time counts when it is earlier", func(q *Queue) {
			q.Add(a, Live)
			q.Get()
			q.AddAfter(a, time.Hour)
			q.Done(a, time.Minute, false)
			time.Sleep(time.Minute)
		}, []Key{a}},
		{"the delay asked for counts when Done's time is later", func(q *Queue) {
			q.Add(a, Live)
			q.Get()
			q.AddAfter(a, time.Minute)
			q.Done(a, time.Hour, false)
			time.Sleep(time.Minute)
		}, []Key{a}},
		{"after Done it comes back only when asked to", func(q *Queue) {
			q.Add(a, Live)
			q.Get()
			q.Done(a, 0, false)
			time.Sleep(1000 * time.Hour)
		}, nil},
		{"Live comes before the flood", func(q *Queue) {
			q.Add(a, Flood)
			q.Add(b, Live)
			q.Add(c, Live)
		}, []Key{b, c, a}},
		{"a Live add lifts a key out of the flood", func(q *Queue) {
			q.Add(a, Flood)
			q.Add(b, Flood)
			q.Add(c, Flood)
			q.Add(b, Live)
		}, []Key{b, a, c}},
		{"a Flood add does not push a Live key down", func(q *Queue) {
			q.Add(a, Live)
			q.Add(b, Live)
			q.Add(a, Flood)
		}, []Key{a, b}},
		{"a Live add while in work is not pushed down by a Flood add", func(q *Queue) {
			q.Add(a, Live)
			q.Get()
			q.Add(b, Flood)
			q.Add(a, Flood)
			q.Add(a, Live)
			q.Add(a, Flood)
			q.Done(a, 0, false)
		}, []Key{a, b}},
		{"a Flood add while in work stays in the flood", func(q *Queue) {
			q.Add(a, Live)
			q.Get()
			q.Add(a, Flood)
			q.Add(b, Live)
			q.Done(a, 0, false)
		}, []Key{b, a}},
		{"what is due is Live", func(q *Queue) {
			q.Add(a, Flood)
			q.AddAfter(b, time.Second)
			time.Sleep(time.Second)
		}, []Key{b, a}},
		{"Done for a key that is not in work does nothing", func(q *Queue) {
			q.Done(a, time.Second, true)
			q.Add(b, Live)
			q.Done(b, time.Second, false)
			q.AddAfter(c, time.Second)
			q.Done(c, 0, false)
			time.Sleep(time.Minute)
		}, []Key{b, c}},
	} {
		t.Run(scene.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := NewQueue(DefaultBackoff, noJitter)
				scene.play(q)
				synctest.Wait()
				sameKeys(t, "at the end", taken(q), scene.want...)
				q.Close(0)
			})
		})
	}
}

func TestQueueBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(DefaultBackoff, noJitter)
		k := key(1)
		// turn waits for the key's next turn, says how long that took, and ends it.
		turn := func(after time.Duration, failed bool) time.Duration {
			began := time.Now()
			if got, ok := q.Get(); !ok || got != k {
				t.Fatalf("got %v, %v", got, ok)
			}
			waited := time.Since(began)
			q.Done(k, after, failed)
			return waited
		}
		q.Add(k, Live)
		var waits []time.Duration
		for range 11 {
			waits = append(waits, turn(0, true))
		}
		want := "[0s 1s 2s 4s 8s 16s 32s 1m4s 2m8s 4m16s 5m0s]"
		if got := fmt.Sprint(waits); got != want {
			t.Errorf("waits between failures\n got %s\nwant %s", got, want)
		}
		for range 300 { // the count of failures stays where it is rather than coming round to none
			turn(0, true)
		}
		if got := turn(time.Second, false); got != 5*time.Minute {
			t.Errorf("after 311 failures it waited %s", got)
		}
		if got := turn(0, true); got != time.Second {
			t.Errorf("Done after a second brought it back in %s", got)
		}
		if got := turn(10*time.Minute, true); got != time.Second {
			t.Errorf("a success makes the failures forgotten, yet it waited %s", got)
		}
		if got := turn(0, false); got != 10*time.Minute {
			t.Errorf("a failure that asks for more than its backoff came back in %s", got)
		}
		if n := q.entries.n; n != 0 {
			t.Errorf("%d entries are left", n)
		}
		q.Close(0)
	})
}

// While Live keys never end, the n-th key of the flood is handed out after at
// most n*floodShare keys; and the flood takes no more than its share.
func TestQueueStarvation(t *testing.T) {
	q := NewQueue(DefaultBackoff, noJitter)
	const flood = 100
	for i := range flood {
		q.Add(key(i), Flood)
	}
	live := 1000
	q.Add(key(live), Live)
	handed, next, sinceFlood := 0, 0, 0
	for next < flood {
		live++
		q.Add(key(live), Live)
		k, _ := q.Get()
		handed++
		sinceFlood++
		if k == key(next) {
			if sinceFlood < floodShare {
				t.Fatalf("flood key %d came after %d Live keys", next, sinceFlood-1)
			}
			next++
			sinceFlood = 0
			if handed > next*floodShare {
				t.Fatalf("flood key %d came as number %d, want at most %d", next-1, handed, next*floodShare)
			}
		}
		q.Done(k, 0, false)
	}
	q.Close(0)
}

func TestQueueClose(t *testing.T) {
	type closed struct {
		left int
		at   time.Duration
	}
	closing := func(q *Queue, grace time.Duration) <-chan closed {
		began, c := time.Now(), make(chan closed, 1)
		go func() {
			n := q.Close(grace)
			c <- closed{n, time.Since(began)}
		}()
		synctest.Wait()
		return c
	}
	t.Run("with nothing in work it returns at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := NewQueue(DefaultBackoff, noJitter)
			q.Add(key(1), Live)
			q.AddAfter(key(2), time.Second)
			if got := <-closing(q, time.Hour); got != (closed{0, 0}) {
				t.Errorf("got %+v", got)
			}
		})
	})
	t.Run("it wakes those who wait in Get", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := NewQueue(DefaultBackoff, noJitter)
			answers := make(chan bool, 3)
			for range 3 {
				go func() {
					_, ok := q.Get()
					answers <- ok
				}()
			}
			synctest.Wait()
			q.Close(time.Hour)
			for range 3 {
				if <-answers {
					t.Error("Get handed out a key of a closed queue")
				}
			}
		})
	})
	t.Run("it waits for work, and no longer", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := NewQueue(DefaultBackoff, noJitter)
			q.Add(key(1), Live)
			q.Add(key(2), Live)
			q.Get()
			q.Get()
			c := closing(q, time.Minute)
			time.Sleep(time.Second)
			q.Done(key(1), 0, false)
			time.Sleep(time.Second)
			q.Done(key(2), 0, true)
			if got := <-c; got != (closed{0, 2 * time.Second}) {
				t.Errorf("got %+v", got)
			}
		})
	})
	t.Run("it gives up after the grace period and says how many are late", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := NewQueue(DefaultBackoff, noJitter)
			for i := range 3 {
				q.Add(key(i), Live)
				q.Get()
			}
			c := closing(q, time.Minute)
			q.Done(key(0), 0, false)
			if got := <-c; got != (closed{2, time.Minute}) {
				t.Errorf("got %+v", got)
			}
			q.Done(key(1), 0, false)
			q.Done(key(2), 0, false)
			if got := <-closing(q, time.Hour); got != (closed{0, 0}) {
				t.Errorf("a second Close got %+v", got)
			}
		})
	})
	t.Run("with no grace it still says how many are in work", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := NewQueue(DefaultBackoff, noJitter)
			q.Add(key(1), Live)
			q.Get()
			if got := <-closing(q, 0); got != (closed{1, 0}) {
				t.Errorf("got %+v", got)
			}
			if got := <-closing(q, -time.Hour); got != (closed{1, 0}) {
				t.Errorf("got %+v", got)
			}
		})
	})
	t.Run("closed, it takes and keeps nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := NewQueue(DefaultBackoff, noJitter)
			q.Add(key(1), Live)
			q.Get()
			q.AddAfter(key(2), time.Second)
			q.Close(0)
			q.Add(key(3), Live)
			q.AddAfter(key(4), 0)
			q.Add(key(1), Live)
			q.Done(key(1), time.Second, true)
			time.Sleep(time.Hour)
			if _, ok := q.Get(); ok {
				t.Error("Get handed out a key")
			}
			if ready, delayed, working := q.Depth(); ready != 0 || delayed != 1 || working != 0 {
				t.Errorf("depth is %d, %d, %d", ready, delayed, working)
			}
		})
	})
}
