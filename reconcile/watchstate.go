package reconcile

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// watchMode is what a watcher does next.
type watchMode uint8

const (
	listing  watchMode = iota // fetch the next page of a list
	watching                  // follow changes from resourceVersion
)

// watchState is the whole state of a watcher; next is its only transition.
type watchState struct {
	mode            watchMode
	continueToken   string // listing: the page to fetch; "" begins a list anew
	resourceVersion string // watching: the last one seen
	failures        int    // in a row
	synced          bool   // a list was completed at least once
}

// outcome is what a step brought.
type outcome struct {
	err             error  // nil: it went well
	continueToken   string // listing: the next page, "" when the list is whole
	resourceVersion string // listing: the list's; watching: the last one seen
	progressed      bool   // watching: at least one event or bookmark came
}

// verdict is what to do before the next step.
type verdict struct {
	wait   time.Duration // rest this long first
	reason string        // for the log; "" when there is nothing to say
}

// Waits between failed steps.
const (
	missingWait   = 5 * time.Second  // the resource is not served (its CRD is missing)
	forbiddenWait = 30 * time.Second // RBAC says no
)

// next is the state after an outcome, and what to do before going on. It is
// pure; random in [0,1) spreads retries.
func (s watchState) next(o outcome, random float64) (watchState, verdict) {
	if o.err == nil {
		s.failures = 0
		switch {
		case s.mode == listing && o.continueToken != "":
			s.continueToken = o.continueToken
		case s.mode == listing:
			s = watchState{mode: watching, resourceVersion: o.resourceVersion, synced: true}
		default: // a watch that ended in order, by its own time limit
			s.resourceVersion = o.resourceVersion
			if !o.progressed { // opened and shut at once: do not spin
				s.failures++
				return s, verdict{wait: DefaultBackoff.Delay(min(s.failures, 6), random)}
			}
		}
		return s, verdict{}
	}
	if s.mode == watching && o.resourceVersion != "" {
		s.resourceVersion = o.resourceVersion
	}
	if o.progressed {
		s.failures = 0
	}
	s.failures++
	wait := DefaultBackoff.Delay(min(s.failures, 6), random) // at most about 40 s
	relist := func() { s = watchState{mode: listing, failures: s.failures, synced: s.synced} }
	switch {
	case apierrors.IsResourceExpired(o.err), apierrors.IsGone(o.err):
		relist()
		if s.failures == 1 {
			wait = 0
		}
		return s, verdict{wait: wait, reason: "history is gone, listing again"}
	case apierrors.IsNotFound(o.err):
		relist()
		return s, verdict{wait: missingWait, reason: "the API server does not serve this kind: is its CRD installed? (mote crds | kubectl apply -f -)"}
	case apierrors.IsForbidden(o.err), apierrors.IsUnauthorized(o.err):
		return s, verdict{wait: forbiddenWait, reason: "not allowed to list or watch this kind: check the ServiceAccount's RBAC"}
	case apierrors.IsBadRequest(o.err), apierrors.IsInvalid(o.err):
		relist()
		return s, verdict{wait: forbiddenWait, reason: "the API server refuses the request: are the selectors declared by the CRD?"}
	}
	if seconds, ok := apierrors.SuggestsClientDelay(o.err); ok {
		wait = max(wait, time.Duration(seconds)*time.Second)
	}
	if s.mode == watching && s.failures > 8 { // a resourceVersion that only ever fails, such as after a restore
		relist()
	}
	return s, verdict{wait: wait, reason: "could not reach it, will try again"}
}
