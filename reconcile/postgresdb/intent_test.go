package postgresdb

import (
	"strings"
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

func TestOpenIntent(t *testing.T) {
	const every = 45 * time.Second // of a grace period of 3 minutes and 4 look-ups
	none, lone := found(), found(dbOf())
	gone, binned := found(dbOf(inState(cloud.StateGone))), found(dbOf(inState(cloud.StateIsolated)))
	orders := func(ids ...string) tweak { return func(v *View) { v.Orders = &ids } }
	stranger := dbOf(func(i *cloud.Instance) { i.Tags = map[string]string{TagUID: "u-2"} })
	untagged := dbOf(func(i *cloud.Instance) { i.Tags = nil })
	ahead := 3 * time.Hour // what a clock wrote that was put back since

	check(t, []ruling{
		{"looks up first", see(openIntent(unmarked, 0)), expected{do: LookUp}},
		{"never buys, whatever is in view", see(readyToBuy, openIntent(unmarked, 0)), expected{do: MarkAmbiguous, phase: "Provisioning", reason: "CreateOutcomeUnknown", after: every}},
		{"one is found", see(openIntent(unmarked, 0), lone), expected{do: RecordID, id: "postgres-1", phase: "Provisioning"}},
		{"one without tags", see(openIntent(0, 0), found(untagged)), expected{do: RecordID, id: "postgres-1"}},
		{"somebody else's does not count", see(openIntent(unmarked, 0), found(stranger)), expected{do: MarkAmbiguous}},
		{"one that is gone does not count", see(openIntent(unmarked, 0), gone), expected{do: MarkAmbiguous}},
		{"one in the recycle bin counts", see(openIntent(unmarked, 0), binned), expected{do: RecordID, id: "postgres-1"}},
		{"one that lives counts more", see(openIntent(unmarked, 0), found(dbOf(inState(cloud.StateIsolated)), dbOf(called("postgres-2")))), expected{do: RecordID, id: "postgres-2"}},
		{"several", see(openIntent(unmarked, 0), found(dbOf(), dbOf(called("postgres-2")))), expected{do: Rest, phase: "Failed", reason: "SeveralInstances", after: time.Minute}},
		{"one listed twice is one", see(openIntent(unmarked, 0), found(dbOf(), dbOf())), expected{do: RecordID, id: "postgres-1"}},

		{"too early to count", see(openIntent(10*time.Second, 0), changedSince(10*time.Second), none), expected{do: Rest, reason: "CreateOutcomeUnknown", after: 35 * time.Second}},
		{"counts", see(openIntent(every, 0), changedSince(every), none), expected{do: CountLookup, after: every}},
		{"counts the third", see(openIntent(3*every, 2), changedSince(every), none), expected{do: CountLookup}},
		{"the grace is over", see(openIntent(4*every, 3), changedSince(every), none), expected{do: ClearIntent}},
		{"the grace is over, too few look-ups", see(openIntent(time.Hour, 0), changedSince(time.Hour), none), expected{do: CountLookup}},
		{"a clock put forward shortens nothing", see(openIntent(time.Hour, 3), changedSince(time.Second), none), expected{do: Rest, after: 44 * time.Second}},
		{"enough look-ups, too early", see(openIntent(2*every, 9), changedSince(every), none), expected{do: CountLookup}},
		{"found at the last moment", see(openIntent(4*every, 3), changedSince(every), lone), expected{do: RecordID}},
		{"a clock put back begins anew", see(openIntent(0, 3), changedSince(0), none, func(v *View) { v.Now = v.Now.Add(-ahead) }), expected{do: MarkAmbiguous}},
		{"the last write by a clock put back", see(openIntent(every, 0), changedSince(-ahead), none), expected{do: CountLookup}},

		{"orders: looks up first", see(openIntent(unmarked, 0, "deal-1")), expected{do: LookUp}},
		{"orders: then asks", see(openIntent(unmarked, 0, "deal-1"), none), expected{do: ReadOrders}},
		{"orders: one instance", see(openIntent(unmarked, 0, "deal-1"), none, orders("postgres-9")), expected{do: RecordID, id: "postgres-9"}},
		{"orders: several", see(openIntent(unmarked, 0, "deal-1"), none, orders("postgres-9", "postgres-8")), expected{do: Rest, reason: "SeveralInstances"}},
		{"orders: none yet, and never given up", see(openIntent(time.Hour, 9, "deal-1"), none, orders()), expected{do: Rest, phase: "Provisioning", reason: "Creating", after: 5 * time.Second}},
		{"orders: none yet, deleted", see(openIntent(unmarked, 0, "deal-1"), none, orders(), deleted), expected{do: Rest, phase: "Deleting", reason: "Creating"}},

		{"known to have bought nothing", see(openIntent(unmarked, 0), outcome(Outcome{Nothing: true})), expected{do: ClearIntent}},
		{"known to have bought one", see(openIntent(unmarked, 0), outcome(Outcome{Created: cloud.Created{ID: "postgres-7"}})), expected{do: RecordID, id: "postgres-7"}},
		{"known to have ordered", see(openIntent(unmarked, 0), outcome(Outcome{Created: cloud.Created{Orders: []string{"deal-7"}}})), expected{do: RecordOrders}},
		{"orders are recorded once", see(openIntent(unmarked, 0, "deal-7"), none, outcome(Outcome{Created: cloud.Created{Orders: []string{"deal-7"}}})), expected{do: ReadOrders}},

		{"deleted: looks up", see(openIntent(unmarked, 0), deleted), expected{do: LookUp}},
		{"deleted: one is found", see(openIntent(unmarked, 0), deleted, lone), expected{do: RecordID, phase: "Deleting"}},
		{"deleted: goes on looking", see(openIntent(every, 0), changedSince(every), deleted, none), expected{do: CountLookup, phase: "Deleting"}},
		{"deleted: the grace is over", see(openIntent(4*every, 3), changedSince(every), deleted, none), expected{do: ClearIntent}},
		{"deleted: several", see(openIntent(unmarked, 0), deleted, found(dbOf(), dbOf(called("postgres-2")))), expected{do: Rest, phase: "Deleting", reason: "SeveralInstances"}},
		{"deleted: retain lets go", see(openIntent(unmarked, 0), deleted, policyIs(databasev1.DeletionRetain)), expected{do: DropFinalizer}},
	})
}

// However often an object is looked at, its purchase is not given up before the
// grace is over and enough look-ups, spread over it, have found nothing.
func TestGraceIsNotShortenedByFrequentTurns(t *testing.T) {
	v := see(openIntent(0, 0), changedSince(0), found())
	began, lookups := v.Now, 0
	for range 100000 {
		d := Decide(v)
		switch d.Do {
		case Rest:
		case CountLookup:
			lookups++
			v.Object.Status.Create.CleanLookups++
			changedSince(present.Sub(v.Now))(&v)
		case ClearIntent:
			if took := v.Now.Sub(began); took < v.Settings.Grace || took > v.Settings.Grace+time.Minute || lookups < 3 {
				t.Errorf("given up after %s and %d look-ups", took, lookups)
			}
			return
		default:
			t.Fatal(d.Do)
		}
		v.Now = v.Now.Add(100 * time.Millisecond)
	}
	t.Error("never given up")
}

func TestSeveralInstancesAreNamed(t *testing.T) {
	d := Decide(see(openIntent(unmarked, 0), found(dbOf(called("postgres-b")), dbOf(called("postgres-a")))))
	if !strings.Contains(d.Show.Message, "postgres-a, postgres-b") || d.Event == nil || !d.Event.Warning {
		t.Errorf("%s %+v", d.Show.Message, d.Event)
	}
	d = Decide(see(openIntent(unmarked, 0), deleted, found(dbOf(called("postgres-b")), dbOf(called("postgres-a")))))
	if !strings.Contains(d.Show.Message, "Retain") || d.Event.Note != d.Show.Message {
		t.Errorf("%s %+v", d.Show.Message, d.Event)
	}
}
