package postgresdb

import (
	"time"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

// Settings are the paces of decisions; see DefaultSettings.
type Settings struct {
	// Region is where an object without one lives.
	Region string
	// Grace is how long after an ambiguous purchase look-ups go on before another
	// purchase (or the end of a deletion) is allowed, and CleanLookups how many
	// of them must have found nothing. The cloud documents nowhere how soon a new
	// instance is listed.
	Grace        time.Duration
	CleanLookups int32
	// Watchful is the safety net while something is under way: the cloud's watch
	// normally wakes an object much sooner.
	Watchful time.Duration
	// SlowRetry is for what credentials or another object stand in the way of.
	SlowRetry time.Duration
	// RefusedRetry is for what the cloud refuses until spec or account change.
	RefusedRetry time.Duration
	// ListLag is how long an instance just bought may be unknown to the cloud.
	ListLag time.Duration
}

// DefaultSettings are for production.
var DefaultSettings = Settings{
	Grace: 3 * time.Minute, CleanLookups: 4,
	Watchful: time.Minute, SlowRetry: time.Minute, RefusedRetry: 10 * time.Minute, ListLag: 5 * time.Minute,
}

// View is all that a decision is made from. What was not looked at is nil or
// false, never guessed.
type View struct {
	Object    *databasev1.PostgresDB
	Deleting  bool // deletionTimestamp is set
	Finalizer bool // ours is on the object
	Now       time.Time
	Settings  Settings

	Secret   *Secret
	Subnet   *cloud.Subnet
	Offer    *Offer
	Orders   *[]string         // ids that the purchase's orders have produced
	Found    *[]cloud.Instance // by exact name
	Instance *Sighting
}

// Secret is the connection Secret as it was seen.
type Secret struct {
	Exists bool
	// Ours: the object controls it. A Secret of somebody else is never touched.
	Ours bool
	// ResetPending: its password has yet to be set in the cloud.
	ResetPending bool
	Data         map[string]string
}

// Offer is what is for sale in a zone.
type Offer struct {
	Versions []cloud.Version
	Classes  []cloud.InstanceClass
}

// Sighting is an instance as it was seen, or its absence.
type Sighting struct {
	Gone     bool
	Instance cloud.Instance
}

// Region is where the object's instance is or will be. Once bought it is what
// the status says, whatever the controller's default has become.
func (v View) Region() string {
	switch {
	case v.Object.Status.Region != "":
		return v.Object.Status.Region
	case v.Object.Spec.Region != "":
		return v.Object.Spec.Region
	}
	return v.Settings.Region
}

// InstanceName is the name in the cloud by which a purchase is found again:
// unique to the object's uid, so an object of the same name made later has another.
func InstanceName(uid string) string { return "mote-" + uid }

// Tags that prove whose an instance is.
const (
	TagUID    = "mote-uid"    // the object's uid
	TagObject = "mote-object" // namespace/name, for people
)

// SecretName is the name of the connection Secret.
func SecretName(o *databasev1.PostgresDB) string {
	if o.Spec.ConnectionSecretName != "" {
		return o.Spec.ConnectionSecretName
	}
	return o.Name + databasev1.DefaultSecretSuffix
}
