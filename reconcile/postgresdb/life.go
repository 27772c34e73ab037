package postgresdb

import (
	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

// decideLife keeps an instance as the spec says.
func decideLife(v View) Decision {
	id := v.Object.Status.InstanceID
	if v.Instance == nil {
		return Decision{Do: ReadInstance, InstanceID: id}
	}
	if v.missing() {
		return decideMissing(v, id)
	}
	i := v.Instance.Instance
	if foreign(v, i) {
		return notOurs(v, id)
	}
	if !v.Finalizer() {
		return Decision{Do: AddFinalizer}
	}
	switch i.State {
	case cloud.StateProvisioning, cloud.StateRestoring:
		return watching(v, databasev1.PhaseProvisioning, "Creating", "the cloud is making instance "+id+" ("+i.Status+")")
	case cloud.StateBusy:
		return watching(v, databasev1.PhaseUpdating, "Updating", "the cloud is changing instance "+id+" ("+i.Status+")")
	case cloud.StateWaiting:
		return decideWaiting(v, i)
	case cloud.StateIsolating, cloud.StateIsolated:
		d := failed(v.Settings.RefusedRetry, "IsolatedOutside",
			"instance %s was isolated outside of Mote (arrears, expiry or a person): it does not run, and the cloud destroys it in a few days. Restore it in the cloud's console, or delete this object", id)
		d.Show.Instance = &i
		return d
	case cloud.StateRunning, cloud.StateLimited:
		if i.Endpoint() == "" {
			return watching(v, databasev1.PhaseProvisioning, "Creating", "instance "+id+" runs; waiting for its private address")
		}
		return decideRunning(v, i)
	}
	phase := databasev1.PhaseUpdating // Running would say that this generation is done
	if v.Object.Status.Phase == databasev1.PhaseProvisioning {
		phase = databasev1.PhaseProvisioning
	}
	return watching(v, phase, "UnknownStatus", "the cloud says "+i.Status+" of instance "+id+", which Mote does not know; it leaves the instance alone")
}

// decideMissing is about a recorded instance that the cloud does not know.
func decideMissing(v View, id string) Decision {
	st := v.Object.Status
	if v.Instance.Gone && st.Phase == databasev1.PhaseProvisioning && st.Endpoint == "" && v.within(v.lastChange(), v.Settings.ListLag) {
		return waiting(databasev1.PhaseProvisioning, lagRetry, "Creating", "instance %s was ordered; the cloud does not show it yet", id)
	}
	if !v.adopted() {
		if v.Found == nil {
			return Decision{Do: LookUp}
		}
		if d, ok := successor(v, id); ok {
			return d
		}
	}
	return failed(v.Settings.RefusedRetry, "InstanceMissing",
		"instance %s does not exist any more in %s: it was destroyed outside of Mote. Nothing is bought in its place: delete this object, and apply it again for an empty database", id, v.Region())
}

// watching rests while the cloud works on the instance; its watch wakes the object.
func watching(v View, phase, reason, message string) Decision {
	i := v.Instance.Instance
	return Decision{Do: Rest, After: v.Settings.Watchful, Show: &Show{Phase: phase, Reason: reason, Message: message, Instance: &i}}
}
