package postgresdb

import (
	"slices"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

// View is all that a decision is made from. What was not looked at is nil,
// never guessed.
type View struct {
	Object   *databasev1.PostgresDB
	Now      time.Time
	Settings Settings
	Outcome  *Outcome // of the open intent, when this process knows it better than the status

	Pace     *time.Duration // how long the cloud's rate makes a purchase wait
	Secret   *Secret
	Subnet   *cloud.Subnet
	Offer    *Offer
	Orders   *[]string         // ids that the purchase's orders have produced
	Found    *[]cloud.Instance // by exact name
	Instance *Sighting
	Versions *[]cloud.Version  // that the region knows
	Groups   *[]string         // the instance's security groups
	Task     *cloud.TaskStatus // of the change that the status names
}

// Secret is the connection Secret as it was seen.
type Secret struct {
	Exists bool
	// Ours: the object controls it. A Secret of somebody else is never touched.
	Ours bool
	// ResetPending: its password has yet to be set in the cloud. Either it is marked
	// so, or it is another one than was set last.
	ResetPending bool
	// Noted: it is known which password was set last.
	Noted bool
	Data  map[string]string

	version string // what a write has to meet
}

// Offer is what is for sale in a zone.
type Offer struct {
	Versions []cloud.Version
	Classes  []cloud.InstanceClass
}

// Sighting is an instance as it was seen, or its absence.
type Sighting struct {
	Gone     bool
	Live     bool // read just now, by id; otherwise the cloud's watch saw it lately
	Instance cloud.Instance
}

// Outcome is what came of an intent, known to the process that made the call
// although writing it down failed. Nothing: it bought nothing, for certain;
// otherwise what was bought.
type Outcome struct {
	Nothing bool
	cloud.Created
}

// Deleting: the object is on its way out.
func (v View) Deleting() bool { return v.Object.DeletionTimestamp != nil }

// Finalizer: ours is on the object.
func (v View) Finalizer() bool { return slices.Contains(v.Object.Finalizers, databasev1.Finalizer) }

// Region is where the object's instance is or will be. From the purchase on it
// is what the status says, whatever the controller's default has become; before
// it, a default that was wrong can be put right.
func (v View) Region() string {
	st := v.Object.Status
	switch {
	case st.Region != "" && (st.InstanceID != "" || st.Create != nil):
		return st.Region
	case v.Object.Spec.Region != "":
		return v.Object.Spec.Region
	}
	return v.Settings.Region
}

// adopted: the instance was not bought for the object but named by its spec.
func (v View) adopted() bool { return v.Object.Spec.InstanceID != "" }

// missing: the instance was looked for, and is not there any more, or not yet.
func (v View) missing() bool { return v.Instance.Gone || v.Instance.Instance.State == cloud.StateGone }

// answered: the cloud has answered in this turn.
func (v View) answered() bool {
	return v.Instance != nil && v.Instance.Live || v.Found != nil || v.Orders != nil || v.Groups != nil || v.Task != nil
}

// lastChange is when the status last changed, or the object's own beginning.
func (v View) lastChange() time.Time {
	if t := v.Object.Status.LastReconciled; t != nil {
		return t.Time
	}
	return v.Object.CreationTimestamp.Time
}

// within tells whether less than d has passed since t. A time in the future was
// written by a clock that has since been put back: nothing waits for it.
func (v View) within(t time.Time, d time.Duration) bool {
	age := v.Now.Sub(t)
	return age >= 0 && age < d
}

// phaseOr is Deleting for an object that is being deleted, or else phase.
func (v View) phaseOr(phase string) string {
	if v.Deleting() {
		return databasev1.PhaseDeleting
	}
	return phase
}

// SecretName is the name of the connection Secret.
func SecretName(o *databasev1.PostgresDB) string {
	if o.Spec.ConnectionSecretName != "" {
		return o.Spec.ConnectionSecretName
	}
	return o.Name + databasev1.DefaultSecretSuffix
}
