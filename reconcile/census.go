package reconcile

import (
	"math/bits"
	"slices"
)

// census is how many objects of an index are in each phase and have each mark: a few
// numbers, however many objects there are.
type census struct {
	phases []string // that have a name of their own
	counts [mostPhases + 2]int
	marked [4]int
}

// tally is what is counted of one object: the place of its phase, and the marks that
// its turns set, whose meaning is the kind's; four bits each.
type tally uint8

func tallyOf(place, marks uint8) tally { return tally(place | marks<<4) }

func (t tally) place() uint8 { return uint8(t & 15) }
func (t tally) marks() uint8 { return uint8(t >> 4) }

// Places in a census: none and other are no phase of the kind.
const (
	phaseNone  = 0
	phaseOther = 1
	mostPhases = 14
)

// place is where a phase is counted.
func (c *census) place(phase string) uint8 {
	if phase == "" {
		return phaseNone
	}
	return uint8(slices.Index(c.phases, phase)) + phaseOther + 1 // -1 makes it phaseOther
}

// add counts an object, or with -1 counts it no longer.
func (c *census) add(r Record, n int) {
	c.counts[r.tally.place()] += n
	for m := r.tally.marks(); m != 0; m &= m - 1 {
		c.marked[bits.TrailingZeros8(m)] += n
	}
}

// Name tells an index which phases to count apart, at most 14 of them. It comes before
// the first object.
func (x *Index) Name(phases []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.census.phases = phases[:min(len(phases), mostPhases)]
}

// Mark sets the marks of an object, four bits whose meaning is the kind's; they stay
// until they are set anew or the object leaves.
func (x *Index) Mark(k Key, marks uint8) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if o := x.objects.get(k); o != nil {
		x.census.add(o.record, -1)
		o.record.tally = tallyOf(o.record.tally.place(), marks)
		x.census.add(o.record, 1)
	}
}

// Marks are those of an object.
func (x *Index) Marks(k Key) uint8 {
	x.mu.Lock()
	defer x.mu.Unlock()
	if o := x.objects.get(k); o != nil {
		return o.record.tally.marks()
	}
	return 0
}

// Marked is how many objects have a mark, which is one bit.
func (x *Index) Marked(mark uint8) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.census.marked[bits.TrailingZeros8(mark)]
}

// byPhase calls f with each phase and how many objects are in it: "None" is for those
// without one, "Other" for words that are no phase of the kind.
func (x *Index) byPhase(f func(phase string, n int)) {
	x.mu.Lock()
	counts, phases := x.census.counts, x.census.phases
	x.mu.Unlock()
	f("None", counts[phaseNone])
	f("Other", counts[phaseOther])
	for i, phase := range phases {
		f(phase, counts[phaseOther+1+i])
	}
}
