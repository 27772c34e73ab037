package postgresdb

import (
	"fmt"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// asking is a change that the cloud is to be asked for.
type asking struct {
	d       Decision // without what it shows and tells
	kind    string   // databasev1.Change...
	target  string
	what    string // for people: what becomes what
	ongoing string // the reason of Ready while it is under way
	failed  string // and after it came to nothing
}

// ask is the one way to a change: it is asked for once, and then waited for. One
// that came to nothing, or that the cloud took and does not show, is shown, and
// asked for again only after RefusedRetry or for another spec. So nothing that the
// cloud brings into a form of its own can make a loop.
func ask(v View, i cloud.Instance, a asking) Decision {
	o, st := v.Object, v.Object.Status
	ready := reconcile.GetCondition(st.Conditions, reconcile.ConditionReady)
	said := func(reason string) bool {
		return ready != nil && ready.Reason == reason && ready.ObservedGeneration == o.Generation
	}
	asked := st.Change != nil && st.Change.Kind == a.kind && st.Change.Target == a.target
	switch {
	case !asked:
		return a.first(v, i)
	case ready != nil && ready.Reason == a.failed:
		if said(a.failed) && v.within(v.lastChange(), v.Settings.RefusedRetry) {
			d := a.cameToNothing(v, i)
			d.After = v.lastChange().Add(v.Settings.RefusedRetry).Sub(v.Now)
			return d
		}
		return a.first(v, i)
	case st.Change.TaskID != 0 && v.Task == nil:
		return Decision{Do: ReadTask, InstanceID: i.ID}
	case st.Change.TaskID != 0 && *v.Task == cloud.TaskRunning:
		return a.underWay(v)
	case (st.Change.TaskID == 0 || *v.Task == cloud.TaskDone) && said(a.ongoing) && v.within(v.lastChange(), v.Settings.Watchful):
		return a.underWay(v) // it has yet to show
	}
	return a.cameToNothing(v, i)
}

// first asks.
func (a asking) first(v View, i cloud.Instance) Decision {
	d := a.d
	d.InstanceID = i.ID
	sync := differs(v, a.what)
	d.Show = &Show{Phase: databasev1.PhaseUpdating, Reason: a.ongoing, Message: a.what, Sync: sync, Instance: &i,
		Change: &databasev1.CloudChange{Kind: a.kind, Target: a.target}}
	if d.Window != (cloud.Window{}) {
		d.Show.Change.Window = v.Object.Spec.MaintenanceWindow
	}
	d.Event = &Event{Reason: a.ongoing, Action: "Update", Note: a.what}
	if sync.Drifted {
		d.Event = &Event{Warning: true, Reason: reasonDrifted, Action: "Update",
			Note: "the instance was changed outside of Mote; putting it right: " + a.what}
	}
	return d
}

func (a asking) underWay(v View) Decision {
	d := watching(v, databasev1.PhaseUpdating, a.ongoing, a.what)
	d.Show.Sync = differs(v, a.what)
	return d
}

func (a asking) cameToNothing(v View, i cloud.Instance) Decision {
	d := failed(v.Settings.RefusedRetry, a.failed,
		"the cloud took this and it came to nothing: %s. Its console may say why; Mote asks again when the spec changes, and every %s", a.what, v.Settings.RefusedRetry)
	d.Show.Sync, d.Show.Instance = differs(v, a.what), &i
	return d
}

// window is the spec's maintenance window.
func window(s databasev1.PostgresDBSpec) cloud.Window {
	if len(s.MaintenanceWindow) != len("02:00-04:00") {
		return cloud.Window{}
	}
	return cloud.Window{From: s.MaintenanceWindow[:5], To: s.MaintenanceWindow[6:]}
}

// decideWaiting is about a change that is ready and waits for its window. One that
// was asked for by Mote waits no longer than the spec says.
func decideWaiting(v View, i cloud.Instance) Decision {
	c := v.Object.Status.Change
	if c == nil || c.Window == "" {
		return watching(v, databasev1.PhaseUpdating, "WaitingForWindow", "a change to instance "+i.ID+" waits for the time that was set for it in the cloud")
	}
	what := fmt.Sprintf("the change of instance %s to %s is ready", i.ID, c.Target)
	if v.Object.Spec.MaintenanceWindow == "" && !justSaid(v, "SwitchingNow") {
		return Decision{Do: SwitchNow, InstanceID: i.ID,
			Show:  &Show{Phase: databasev1.PhaseUpdating, Reason: "SwitchingNow", Message: what + "; there is no window any more, so it comes into force now", Instance: &i},
			Event: &Event{Reason: "SwitchingNow", Action: "Update", Note: what + " and waits no longer: spec.maintenanceWindow was taken out"}}
	}
	if v.Object.Spec.MaintenanceWindow == "" {
		return watching(v, databasev1.PhaseUpdating, "SwitchingNow", what+"; there is no window any more, so it comes into force now")
	}
	return watching(v, databasev1.PhaseUpdating, "WaitingForWindow", fmt.Sprintf("%s, and comes into force between %s (the cloud's time, UTC+8)", what, c.Window))
}

// justSaid tells whether the status says so of this very spec since a moment ago.
func justSaid(v View, reason string) bool {
	c := reconcile.GetCondition(v.Object.Status.Conditions, reconcile.ConditionReady)
	return c != nil && c.Reason == reason && c.ObservedGeneration == v.Object.Generation && v.within(v.lastChange(), v.Settings.Watchful)
}
