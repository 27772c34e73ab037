package postgresdb

import (
	"strings"
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

func TestDelete(t *testing.T) {
	const minute = time.Minute
	destroy, retain := policyIs(databasev1.DeletionDelete), policyIs(databasev1.DeletionRetain)
	locked := func(i *cloud.Instance) { i.DeletionProtection = true }
	alone := found(dbOf())
	twin := found(dbOf(), dbOf(called("postgres-2")))
	fresh := bought("Provisioning")
	check(t, []ruling{
		{"nothing of ours", see(deleted), expected{do: Rest}},
		{"nothing bought", see(deleted, finalizer), expected{do: DropFinalizer}},
		{"nothing bought, and no region", see(deleted, finalizer, func(v *View) { v.Settings.Region = "" }), expected{do: DropFinalizer}},
		{"looks first", see(deleted, ran), expected{do: ReadInstance, id: "postgres-1"}},
		{"retain does not even look", see(deleted, ran, retain), expected{do: DropFinalizer}},
		{"looks for twins", see(deleted, ran, seenAs()), expected{do: LookUp}},
		{"isolates", see(deleted, ran, seenAs(), alone), expected{do: Isolate, id: "postgres-1", phase: "Deleting", reason: "Isolating"}},
		{"isolates to destroy", see(deleted, ran, destroy, seenAs(), alone), expected{do: Isolate}},
		{"isolates a limited one", see(deleted, ran, seenAs(inState(cloud.StateLimited)), alone), expected{do: Isolate}},
		{"waits while it is isolated", see(deleted, ran, seenAs(inState(cloud.StateIsolating)), alone), expected{do: Rest, phase: "Deleting", reason: "Deleting", after: minute}},
		{"waits while it is made", see(deleted, ran, seenAs(inState(cloud.StateProvisioning)), alone), expected{do: Rest, phase: "Deleting"}},
		{"waits while it is busy", see(deleted, ran, destroy, seenAs(inState(cloud.StateBusy)), alone), expected{do: Rest, phase: "Deleting"}},
		{"ends a wait for a window", see(deleted, ran, seenAs(inState(cloud.StateWaiting)), alone), expected{do: SwitchNow, id: "postgres-1", phase: "Deleting", reason: "SwitchingNow"}},
		{"ends no wait of what is protected", see(deleted, ran, seenAs(inState(cloud.StateWaiting), locked)), expected{do: Rest, phase: "Deleting", reason: "DeletionProtected", after: 10 * minute}},
		{"leaves alone what it does not understand", see(deleted, ran, destroy, seenAs(inState(cloud.StateUnknown)), alone), expected{do: Rest, phase: "Deleting"}},
		{"isolated is enough", see(deleted, ran, seenAs(inState(cloud.StateIsolated)), found()), expected{do: DropFinalizer}},
		{"isolated is not enough", see(deleted, ran, destroy, seenAs(inState(cloud.StateIsolated)), found()), expected{do: Destroy, id: "postgres-1", reason: "Destroying"}},
		{"isolated is looked at once more", see(deleted, ran, seenAs(inState(cloud.StateIsolated)), lately, found()), expected{do: ReadInstance, id: "postgres-1"}},
		{"also to destroy it", see(deleted, ran, destroy, seenAs(inState(cloud.StateIsolated)), lately, found()), expected{do: ReadInstance}},
		{"to isolate it the watch will do", see(deleted, ran, seenAs(), lately, alone), expected{do: Isolate}},
		{"gone", see(deleted, ran, unknown, found()), expected{do: DropFinalizer}},
		{"offline", see(deleted, ran, destroy, seenAs(inState(cloud.StateGone)), found()), expected{do: DropFinalizer}},
		{"gone, but listed", see(deleted, ran, unknown, alone), expected{do: Rest, phase: "Deleting", reason: "UnknownStatus"}},

		{"never seen: not believed at once", see(deleted, fresh, unknown), expected{do: Rest, phase: "Deleting", reason: "Deleting", after: 15 * time.Second}},
		{"never seen: believed in the end", see(deletedSince(5*minute), fresh, unknown, found()), expected{do: DropFinalizer}},
		{"never seen, but offline", see(deleted, fresh, seenAs(inState(cloud.StateGone)), found()), expected{do: DropFinalizer}},

		{"protected", see(deleted, ran, seenAs(locked)), expected{do: Rest, phase: "Deleting", reason: "DeletionProtected", after: 10 * minute}},
		{"protected on purpose", see(deleted, ran, protection(true), seenAs(locked)), expected{do: Rest, reason: "DeletionProtected"}},
		{"the lock is lifted", see(deleted, ran, protection(false), seenAs(locked), alone), expected{do: Unprotect, id: "postgres-1"}},

		{"somebody else's", see(deleted, ran, destroy, seenAs(strange)), expected{do: Rest, phase: "Deleting", reason: "NotOurs", after: minute}},
		{"a twin: touches neither", see(deleted, ran, destroy, seenAs(), twin), expected{do: Rest, phase: "Deleting", reason: "SeveralInstances", after: minute}},
		{"a twin: does not even lift a lock", see(deleted, ran, protection(false), seenAs(locked), twin), expected{do: Rest, reason: "SeveralInstances"}},
		{"a twin, and ours is isolated", see(deleted, ran, seenAs(inState(cloud.StateIsolated)), found(dbOf(called("postgres-2")))), expected{do: Rest, reason: "SeveralInstances"}},
		{"a twin, and ours is gone: it is next", see(deleted, ran, unknown, found(dbOf(called("postgres-2")))), expected{do: RecordID, id: "postgres-2", phase: "Deleting"}},
		{"several, and ours is gone", see(deleted, ran, unknown, found(dbOf(called("postgres-2")), dbOf(called("postgres-3")))), expected{do: Rest, reason: "SeveralInstances"}},
	})
}

func TestDeletionSaysWhatBecameOfTheInstance(t *testing.T) {
	for name, c := range map[string]struct {
		v    View
		says string
	}{
		"nothing bought":  {see(deleted, finalizer), ""},
		"isolated":        {see(deleted, ran, seenAs(inState(cloud.StateIsolated)), found()), "recycle bin for 3 days"},
		"isolated, month": {see(deleted, ran, seenAs(inState(cloud.StateIsolated), func(i *cloud.Instance) { i.ChargeType = cloud.Prepaid }), found()), "for 7 days"},
		"gone":            {see(deleted, ran, unknown, found()), "is gone"},
		"retained":        {see(deleted, ran, policyIs(databasev1.DeletionRetain)), "left running, and billed"},
		"perhaps bought":  {see(deleted, openIntent(0, 0), policyIs(databasev1.DeletionRetain)), "may exist"},
	} {
		d := Decide(c.v)
		note := ""
		if d.Event != nil {
			note = d.Event.Note
		}
		if d.Do != DropFinalizer || !strings.Contains(note, c.says) || c.says == "" && note != "" {
			t.Errorf("%s: %s %q", name, d.Do, note)
		}
	}
}

// Whatever is observed, nothing is ended unless the object is being deleted, and
// nothing is destroyed unless its policy says so.
func TestNothingIsEndedWithoutBeingAsked(t *testing.T) {
	states := []cloud.State{cloud.StateProvisioning, cloud.StateRunning, cloud.StateLimited, cloud.StateBusy, cloud.StateIsolating, cloud.StateIsolated,
		cloud.StateRestoring, cloud.StateGone, cloud.StateUnknown}
	tried := 0
	for _, deleting := range []bool{false, true} {
		for _, policy := range policies {
			for _, state := range states {
				for _, phase := range []string{"", "Pending", "Provisioning", "Running", "Updating", "Failed", "Deleting"} {
					for _, secret := range []tweak{noSecret, connected(), func(*View) {}} {
						v := see(bought(phase), policyIs(policy), seenAs(inState(state)), found(dbOf(inState(state))), secret)
						if deleting {
							deleted(&v)
						}
						tried++
						switch d := Decide(v); d.Do {
						case Isolate:
							if !deleting || policy == databasev1.DeletionRetain {
								t.Errorf("isolated: %+v", v)
							}
						case Destroy:
							if !deleting || policy != databasev1.DeletionDelete || state != cloud.StateIsolated {
								t.Errorf("destroyed: %+v", v)
							}
						case DropFinalizer:
							if !deleting {
								t.Errorf("let go: %+v", v)
							}
						case Buy:
							t.Errorf("bought again: %+v", v)
						}
					}
				}
			}
		}
	}
	t.Logf("%d views", tried)
}
