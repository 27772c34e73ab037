package postgresdb

import (
	"fmt"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
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
	show := &Show{Phase: databasev1.PhaseRunning, Ready: true, Reason: "Running", Message: "PostgreSQL " + i.Version + " at " + i.Endpoint(), Instance: &i}
	switch {
	case i.State == cloud.StateRunning:
		if d, ok := decideChanges(v, i); !ok {
			return d
		}
		show.Settled, show.TagKeys, show.Sync = true, tagKeys(s), &Sync{}
	case i.State == cloud.StateLimited:
		show.Degraded = "the cloud limits the instance: " + i.Status
		if !Satisfies(i.Version, s.EngineVersion) {
			show.Ready, show.Reason = false, "VersionDiffers"
			show.Message = fmt.Sprintf("PostgreSQL %s runs at %s, but the spec asks for %s", i.Version, i.Endpoint(), s.EngineVersion)
		}
	}
	d := Decision{Do: Rest, Show: show}
	if o.Status.Phase != databasev1.PhaseRunning && show.Ready {
		d.Event = &Event{Reason: "Running", Action: "Reconcile", Note: show.Message}
	}
	return d
}

// decideChanges asks for the changes that bring the instance to what the spec says,
// one in a turn, those that interrupt nothing first; ok when there is none.
func decideChanges(v View, i cloud.Instance) (Decision, bool) {
	s := v.Object.Spec
	switch protect := s.DeletionProtection; {
	case v.Secret.ResetPending && !v.adopted():
		return Decision{Do: ResetPassword, InstanceID: i.ID,
			Event: &Event{Reason: "PasswordReset", Action: "Update", Note: "the connection Secret's password was set in the cloud"}}, false
	case protect != nil && *protect && !i.DeletionProtection:
		return Decision{Do: Protect, InstanceID: i.ID}, false
	case protect != nil && !*protect && i.DeletionProtection:
		return Decision{Do: Unprotect, InstanceID: i.ID}, false
	}
	if name := InstanceName(string(v.Object.UID)); i.Name != name && !v.adopted() {
		// Look-ups search for the name; until it is back, the tag proves whose it is.
		return ask(v, i, asking{d: Decision{Do: Rename}, kind: databasev1.ChangeRename, target: name,
			what: "name " + i.Name + " becomes " + name, ongoing: "Renaming", failed: "NameNotTaken"}), false
	}
	if d, ok := decideTags(v, i); !ok {
		return d, false
	}
	if d, ok := decideGroups(v, i); !ok {
		return d, false
	}
	if size, why := wantedSize(s, i); why != "" {
		return ask(v, i, asking{d: Decision{Do: Resize, Size: size, Window: window(s)}, kind: databasev1.ChangeResize,
			target: fmt.Sprintf("%dC%dG with %d GB", size.CPU, size.MemoryGB, size.StorageGB),
			what:   "resizing: " + why, ongoing: "Resizing", failed: "ResizeFailed"}), false
	}
	if Satisfies(i.Version, s.EngineVersion) {
		return Decision{}, true
	}
	if v.Versions == nil {
		return Decision{Do: ReadVersions}, false
	}
	c := wantedVersion(*v.Versions, i, s.EngineVersion)
	if c.why != "" {
		d := failed(v.Settings.RefusedRetry, "UpgradeNotPossible", "%s", c.why)
		d.Show.Sync, d.Show.Instance = differs(v, c.why), &i
		return d, false
	}
	return ask(v, i, asking{d: Decision{Do: Upgrade, Kernel: c.to.Kernel, Major: c.major, Window: window(s)}, kind: databasev1.ChangeUpgrade,
		target: fmt.Sprintf("PostgreSQL %s (%s)", c.to.Minor, c.to.Kernel),
		what:   fmt.Sprintf("upgrading: PostgreSQL %s becomes %s (%s)", i.Version, c.to.Minor, c.to.Kernel), ongoing: "Upgrading", failed: "UpgradeFailed"}), false
}

// wantedSize is the size to ask for and why, or "" when the instance fits.
// Storage is a minimum: what grew outside of Mote stays.
func wantedSize(s databasev1.PostgresDBSpec, i cloud.Instance) (cloud.Size, string) {
	has := cloud.Size{CPU: i.CPU, MemoryGB: i.MemoryGB, StorageGB: i.StorageGB}
	size := has
	size.StorageGB = max(i.StorageGB, int(s.StorageGB))
	if s.InstanceClass != i.ClassName() {
		if cpu, memory := sizeOf(s.InstanceClass); cpu > 0 && memory > 0 { // else nothing is asked for
			size.CPU, size.MemoryGB = cpu, memory
		}
	}
	if size == has {
		return size, ""
	}
	return size, fmt.Sprintf("%s with %d GB becomes %dC%dG with %d GB", i.ClassName(), i.StorageGB, size.CPU, size.MemoryGB, size.StorageGB)
}

// sizeOf reads a class like "2C4G"; zeros where it is none, which the schema refuses.
func sizeOf(class string) (cpu, memoryGB int) {
	fmt.Sscanf(class, "%dC%dG", &cpu, &memoryGB)
	return cpu, memoryGB
}
