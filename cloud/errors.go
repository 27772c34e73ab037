package cloud

import (
	"errors"
	"fmt"
	"time"
)

// Class says what a failure means for the one who called.
type Class string

// The classes.
const (
	// NotSent: the request certainly never left (no route, refused connection,
	// no credentials, our own rate): no effect, try again later.
	NotSent Class = "NotSent"
	// Throttled: refused for its rate before any effect; safe to repeat later.
	Throttled Class = "Throttled"
	// Ambiguous: it may or may not have taken effect. Reads just retry; after a
	// create, only look-ups are allowed.
	Ambiguous Class = "Ambiguous"
	// Busy: the instance's present status does not allow it; wait for the status.
	Busy Class = "Busy"
	// Denied: credentials or permission; retried slowly, shown as a condition.
	Denied Class = "Denied"
	// Refused: will be refused again until the spec or the account changes.
	Refused Class = "Refused"
	// SoldOut: refused for want of stock; retried slowly.
	SoldOut Class = "SoldOut"
	// Gone: the instance does not exist.
	Gone Class = "Gone"
)

// Error is a failed call, whole enough to be shown to a person and to be found
// again in the cloud's own logs. It never holds a secret.
type Error struct {
	Class      Class
	Action     string // the API's action, e.g. "CreateInstances"
	Region     string
	Code       string // the cloud's code, e.g. "InvalidParameterValue.InstanceNotExist"
	Message    string
	RequestID  string        // empty when nothing was answered
	RetryAfter time.Duration // at least this long before a repeat; 0: caller's choice
	Err        error         // the cause on our side, if any
	// Network: nothing came back that the cloud itself has said: no route, no
	// connection, silence, or somebody else's page.
	Network bool
	// Outage is set when the call was not made because a Gate knows better.
	Outage *Outage
}

// Error is one line: what was called, where, and what came back.
func (e *Error) Error() string {
	s := fmt.Sprintf("%s in %s: %s: %s", e.Action, e.Region, e.Code, e.Message)
	if e.RequestID != "" {
		s += " (request " + e.RequestID + ")"
	}
	return s
}

// Unwrap is the cause on our side.
func (e *Error) Unwrap() error { return e.Err }

// ClassOf is the class of err; an error that is not an *Error is Ambiguous,
// the class that assumes least. It is "" for nil.
func ClassOf(err error) Class {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Class
	}
	return Ambiguous
}
