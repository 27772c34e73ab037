package postgresdb

import (
	"example.com/mote/crd/databasev1"
)

// broken is the first rule that a world breaks, or "". These rules hold at every
// moment between turns, also where a process has just died in the middle of one.
func (w *world) broken() string {
	o := w.Object
	if w.billed() > 1 && w.Cloudy.Lag <= grace {
		return "two instances are billed"
	}
	if w.Proc.Outcome == outcomeID && w.Proc.Bought == 0 {
		return "an instance without an id is remembered"
	}
	if o.Exists && !o.Finalizer && (o.Status.Intent.Open || o.Status.ID != 0) {
		return "an intent or an id on an object without the finalizer"
	}
	if w.Cloudy.Lag > grace {
		return "" // what nobody can see, nobody can account for
	}
	for n, i := range w.Cloud {
		id := uint8(n + 1)
		accounted := o.Exists && o.Finalizer && (o.Status.ID == id || o.Status.Intent.Open)
		left := !o.Exists && w.Spent.Deleted
		switch {
		case i.State == 0 || i.State == gone || accounted:
		case left && o.Policy == retainPolicy:
		case left && o.Policy == isolatePolicy && i.State == isolated:
		case i.State == isolated && o.Status.ID != id && w.Spent.Isolated:
			// A person put it into the recycle bin, and it was not the recorded one.
		case left:
			return "the object is gone, and its instance is not: " + idOf(id) + " is " + i.State.String()
		default:
			return "nothing accounts for instance " + idOf(id) + ", which is " + i.State.String()
		}
	}
	return ""
}

// unsettled says what is not settled in a world in which nothing happens any
// more, or "". Settled is also silent: one more turn changes nothing.
func (x *exploration) unsettled(w world) string {
	o := w.Object
	if !o.Exists {
		return ""
	}
	again := w
	again.Proc.Turn = wakeNow
	out := x.m.turn(&again, &chooser{})
	if again.Object != w.Object || again.Secret != w.Secret || out.effects > 0 {
		return "one more turn still changes something"
	}
	said := o.Status.Said.what()
	switch {
	case w.Cloudy.Lag > grace && said.Reason == "SeveralInstances" && w.billed() > 0:
		return ""
	case o.Deleting:
		if said.Reason == "DeletionProtected" && o.Protect != protectNo && o.Status.ID != 0 && w.Cloud[o.Status.ID-1].Protected {
			return ""
		}
		return "it is still being deleted: " + said.Message
	case o.Observed != o.Gen:
		return "the status does not speak of the spec"
	case o.Status.Intent.Open:
		return "an intent is open"
	case o.Status.ID == 0:
		return "there is no instance"
	}
	i := w.Cloud[o.Status.ID-1]
	switch {
	case i.State == gone:
		if o.Status.Phase.String() == databasev1.PhaseFailed && said.Reason == "InstanceMissing" {
			return ""
		}
		return "the instance is gone, and the object does not say so"
	case i.State == isolated:
		if o.Status.Phase.String() == databasev1.PhaseFailed && said.Reason == "IsolatedOutside" {
			return ""
		}
		return "the instance is isolated, and the object does not say so"
	case i.State != running:
		return "the instance is " + i.State.String()
	case o.Status.Phase.String() != databasev1.PhaseRunning || !said.Ready:
		return "the instance runs, and the object does not say so: " + said.Message
	case o.Large && !i.Size.Large || o.Fast != i.Size.Fast:
		return "the instance has not the size that the spec asks for"
	case o.New && !i.Size.New:
		return "the instance has not the version that the spec asks for"
	case i.Renamed:
		return "the instance has not its name"
	case o.Protect == protectYes && !i.Protected || o.Protect == protectNo && i.Protected:
		return "the protection is not as the spec says"
	case !w.Secret.Exists:
		return "there is no Secret"
	case w.Secret.Password != i.Password || w.Secret.Pending:
		return "the Secret does not hold the instance's password"
	case w.Secret.Host != o.Status.ID || w.Secret.URI != w.Secret.Password:
		return "the Secret does not lead to the instance"
	}
	return ""
}
