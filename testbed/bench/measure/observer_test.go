package measure

import (
	"testing"
	"time"

	"example.com/mote/testbed/bench/dataset"
)

func event(uid string, generation, observed int64) dataset.Object {
	var o dataset.Object
	o.Metadata.UID, o.Metadata.Generation, o.Status.ObservedGeneration = uid, generation, observed
	return o
}

// TestObserver: a change counts from its own event, also when a later one overtook
// it, and an answer counts once.
func TestObserver(t *testing.T) {
	o := &observer{changed: map[string]change{}, bought: map[string]bool{}}
	start := time.Now()
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	o.see(event("a", 1, 1), at(0)) // steady all along
	o.see(event("a", 2, 1), at(1))
	o.see(event("b", 5, 4), at(2))
	o.see(event("a", 2, 1), at(3)) // something else of it changed
	o.see(event("a", 2, 2), at(11))
	o.see(event("a", 2, 2), at(12))
	o.see(event("b", 6, 4), at(20)) // before its first change was answered
	o.see(event("b", 6, 6), at(50))
	got := o.times()
	if len(got) != 2 || got[0] != 10*time.Millisecond || got[1] != 30*time.Millisecond {
		t.Errorf("took %v, want 10ms and 30ms", got)
	}
}

func TestInstances(t *testing.T) {
	o := &observer{changed: map[string]change{}, bought: map[string]bool{}}
	fresh := event("b", 1, 0)
	fresh.Metadata.Namespace = dataset.NewSpace
	o.see(fresh, time.Now())
	fresh.Status.ObservedGeneration = 1
	o.see(fresh, time.Now())
	e := event("a", 1, 1)
	e.Status.InstanceID = "postgres-1"
	o.see(e, time.Now())
	e.Metadata.Namespace = dataset.NewSpace
	o.see(e, time.Now())
	o.see(e, time.Now())
	if o.instances() != 1 || len(o.times()) != 0 {
		t.Errorf("%d instances, %d changes; want 1 and none: what is created counts as no change", o.instances(), len(o.times()))
	}
}
