package reconcile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// modelQueue is the queue as its doc comment tells it, in slices: slow, with
// nothing shared with the real one, and small enough to be seen to be right.
type modelQueue struct {
	ready    [2][]Key // by Priority, in order
	delayed  []modelDelay
	work     []modelWork
	failures map[Key]int
	streak   int
	now      time.Duration
}

type modelDelay struct {
	key      Key
	due      time.Duration
	priority Priority
}

type modelWork struct {
	key   Key
	of    Priority
	again []Priority    // the immediate adds since it was handed out
	due   time.Duration // the last delay asked for; 0: none
}

func (m *modelQueue) working(k Key) *modelWork {
	for i := range m.work {
		if m.work[i].key == k {
			return &m.work[i]
		}
	}
	return nil
}

func (m *modelQueue) undelay(k Key) {
	m.delayed = slices.DeleteFunc(m.delayed, func(d modelDelay) bool { return d.key == k })
}

func (m *modelQueue) add(k Key, p Priority) {
	switch w := m.working(k); {
	case w != nil:
		w.again = append(w.again, p)
	case slices.Contains(m.ready[Live], k):
	case slices.Contains(m.ready[Flood], k):
		if p == Live {
			m.ready[Flood] = slices.DeleteFunc(m.ready[Flood], func(x Key) bool { return x == k })
			m.ready[Live] = append(m.ready[Live], k)
		}
	default:
		m.undelay(k)
		m.ready[p] = append(m.ready[p], k)
	}
}

func (m *modelQueue) addAfter(k Key, d time.Duration) {
	switch w := m.working(k); {
	case w != nil:
		w.due = m.now + d
	case slices.Contains(m.ready[Live], k), slices.Contains(m.ready[Flood], k):
	default:
		p := Live
		for _, was := range m.delayed {
			if was.key == k {
				p = was.priority
			}
		}
		m.undelay(k)
		m.delayed = append(m.delayed, modelDelay{k, m.now + d, p})
	}
}

func (m *modelQueue) get() (Key, bool) {
	p := Live
	switch {
	case len(m.ready[Live])+len(m.ready[Flood]) == 0:
		return Key{}, false
	case len(m.ready[Flood]) == 0:
		m.streak = 0
	case len(m.ready[Live]) == 0 || m.streak == floodShare-1:
		p, m.streak = Flood, 0
	default:
		m.streak++
	}
	k := m.ready[p][0]
	m.ready[p] = m.ready[p][1:]
	m.work = append(m.work, modelWork{key: k, of: p})
	return k, true
}

func (m *modelQueue) done(k Key, after time.Duration, failed bool) {
	w := m.working(k)
	if w == nil {
		return
	}
	ended := *w
	m.work = slices.DeleteFunc(m.work, func(w modelWork) bool { return w.key == k })
	if failed {
		m.failures[k]++
		after = max(after, DefaultBackoff.Delay(m.failures[k], 0))
	} else {
		delete(m.failures, k)
	}
	due := ended.due
	if after > 0 && (due == 0 || m.now+after < due) {
		due = m.now + after
	}
	switch {
	case len(ended.again) > 0:
		p := slices.Max(ended.again)
		m.ready[p] = append(m.ready[p], k)
	case due != 0:
		m.delayed = append(m.delayed, modelDelay{k, due, ended.of})
	}
}

func (m *modelQueue) advance(d time.Duration) {
	m.now += d
	slices.SortFunc(m.delayed, func(a, b modelDelay) int { return int(a.due - b.due) })
	for len(m.delayed) > 0 && m.delayed[0].due <= m.now {
		m.ready[m.delayed[0].priority] = append(m.ready[m.delayed[0].priority], m.delayed[0].key)
		m.delayed = m.delayed[1:]
	}
}

// againstModel plays a sequence of operations, two bytes each, on a queue and on
// the model, and compares all that can be seen.
func againstModel(t *testing.T, ops []byte) {
	q := NewQueue(DefaultBackoff, noJitter)
	defer q.Close(0)
	m := &modelQueue{failures: map[Key]int{}, now: 1}
	const keys = 6
	for i := 0; i+1 < len(ops); i += 2 {
		op, arg := ops[i], ops[i+1]
		k := key(int(arg) % keys)
		// No two delays end at the same time: which of those comes first is not promised.
		delay := time.Duration(arg/keys)*time.Second + time.Duration(i+2)*time.Microsecond
		switch op % 8 {
		case 0:
			q.Add(k, Live)
			m.add(k, Live)
		case 1, 2:
			q.Add(k, Flood)
			m.add(k, Flood)
		case 3:
			q.AddAfter(k, delay)
			m.addAfter(k, delay)
		case 4:
			want, ok := m.get()
			if ready, _, _ := q.Depth(); (ready > 0) != ok {
				t.Fatalf("step %d: %d keys are ready, the model says %v", i/2, ready, ok)
			}
			if ok {
				if got, _ := q.Get(); got != want {
					t.Fatalf("step %d: got %s, want %s", i/2, got, want)
				}
			}
		case 5:
			q.Done(k, 0, false)
			m.done(k, 0, false)
		case 6:
			q.Done(k, delay, arg%2 == 0)
			m.done(k, delay, arg%2 == 0)
		case 7:
			time.Sleep(delay)
			m.advance(delay)
		}
		synctest.Wait() // what is due already is ready without a wait
		m.advance(0)
		ready, delayed, working := q.Depth()
		got := fmt.Sprint(ready, delayed, working)
		want := fmt.Sprint(len(m.ready[Live])+len(m.ready[Flood]), len(m.delayed), len(m.work))
		if got != want {
			t.Fatalf("step %d (op %d, arg %d): ready, delayed, working are %s, want %s", i/2, op%8, arg, got, want)
		}
		if ready+delayed+working != q.entries.n {
			t.Fatalf("step %d: %d entries are kept", i/2, q.entries.n)
		}
	}
}

func FuzzQueue(f *testing.F) {
	f.Add([]byte{0, 1, 4, 0, 0, 1, 5, 1, 4, 0})              // in work, added, done, again
	f.Add([]byte{3, 200, 3, 20, 7, 60, 4, 0})                // a delay replaced by an earlier one
	f.Add([]byte{3, 20, 0, 2, 4, 0, 5, 2, 7, 255})           // an immediate add replaces a delay
	f.Add([]byte{1, 1, 1, 2, 0, 2, 4, 0, 4, 0})              // lifted out of the flood
	f.Add([]byte{0, 1, 4, 0, 6, 1, 7, 30, 4, 0, 6, 1, 7, 9}) // failures in a row
	f.Add([]byte{0, 1, 4, 0, 3, 61, 6, 121, 7, 255, 4, 0})   // a delay during the turn, and Done's
	for _, n := range []int{40, 400} {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, ops []byte) {
		synctest.Test(t, func(t *testing.T) { againstModel(t, ops) })
	})
}

// The fuzz test's body on a few thousand random sequences, for every run of the
// tests.
func TestQueueModel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	sequences := 3000
	if underRace {
		sequences = 500
	}
	for range sequences {
		ops := make([]byte, 2*(1+r.IntN(150)))
		for i := range ops {
			ops[i] = byte(r.Uint32())
		}
		synctest.Test(t, func(t *testing.T) { againstModel(t, ops) })
		if t.Failed() {
			t.Fatalf("the sequence was %v", ops)
		}
	}
}
