package postgresdb

// decideAdopt takes over the instance that the spec names: only one that exists
// and that no other object owns. Nothing is bought or changed by it.
func decideAdopt(v View) Decision {
	id := v.Object.Spec.InstanceID
	if v.Instance == nil {
		return Decision{Do: ReadInstance, InstanceID: id}
	}
	i := v.Instance.Instance
	switch {
	case v.missing():
		return failed(v.Settings.SlowRetry, "InstanceNotFound", "instance %s, which spec.instanceID names, does not exist in %s", id, v.Region())
	case owner(i) != "" && owner(i) != string(v.Object.UID):
		return failed(v.Settings.SlowRetry, "OwnedByAnother", "instance %s belongs to object %s (uid %s); it is not taken over. If that object is gone for good, take the tag "+TagUID+" off the instance in the cloud's console, and Mote takes it over",
			id, i.Tags[TagObject], owner(i))
	case !v.Finalizer():
		return Decision{Do: AddFinalizer}
	}
	d := record(v, id)
	d.Show.Reason, d.Show.Message = "Adopting", "instance "+id+" was taken over"
	d.Event = &Event{Reason: "Adopted", Action: "Adopt", Note: d.Show.Message}
	return d
}
