package cloud

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// Whatever is added and removed in the middle of a round, those that stay have
// exactly one turn in it, and the slots' new places are told.
func TestRingLosesNoTurn(t *testing.T) {
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		r := ring[int]{period: time.Minute, page: 7, retell: time.Minute}
		where, turns := map[string]int{}, map[string]int{}
		next := 0
		add := func() {
			id := fmt.Sprint(next)
			next++
			where[id] = len(r.slots)
			r.add(tracked[int]{id: id}, time.Time{})
		}
		remove := func() {
			if len(r.slots) == 0 {
				return
			}
			i := rnd.IntN(len(r.slots))
			gone := r.remove(i, func(id string, to int) { where[id] = to })
			delete(where, gone.id)
			delete(turns, gone.id)
		}
		for range 60 {
			add()
		}
		for range 20 {
			clear(turns)
			started := map[string]bool{}
			for id := range where {
				started[id] = true
			}
			for first := true; first || r.cursor < len(r.slots); first = false {
				for _, id := range r.take(time.Time{}) {
					turns[id]++
				}
				for range rnd.IntN(3) {
					add()
				}
				for range rnd.IntN(5) {
					remove()
				}
			}
			for id := range where {
				if started[id] && turns[id] != 1 {
					t.Fatalf("seed %d: %s had %d turns in a round", seed, id, turns[id])
				}
			}
			for id, i := range where {
				if r.slots[i].id != id {
					t.Fatalf("seed %d: %s is not in slot %d", seed, id, i)
				}
			}
			if len(where) != len(r.slots) {
				t.Fatalf("seed %d: %d known of %d", seed, len(where), len(r.slots))
			}
		}
	}
}

func TestRingGivesBack(t *testing.T) {
	r := ring[int]{period: time.Minute, page: 3}
	for i := range 8 {
		r.add(tracked[int]{id: fmt.Sprint(i)}, time.Time{})
	}
	now := time.Time{}.Add(time.Hour)
	r.take(now)
	page := fmt.Sprint(r.take(now))
	if due := r.due(); due.Sub(now) != time.Minute*3/8 {
		t.Errorf("next page after %s", due.Sub(now))
	}
	r.giveBack(3)
	if r.due() != now {
		t.Error("not due at once")
	}
	if again := fmt.Sprint(r.take(now)); again != page {
		t.Errorf("took %s again, want %s", again, page)
	}
}
