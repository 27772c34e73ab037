package reconcile

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Whatever comes and goes, the census is what counting all objects would give.
func TestCensus(t *testing.T) {
	phases := []string{"Pending", "Running", "Failed"}
	names := map[string]string{"": "None", "Nonsense": "Other", "Pending": "Pending", "Running": "Running", "Failed": "Failed"}
	all := []string{"", "Nonsense", "Pending", "Running", "Failed"}
	x := NewIndex()
	x.Name(phases)
	type fact struct {
		phase string
		marks uint8
	}
	facts, random := map[Key]fact{}, rand.New(rand.NewPCG(1, 2))
	for step := range 5000 {
		k := Key{"ns", fmt.Sprint(random.IntN(40))}
		f, there := facts[k]
		switch n := random.IntN(100); {
		case n < 60:
			f.phase = all[random.IntN(len(all))]
			x.See(k, Glimpse{Phase: f.phase})
			facts[k] = f
		case n < 85:
			marks := uint8(random.IntN(16))
			x.Mark(k, marks)
			if f.marks = marks; there {
				facts[k] = f
			}
		case n < 97:
			x.Leave(k)
			delete(facts, k)
		default: // a list that shows one object only
			x.Begin()
			f.phase = "Running"
			x.See(k, Glimpse{Phase: f.phase})
			x.End()
			facts = map[Key]fact{k: f}
		}
		want, marked := map[string]int{}, [4]int{}
		for _, f := range facts {
			want[names[f.phase]]++
			for bit := range marked {
				marked[bit] += int(f.marks>>bit) & 1
			}
		}
		for k, f := range facts {
			if got := x.Marks(k); got != f.marks {
				t.Fatalf("step %d: %s has marks %d, want %d", step, k, got, f.marks)
			}
		}
		told := 0
		x.byPhase(func(phase string, n int) {
			if told++; n != want[phase] {
				t.Fatalf("step %d: %d are %s, want %d", step, n, phase, want[phase])
			}
		})
		if told != len(all) {
			t.Fatalf("%d phases are told", told)
		}
		for bit, n := range marked {
			if got := x.Marked(1 << bit); got != n {
				t.Fatalf("step %d: %d have mark %d, want %d", step, got, bit, n)
			}
		}
	}
}
