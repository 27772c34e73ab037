package postgresdb

import "time"

// Settings are the paces of decisions; see DefaultSettings.
type Settings struct {
	// Region is where an object without one lives.
	Region string
	// Asked: not the controller decides, but a command on its behalf, which may not have
	// been given its flags.
	Asked bool
	// Grace is how long after an ambiguous purchase look-ups go on before another
	// purchase (or the end of a deletion) is allowed, and CleanLookups how many
	// of them, spread over it, must have found nothing. The cloud documents
	// nowhere how soon a new instance is listed.
	Grace        time.Duration
	CleanLookups int32
	// Watchful is the safety net while something is under way: the cloud's watch
	// normally wakes an object much sooner.
	Watchful time.Duration
	// SlowRetry is for what credentials or another object stand in the way of.
	SlowRetry time.Duration
	// RefusedRetry is for what the cloud refuses until spec or account change.
	RefusedRetry time.Duration
	// ListLag is how long an instance just bought may be unknown to the cloud
	// when it is asked for by id.
	ListLag time.Duration
	// Resync is how often an object at rest has a turn although nothing seems to have
	// changed; 0: never.
	Resync time.Duration
}

// DefaultSettings are for production.
var DefaultSettings = Settings{
	Grace: 3 * time.Minute, CleanLookups: 4,
	Watchful: time.Minute, SlowRetry: time.Minute, RefusedRetry: 10 * time.Minute, ListLag: 5 * time.Minute, Resync: time.Hour,
}

// Paces that need no setting.
const (
	// soon is for an object whose next step is clear and waits for nothing.
	soon = 20 * time.Millisecond
	// busyRetry is how soon an instance that was busy is asked again, should the
	// cloud's watch not wake its object before.
	busyRetry = 15 * time.Second
	// lagRetry is how soon an instance that the cloud does not know yet is asked for again.
	lagRetry = 15 * time.Second
	// orderRetry is how soon an order is asked again for its instance.
	orderRetry = 5 * time.Second
)

// regionMissing says why nobody knows where to make a database.
func (s Settings) regionMissing() string {
	who := "the controller runs without --region"
	if s.Asked {
		who = "this command was given no --region (give it the controller's flags)"
	}
	return "spec.region is not set, and " + who + ", so nobody knows where to make the database"
}
