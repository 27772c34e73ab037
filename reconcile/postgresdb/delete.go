package postgresdb

import (
	"fmt"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

// decideDelete ends an object: what it bought is dealt with by its policy, and
// only then the finalizer goes. An object that bought nothing goes at once,
// without a word to the cloud.
func decideDelete(v View) Decision {
	o := v.Object
	id, intent := o.Status.InstanceID, o.Status.Create
	retain := o.Spec.DeletionPolicy == databasev1.DeletionRetain
	switch {
	case !v.Finalizer():
		return Decision{Do: Rest}
	case id == "" && intent == nil:
		return Decision{Do: DropFinalizer}
	case id == "" && retain:
		return drop("Retained", "an instance named %s may exist; it is left as it is (deletionPolicy Retain)", intent.Name)
	case id == "":
		return decideIntent(v)
	case retain:
		return drop("Retained", "instance %s is left running, and billed (deletionPolicy Retain)", id)
	case v.Instance == nil:
		return Decision{Do: ReadInstance, InstanceID: id}
	}
	d := decideEnd(v, id)
	if final := d.Do == Destroy || d.Do == DropFinalizer; final && !v.Instance.Live {
		return Decision{Do: ReadInstance, InstanceID: id, Live: true}
	}
	if v.adopted() || d.Do == Rest {
		return d
	}
	// Nothing is touched, and the object does not go, while there is another
	// instance that nobody has accounted for.
	if v.Found == nil {
		return Decision{Do: LookUp}
	}
	other, found := twins(v, id)
	if v.missing() {
		other, found = successor(v, id)
	}
	if found {
		return other
	}
	return d
}

// decideEnd is the next step of ending the recorded instance. What it shows
// keeps the last that was observed of the instance while it ran.
func decideEnd(v View, id string) Decision {
	o, i := v.Object, v.Instance.Instance
	switch {
	case v.Instance.Gone && o.Status.Endpoint == "" && v.Now.Before(o.DeletionTimestamp.Add(v.Settings.ListLag)):
		// It never had an address, so perhaps it was bought just now and is not
		// shown yet: to let the object go would leave it behind.
		return waiting(databasev1.PhaseDeleting, lagRetry, "Deleting", "instance %s was ordered, and the cloud does not show it yet: making sure that nothing is left behind", id)
	case v.missing():
		return drop("Deleted", "instance %s is gone", id)
	case foreign(v, i):
		return notOurs(v, id)
	}
	switch i.State {
	case cloud.StateRunning, cloud.StateLimited, cloud.StateWaiting:
		if !i.DeletionProtection && i.State == cloud.StateWaiting {
			return endWaiting(v, i)
		}
		if !i.DeletionProtection {
			note := "stopping instance " + id + " and its billing"
			return Decision{Do: Isolate, InstanceID: id,
				Show:  &Show{Phase: databasev1.PhaseDeleting, Reason: "Isolating", Message: note, Instance: &i},
				Event: &Event{Reason: "Isolating", Action: "Delete", Note: note}}
		}
		if lift := o.Spec.DeletionProtection; lift != nil && !*lift {
			return Decision{Do: Unprotect, InstanceID: id}
		}
		d := waiting(databasev1.PhaseDeleting, v.Settings.RefusedRetry, "DeletionProtected",
			"instance %s is protected against deletion: set spec.deletionProtection: false to let the deletion go on, or deletionPolicy: Retain to leave the instance", id)
		d.Event = &Event{Warning: true, Reason: "DeletionProtected", Action: "Delete", Note: d.Show.Message}
		return d
	case cloud.StateIsolated:
		if o.Spec.DeletionPolicy != databasev1.DeletionDelete {
			return drop("Isolated", "instance %s is stopped and not billed any more; its data waits in the cloud's recycle bin for %s", id, binTime(i.ChargeType))
		}
		return Decision{Do: Destroy, InstanceID: id,
			Show:  &Show{Phase: databasev1.PhaseDeleting, Reason: "Destroying", Message: "destroying instance " + id},
			Event: &Event{Reason: "Destroying", Action: "Delete", Note: "destroying instance " + id + " and its data"}}
	}
	return waiting(databasev1.PhaseDeleting, v.Settings.Watchful, "Deleting", "waiting for instance %s (%s)", id, i.Status)
}

// endWaiting ends a change's wait for its window: until then the cloud stops no
// instance, and bills it.
func endWaiting(v View, i cloud.Instance) Decision {
	note := "a change of instance " + i.ID + " waits for its window, and the cloud stops no instance meanwhile: it comes into force now, and then the instance is stopped"
	if justSaid(v, "SwitchingNow") {
		return watching(v, databasev1.PhaseDeleting, "SwitchingNow", note)
	}
	return Decision{Do: SwitchNow, InstanceID: i.ID,
		Show:  &Show{Phase: databasev1.PhaseDeleting, Reason: "SwitchingNow", Message: note, Instance: &i},
		Event: &Event{Reason: "SwitchingNow", Action: "Delete", Note: note}}
}

// drop lets the object go, and says what became of its instance.
func drop(reason, format string, a ...any) Decision {
	return Decision{Do: DropFinalizer, Event: &Event{Reason: reason, Action: "Delete", Note: fmt.Sprintf(format, a...)}}
}

// binTime is how long the recycle bin keeps an instance.
func binTime(c cloud.ChargeType) string {
	if c == cloud.Prepaid {
		return "7 days"
	}
	return "3 days"
}
