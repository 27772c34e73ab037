package postgresdb

import (
	"fmt"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

// Action is what to do next.
type Action string

// Observations: they change nothing, and the decision is made again with more
// in view.
const (
	AskPace      Action = "AskPace" // how long the cloud's rate makes a purchase wait
	ReadSecret   Action = "ReadSecret"
	ReadSubnet   Action = "ReadSubnet"
	ReadOffer    Action = "ReadOffer"
	ReadOrders   Action = "ReadOrders"
	LookUp       Action = "LookUp"       // find instances by exact name
	ReadInstance Action = "ReadInstance" // by id
	ReadVersions Action = "ReadVersions" // that the region knows
	ReadGroups   Action = "ReadGroups"   // the instance's security groups
	ReadTask     Action = "ReadTask"     // the task of the change that was asked for
)

// Effects in the cluster.
const (
	AddFinalizer  Action = "AddFinalizer"
	DropFinalizer Action = "DropFinalizer"
	CreateSecret  Action = "CreateSecret"
	WriteSecret   Action = "WriteSecret"
	RecordID      Action = "RecordID"      // the instance's id into the status; ends an intent
	RecordOrders  Action = "RecordOrders"  // the orders of a purchase into its intent
	MarkAmbiguous Action = "MarkAmbiguous" // an intent whose outcome nobody knows
	CountLookup   Action = "CountLookup"   // one more clean look-up for the intent
	ClearIntent   Action = "ClearIntent"   // the intent bought nothing
	RecordTags    Action = "RecordTags"    // the keys of tags that are about to be set
)

// Effects in the cloud. Buy writes the intent, calls, and writes the outcome.
const (
	Buy           Action = "Buy"
	Resize        Action = "Resize"
	Upgrade       Action = "Upgrade"
	SwitchNow     Action = "SwitchNow" // what waits for the maintenance window
	Rename        Action = "Rename"
	SetTags       Action = "SetTags"
	SetGroups     Action = "SetGroups"
	Protect       Action = "Protect"
	Unprotect     Action = "Unprotect"
	ResetPassword Action = "ResetPassword"
	Isolate       Action = "Isolate"
	Destroy       Action = "Destroy"
)

// Rest: nothing to do but to show the state and wait.
const Rest Action = "Rest"

// Decision is one action with all that it needs, and what it shows of the object.
type Decision struct {
	Do Action

	InstanceID string              // the action's instance; RecordID: the id to record
	Live       bool                // ReadInstance: whatever the cloud's watch saw
	Orders     []string            // RecordOrders
	Purchase   cloud.CreateRequest // Buy; without the password
	Size       cloud.Size          // Resize
	Window     cloud.Window        // Resize and Upgrade
	Kernel     string              // Upgrade
	Major      bool                // Upgrade: to a later major version
	Tags       map[string]string   // SetTags: to put on
	DropTags   []string            // SetTags: keys to take off
	TagKeys    []string            // RecordTags: all that Mote answers for
	Groups     []string            // SetGroups

	// CreateSecret and WriteSecret:
	SecretData  map[string]string // what to write; "" takes a key away
	NewPassword bool              // with a password made anew
	Reset       bool              // mark the password as one that the cloud has yet to be given
	Note        bool              // keep a digest of the password as the one that the cloud has

	Show  *Show         // nil: the status stays as it is
	Event *Event        // nil: none
	After time.Duration // Rest: look again then; 0: when something changes
}

// Show is what the status says beside what was observed of the instance.
type Show struct {
	Phase       string
	Ready       bool
	Reason      string
	Message     string
	Degraded    string // not empty: runs, but not as it should
	Sync        *Sync  // nil: nothing new of it
	Unreachable string // not empty: why the cloud is not asked
	Instance    *cloud.Instance
	Change      *databasev1.CloudChange // that was asked for with this
	Settled     bool                    // nothing that was asked for is still to come
	TagKeys     []string                // of a Show that is Settled: the tags that Mote answers for
}

// Event is worth telling a person.
type Event struct {
	Warning              bool
	Reason, Action, Note string
}

// Decide is the whole behaviour of a PostgresDB. It is pure.
func Decide(v View) Decision {
	switch {
	case v.Deleting():
		return decideDelete(v)
	case v.Region() == "":
		return failed(v.Settings.RefusedRetry, "RegionMissing", "%s", v.Settings.regionMissing())
	case v.Object.Status.InstanceID != "":
		return decideLife(v)
	case v.Object.Spec.InstanceID != "":
		return decideAdopt(v)
	default:
		return decideCreate(v)
	}
}

// failed rests in phase Failed until something changes or the time is over.
func failed(after time.Duration, reason, format string, a ...any) Decision {
	note := fmt.Sprintf(format, a...)
	return Decision{Do: Rest, After: after,
		Show:  &Show{Phase: databasev1.PhaseFailed, Reason: reason, Message: note},
		Event: &Event{Warning: true, Reason: reason, Action: "Reconcile", Note: note}}
}

// waiting rests in a phase while something is under way.
func waiting(phase string, after time.Duration, reason, format string, a ...any) Decision {
	return Decision{Do: Rest, After: after, Show: &Show{Phase: phase, Reason: reason, Message: fmt.Sprintf(format, a...)}}
}
