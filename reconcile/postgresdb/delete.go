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
	if !v.Finalizer {
		return Decision{Do: Rest}
	}
	if o.Status.InstanceID == "" {
		switch {
		case o.Status.Create == nil:
			return Decision{Do: DropFinalizer}
		case o.Spec.DeletionPolicy == databasev1.DeletionRetain:
			return Decision{Do: DropFinalizer, Event: &Event{Reason: "Retained", Action: "Delete",
				Note: "an instance named " + o.Status.Create.Name + " may exist; it is left as it is (deletionPolicy Retain)"}}
		}
		return decideIntent(v)
	}
	id := o.Status.InstanceID
	if o.Spec.DeletionPolicy == databasev1.DeletionRetain {
		return Decision{Do: DropFinalizer, Event: &Event{Reason: "Retained", Action: "Delete",
			Note: "instance " + id + " is left running, and billed (deletionPolicy Retain)"}}
	}
	if v.Instance == nil {
		return Decision{Do: ReadInstance, InstanceID: id}
	}
	if v.Instance.Gone || v.Instance.Instance.State == cloud.StateGone {
		return Decision{Do: DropFinalizer, Event: &Event{Reason: "Deleted", Action: "Delete", Note: "instance " + id + " is gone"}}
	}
	i := v.Instance.Instance
	if o.Spec.InstanceID != id && i.Name != InstanceName(string(o.UID)) && owner(i) != string(o.UID) {
		d := failed(v.Settings.SlowRetry, "NotOurs",
			"instance %s, which the status names, has neither this object's name nor its tag %s=%s, so it is not deleted. Put the tag on it if it is ours, or set deletionPolicy: Retain to leave it", id, TagUID, o.UID)
		d.Show.Phase = databasev1.PhaseDeleting
		return d
	}
	switch i.State {
	case cloud.StateRunning, cloud.StateLimited:
		if i.DeletionProtection {
			if o.Spec.DeletionProtection == nil || *o.Spec.DeletionProtection {
				d := waiting(databasev1.PhaseDeleting, v.Settings.RefusedRetry, "DeletionProtected",
					"instance %s is protected against deletion: set spec.deletionProtection: false to let the deletion go on, or deletionPolicy: Retain to leave the instance", id)
				d.Event = &Event{Warning: true, Reason: "DeletionProtected", Action: "Delete", Note: d.Show.Message}
				return d
			}
			return Decision{Do: Unprotect, InstanceID: id}
		}
		return Decision{Do: Isolate, InstanceID: id,
			Show:  &Show{Phase: databasev1.PhaseDeleting, Reason: "Isolating", Message: "stopping instance " + id + " and its billing", Instance: &i},
			Event: &Event{Reason: "Isolating", Action: "Delete", Note: "stopping instance " + id + " and its billing"}}
	case cloud.StateIsolated:
		if o.Spec.DeletionPolicy == databasev1.DeletionDelete {
			return Decision{Do: Destroy, InstanceID: id,
				Show:  &Show{Phase: databasev1.PhaseDeleting, Reason: "Destroying", Message: "destroying instance " + id, Instance: &i},
				Event: &Event{Reason: "Destroying", Action: "Delete", Note: "destroying instance " + id + " and its data"}}
		}
		return Decision{Do: DropFinalizer, Event: &Event{Reason: "Isolated", Action: "Delete",
			Note: fmt.Sprintf("instance %s is stopped and not billed any more; its data waits in the cloud's recycle bin for %s", id, binDays(i.ChargeType))}}
	}
	return watching(v, databasev1.PhaseDeleting, "Deleting", "waiting for instance "+id+" ("+i.Status+")")
}

// binDays is how long the recycle bin keeps an instance.
func binDays(c cloud.ChargeType) string {
	if c == cloud.Prepaid {
		return "7 days"
	}
	return "3 days"
}
