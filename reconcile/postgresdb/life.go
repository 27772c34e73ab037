package postgresdb

import (
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

// decideAdopt takes over an instance that exists: only one that lives and that
// no other object owns.
func decideAdopt(v View) Decision {
	id := v.Object.Spec.InstanceID
	switch {
	case v.Instance == nil:
		return Decision{Do: ReadInstance, InstanceID: id}
	case v.Instance.Gone:
		return failed(v.Settings.SlowRetry, "InstanceNotFound", "instance %s, which spec.instanceID names, does not exist in %s", id, v.Region())
	case owner(v.Instance.Instance) != "" && owner(v.Instance.Instance) != string(v.Object.UID):
		return failed(v.Settings.SlowRetry, "OwnedByAnother", "instance %s belongs to object %s (uid %s); it is not taken over",
			id, v.Instance.Instance.Tags[TagObject], owner(v.Instance.Instance))
	case !v.Finalizer:
		return Decision{Do: AddFinalizer}
	}
	d := record(v, id)
	d.Show.Reason, d.Show.Message = "Adopting", "instance "+id+" was taken over"
	d.Event = &Event{Reason: "Adopted", Action: "Adopt", Note: d.Show.Message}
	return d
}

// decideLife keeps an instance as the spec says.
func decideLife(v View) Decision {
	o := v.Object
	id := o.Status.InstanceID
	if v.Instance == nil {
		return Decision{Do: ReadInstance, InstanceID: id}
	}
	if v.Instance.Gone {
		if o.Status.Phase == databasev1.PhaseProvisioning && v.Now.Before(lastChange(o).Add(v.Settings.ListLag)) {
			return waiting(databasev1.PhaseProvisioning, 15*time.Second, "Creating", "instance %s was ordered; the cloud does not show it yet", id)
		}
		return failed(v.Settings.RefusedRetry, "InstanceMissing",
			"instance %s does not exist any more in %s: it was destroyed outside of Mote. Nothing is bought in its place: delete this object, and apply it again for an empty database", id, v.Region())
	}
	i := v.Instance.Instance
	if !v.Finalizer {
		return Decision{Do: AddFinalizer}
	}
	switch i.State {
	case cloud.StateProvisioning, cloud.StateRestoring:
		return watching(v, databasev1.PhaseProvisioning, "Creating", "the cloud is making instance "+id+" ("+i.Status+")")
	case cloud.StateBusy:
		return watching(v, databasev1.PhaseUpdating, "Updating", "the cloud is changing instance "+id+" ("+i.Status+")")
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
	return watching(v, phaseOr(o.Status.Phase), "UnknownStatus", "the cloud says "+i.Status+" of instance "+id+", which Mote does not know; it leaves the instance alone")
}

// decideRunning compares a running instance with the spec, one difference at a time.
func decideRunning(v View, i cloud.Instance) Decision {
	o, s := v.Object, v.Object.Spec
	adopted := s.InstanceID != ""
	switch {
	case v.Secret == nil:
		return Decision{Do: ReadSecret}
	case v.Secret.Exists && !v.Secret.Ours:
		d, _ := checkSecret(v)
		d.Show.Phase, d.Show.Instance = databasev1.PhaseFailed, &i
		return d
	}
	if data := connection(o, i, v.Secret.Data); !v.Secret.Exists {
		// The password went with the Secret: a new one is stored first, then set.
		return Decision{Do: CreateSecret, SecretData: data, InstanceID: i.ID}
	} else if !maps.Equal(data, v.Secret.Data) || (!adopted && data["password"] == "") {
		return Decision{Do: WriteSecret, SecretData: data}
	}
	if v.Secret.ResetPending && i.State == cloud.StateRunning {
		return Decision{Do: ResetPassword, InstanceID: i.ID,
			Event: &Event{Reason: "PasswordReset", Action: "Update", Note: "the connection Secret was made anew, and its new password set in the cloud"}}
	}
	if i.State == cloud.StateRunning {
		size, why := wantedSize(s, i)
		switch {
		case s.DeletionProtection != nil && *s.DeletionProtection && !i.DeletionProtection:
			return Decision{Do: Protect, InstanceID: i.ID}
		case s.DeletionProtection != nil && !*s.DeletionProtection && i.DeletionProtection:
			return Decision{Do: Unprotect, InstanceID: i.ID}
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

// wantedSize is the size to ask for and why, or "" when the instance fits.
// Storage is a minimum: what grew outside of Mote stays.
func wantedSize(s databasev1.PostgresDBSpec, i cloud.Instance) (cloud.Size, string) {
	size := cloud.Size{CPU: i.CPU, MemoryGB: i.MemoryGB, StorageGB: max(i.StorageGB, int(s.StorageGB))}
	if s.InstanceClass != i.ClassName() {
		fmt.Sscanf(s.InstanceClass, "%dC%dG", &size.CPU, &size.MemoryGB)
	}
	if size == (cloud.Size{CPU: i.CPU, MemoryGB: i.MemoryGB, StorageGB: i.StorageGB}) {
		return size, ""
	}
	return size, fmt.Sprintf("%s with %d GB becomes %dC%dG with %d GB", i.ClassName(), i.StorageGB, size.CPU, size.MemoryGB, size.StorageGB)
}

// connection is the connection Secret's content. The password is whatever the
// Secret has; without one there is no uri.
func connection(o *databasev1.PostgresDB, i cloud.Instance, have map[string]string) map[string]string {
	port := strconv.Itoa(i.Port)
	data := map[string]string{"host": i.Host, "port": port, "user": o.Spec.AdminUser, "dbname": "postgres", "sslmode": "prefer"}
	if p := have["password"]; p != "" {
		data["password"] = p
		u := url.URL{Scheme: "postgresql", User: url.UserPassword(o.Spec.AdminUser, p), Host: i.Host + ":" + port, Path: "/postgres", RawQuery: "sslmode=prefer"}
		data["uri"] = u.String()
	}
	return data
}

// watching rests while the cloud works on the instance; its watch wakes the object.
func watching(v View, phase, reason, message string) Decision {
	i := v.Instance.Instance
	return Decision{Do: Rest, After: v.Settings.Watchful, Show: &Show{Phase: phase, Reason: reason, Message: message, Instance: &i}}
}

func phaseOr(phase string) string {
	if phase == "" {
		return databasev1.PhaseProvisioning
	}
	return phase
}

// lastChange is when the status last changed, or the object's own beginning.
func lastChange(o *databasev1.PostgresDB) time.Time {
	if o.Status.LastReconciled != nil {
		return o.Status.LastReconciled.Time
	}
	return o.CreationTimestamp.Time
}
