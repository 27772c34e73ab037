package postgresdb

import (
	"fmt"

	"example.com/mote/crd/databasev1"
)

// decideCreate brings an object without an instance to one: an open intent is
// cleared up first; then all that can be refused without buying is checked;
// then the look-up, the finalizer, and the purchase.
func decideCreate(v View) Decision {
	if v.Object.Status.Create != nil {
		return decideIntent(v)
	}
	switch {
	case v.Pace == nil:
		return Decision{Do: AskPace}
	case *v.Pace > sitOut: // no intent is written for a call that would be turned away
		return Decision{Do: Rest, After: *v.Pace}
	}
	if d, ok := checkSecret(v); !ok {
		return d
	}
	purchase, d, ok := plan(v)
	if !ok {
		return d
	}
	if v.Found == nil {
		return Decision{Do: LookUp}
	}
	if d, ok := resolve(v); ok {
		return turnedUp(v, d)
	}
	if !v.Finalizer() {
		return Decision{Do: AddFinalizer}
	}
	return Decision{Do: Buy, Purchase: purchase,
		Show: &Show{Phase: databasev1.PhaseProvisioning, Reason: "Creating", Message: "the instance was ordered; the cloud is making it"},
		Event: &Event{Reason: "Ordered", Action: "Create",
			Note: fmt.Sprintf("ordered a PostgreSQL %s instance %s with %d GB in %s", purchase.Major, v.Object.Spec.InstanceClass, purchase.StorageGB, purchase.Zone)}}
}

// turnedUp prepares for an instance that was found although no intent is open: it
// was bought by an intent that had been given up, or the status was lost. The
// Secret may have been made since, so its password is set in the cloud; and the
// finalizer is there before the id is.
func turnedUp(v View, d Decision) Decision {
	switch {
	case d.Do != RecordID:
		return d
	case !v.Finalizer():
		return Decision{Do: AddFinalizer}
	case !v.Secret.ResetPending:
		return Decision{Do: WriteSecret, Reset: true}
	}
	return d
}

// checkSecret sees to it that a password of ours is stored before anything is
// bought; ok when it is.
func checkSecret(v View) (Decision, bool) {
	user := map[string]string{"user": v.Object.Spec.AdminUser}
	switch {
	case v.Secret == nil:
		return Decision{Do: ReadSecret}, false
	case !v.Secret.Exists:
		return Decision{Do: CreateSecret, SecretData: user, NewPassword: true, Note: true}, false
	case !v.Secret.Ours:
		return secretTaken(v, databasev1.PhasePending), false
	case v.Secret.Data["password"] == "":
		return Decision{Do: WriteSecret, SecretData: user, NewPassword: true, Note: true}, false
	}
	if why := passwordFault(v.Secret.Data["password"]); why != "" {
		d := passwordInvalid(v, why)
		d.Show.Phase = databasev1.PhasePending
		return d, false
	}
	return Decision{}, true
}

// passwordInvalid rests while the Secret has a password that the cloud does not take.
func passwordInvalid(v View, why string) Decision {
	return failed(v.Settings.SlowRetry, "PasswordInvalid",
		"the password in Secret %s is not one that the cloud takes: %s. Correct it, or take it out and Mote makes one; looking again in %s",
		SecretName(v.Object), why, v.Settings.SlowRetry)
}

// secretTaken rests while somebody else's Secret has the name.
func secretTaken(v View, phase string) Decision {
	d := failed(v.Settings.SlowRetry, "NameConflict",
		"Secret %s exists and belongs to somebody else, so Mote leaves it alone: delete it, or name another one in spec.connectionSecretName of a new object; looking again in %s",
		SecretName(v.Object), v.Settings.SlowRetry)
	d.Show.Phase = phase
	return d
}
