package postgresdb

import (
	"fmt"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// decideRunning compares a running instance with the spec, one difference at a time.
func decideRunning(v View, i cloud.Instance) Decision {
	o, s := v.Object, v.Object.Spec
	if o.Status.Phase != databasev1.PhaseRunning && !v.adopted() {
		// By now a list shows whatever was bought: before the object first runs,
		// make sure that nothing else was.
		if v.Found == nil {
			return Decision{Do: LookUp}
		}
		if d, ok := twins(v, i.ID); ok {
			d.Show.Instance = &i
			return d
		}
	}
	if d, ok := checkConnection(v, i); !ok {
		return d
	}
	if i.State == cloud.StateRunning {
		size, why := wantedSize(s, i)
		switch {
		case v.Secret.ResetPending:
			return Decision{Do: ResetPassword, InstanceID: i.ID,
				Event: &Event{Reason: "PasswordReset", Action: "Update", Note: "the connection Secret's password was set in the cloud"}}
		case s.DeletionProtection != nil && *s.DeletionProtection && !i.DeletionProtection:
			return Decision{Do: Protect, InstanceID: i.ID}
		case s.DeletionProtection != nil && !*s.DeletionProtection && i.DeletionProtection:
			return Decision{Do: Unprotect, InstanceID: i.ID}
		case why != "" && asked(v, "Resizing"):
			return watching(v, databasev1.PhaseUpdating, "Resizing", "resizing: "+why)
		case why != "":
			return Decision{Do: Resize, InstanceID: i.ID, Size: size,
				Show:  &Show{Phase: databasev1.PhaseUpdating, Reason: "Resizing", Message: "resizing: " + why, Instance: &i},
				Event: &Event{Reason: "Resizing", Action: "Update", Note: why}}
		}
	}
	show := &Show{Phase: databasev1.PhaseRunning, Ready: true, Reason: "Running", Message: "PostgreSQL " + i.Version + " at " + i.Endpoint(), Instance: &i}
	if !Satisfies(i.Version, s.EngineVersion) {
		show.Ready, show.Reason = false, "VersionDiffers"
		show.Message = fmt.Sprintf("PostgreSQL %s runs at %s, but the spec asks for %s", i.Version, i.Endpoint(), s.EngineVersion)
	}
	if i.State == cloud.StateLimited {
		show.Degraded = "the cloud limits the instance: " + i.Status
	}
	d := Decision{Do: Rest, Show: show}
	if o.Status.Phase != databasev1.PhaseRunning && show.Ready {
		d.Event = &Event{Reason: "Running", Action: "Reconcile", Note: show.Message}
	}
	return d
}

// asked tells whether a change was asked of the cloud just now, for this very
// spec, so that one that has yet to show is not asked for again.
func asked(v View, reason string) bool {
	c := reconcile.GetCondition(v.Object.Status.Conditions, reconcile.ConditionReady)
	return c != nil && c.Reason == reason && c.ObservedGeneration == v.Object.Generation && v.within(v.lastChange(), v.Settings.Watchful)
}

// wantedSize is the size to ask for and why, or "" when the instance fits.
// Storage is a minimum: what grew outside of Mote stays.
func wantedSize(s databasev1.PostgresDBSpec, i cloud.Instance) (cloud.Size, string) {
	has := cloud.Size{CPU: i.CPU, MemoryGB: i.MemoryGB, StorageGB: i.StorageGB}
	size := has
	size.StorageGB = max(i.StorageGB, int(s.StorageGB))
	if s.InstanceClass != i.ClassName() {
		fmt.Sscanf(s.InstanceClass, "%dC%dG", &size.CPU, &size.MemoryGB)
	}
	if size == has {
		return size, ""
	}
	return size, fmt.Sprintf("%s with %d GB becomes %dC%dG with %d GB", i.ClassName(), i.StorageGB, size.CPU, size.MemoryGB, size.StorageGB)
}
