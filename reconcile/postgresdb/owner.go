package postgresdb

import (
	"slices"
	"strings"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

// InstanceName is the name in the cloud by which a purchase is found again:
// unique to the object's uid, so an object of the same name made later has another.
func InstanceName(uid string) string { return "mote-" + uid }

// Tags that prove whose an instance is.
const (
	TagUID    = "mote-uid"    // the object's uid
	TagObject = "mote-object" // namespace/name, for people
)

// owner is the uid that an instance's tag names, or "".
func owner(i cloud.Instance) string { return i.Tags[TagUID] }

// foreign: an instance that neither the spec names nor its own name or tag tie
// to the object. A status that was restored or copied may speak of one.
func foreign(v View, i cloud.Instance) bool {
	uid := string(v.Object.UID)
	return v.Object.Spec.InstanceID != i.ID && i.Name != InstanceName(uid) && owner(i) != uid
}

// notOurs rests before an instance that is foreign.
func notOurs(v View, id string) Decision {
	d := failed(v.Settings.SlowRetry, "NotOurs",
		"instance %s, which the status names, has neither this object's name nor its tag %s=%s, so it is left alone. Put the tag on it if it is ours, or delete this object with deletionPolicy: Retain",
		id, TagUID, v.Object.UID)
	d.Show.Phase = v.phaseOr(d.Show.Phase)
	return d
}

// candidates are the ids of the instances that the look-up found for the object,
// in order. The name is unique to the object; a tag that is missing may yet come,
// one that names another object says that somebody copied the name. What is in
// the recycle bin stands apart: it is not billed, and goes by itself.
func candidates(v View) (alive, binned []string) {
	for _, i := range *v.Found {
		if o := owner(i); o != "" && o != string(v.Object.UID) {
			continue
		}
		switch i.State {
		case cloud.StateGone:
		case cloud.StateIsolating, cloud.StateIsolated:
			binned = append(binned, i.ID)
		default:
			alive = append(alive, i.ID)
		}
	}
	slices.Sort(alive)
	slices.Sort(binned)
	return slices.Compact(alive), slices.Compact(binned)
}

// resolve takes what the look-up found: one instance is ours, several are a
// reason to stop; ok false: none. The recycle bin counts when nothing else does.
func resolve(v View) (d Decision, ok bool) {
	ids, binned := candidates(v)
	if len(ids) == 0 {
		ids = binned
	}
	switch len(ids) {
	case 0:
		return Decision{}, false
	case 1:
		return record(v, ids[0]), true
	default:
		return several(v, ids), true
	}
}

// twins stops when the look-up found a live instance beside the recorded one: a
// purchase that took effect after it had been given up. ok false: there is none.
func twins(v View, id string) (d Decision, ok bool) {
	alive, _ := candidates(v)
	others := slices.DeleteFunc(alive, func(x string) bool { return x == id })
	if len(others) == 0 {
		return Decision{}, false
	}
	all := append(others, id)
	slices.Sort(all)
	return several(v, all), true
}

// successor is for an object whose recorded instance is gone: of several, a person
// may have kept another. ok false: there is none.
func successor(v View, id string) (d Decision, ok bool) {
	alive, binned := candidates(v)
	if slices.Contains(alive, id) || slices.Contains(binned, id) {
		return waiting(v.phaseOr(databasev1.PhaseUpdating), lagRetry, "UnknownStatus",
			"the cloud lists instance %s and does not know it: waiting until it is of one mind", id), true
	}
	return resolve(v)
}

func record(v View, id string) Decision {
	return Decision{Do: RecordID, InstanceID: id,
		Show: &Show{Phase: v.phaseOr(databasev1.PhaseProvisioning), Reason: "Creating", Message: "instance " + id + " exists; the cloud is making it"}}
}

func several(v View, ids []string) Decision {
	d := failed(v.Settings.SlowRetry, "SeveralInstances",
		"the cloud has several instances for this one object: %s. Mote touches none of them: keep one, destroy the others in the cloud's console, and it goes on",
		strings.Join(ids, ", "))
	if v.Deleting() {
		d.Show.Phase = databasev1.PhaseDeleting
		d.Show.Message += "; deletionPolicy: Retain leaves them all"
		d.Event.Note = d.Show.Message
	}
	return d
}
