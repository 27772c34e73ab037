package reconcile

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// A table against a Go map, through growth and shrinking.
func TestTableIsAMap(t *testing.T) {
	type thing struct {
		key Key
		n   int
	}
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 0))
		tab := newTable(func(e *thing) Key { return e.key })
		model := map[Key]int{}
		check := func(step int) {
			t.Helper()
			if tab.n != len(model) {
				t.Fatalf("seed %d, step %d: %d entries, want %d", seed, step, tab.n, len(model))
			}
			got := map[Key]int{}
			for e := range tab.all() {
				got[e.key] = e.n
			}
			if !maps.Equal(got, model) {
				t.Fatalf("seed %d, step %d: the table's entries are not the model's", seed, step)
			}
			if tab.n*16 > len(tab.slots)*13 || len(tab.slots) > tableMin && tab.n*16 < len(tab.slots)*3 {
				t.Fatalf("seed %d, step %d: %d entries in %d slots", seed, step, tab.n, len(tab.slots))
			}
		}
		for step := range 6000 {
			k := Key{Namespace: fmt.Sprint(r.IntN(3)), Name: fmt.Sprint(r.IntN(300))}
			adding := step/1000%2 == 0 // a thousand steps of mostly growing, a thousand of mostly shrinking
			switch e := tab.get(k); {
			case (e != nil) != (func() bool { _, ok := model[k]; return ok }()):
				t.Fatalf("seed %d, step %d: get %s is %v", seed, step, k, e)
			case e != nil && e.n != model[k]:
				t.Fatalf("seed %d, step %d: get %s is %d, want %d", seed, step, k, e.n, model[k])
			case e == nil && (adding || r.IntN(4) == 0):
				tab.put(&thing{k, step})
				model[k] = step
			case !adding || r.IntN(4) == 0:
				tab.drop(k)
				delete(model, k)
			}
			if step%50 == 0 {
				check(step)
			}
			if step%1500 == 1499 {
				part := r.IntN(5)
				asked := map[Key]int{}
				drop := func(k Key) bool { return len(k.Name)%2 == part%2 && k.Namespace != fmt.Sprint(part) }
				tab.dropFunc(func(e *thing) bool { asked[e.key]++; return drop(e.key) })
				if m := slices.Max(append(slices.Collect(maps.Values(asked)), 1)); m != 1 || len(asked) != len(model) {
					t.Fatalf("seed %d, step %d: dropFunc asked %d times at most, about %d of %d", seed, step, m, len(asked), len(model))
				}
				maps.DeleteFunc(model, func(k Key, _ int) bool { return drop(k) })
				check(step)
			}
		}
		for k := range maps.Clone(model) {
			tab.drop(k)
			delete(model, k)
		}
		check(-1)
		if len(tab.slots) != tableMin {
			t.Fatalf("seed %d: empty, it keeps %d slots", seed, len(tab.slots))
		}
	}
}
