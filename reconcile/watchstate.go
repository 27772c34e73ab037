package reconcile

import (
	"errors"
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
	expiries        int    // lists begun because history was gone, since a watch last stood
	watches         int    // watches that stood, since the last whole list
}

// outcome is what a step brought.
type outcome struct {
	err             error  // nil: it went well
	continueToken   string // listing: the next page, "" when the list is whole
	resourceVersion string // listing: the list's; watching: the last one seen
	progressed      bool   // watching: at least one event or bookmark came
	brief           bool   // watching: the stream ended as soon as it began, or never did
}

// verdict is what to do before the next step.
type verdict struct {
	wait   time.Duration // rest this long first
	reason string        // for the log; "" when there is nothing to say
}

// pace is how a watcher takes its time.
type pace struct {
	page      int64         // objects in one page of a list
	pageLimit time.Duration // for one page
	watch     time.Duration // the API server is asked to end a watch after this up to twice this, so that not all end at once
	grace     time.Duration // how much longer the client waits before it ends one itself
	quiet     time.Duration // a stream with no event and no bookmark for this long is taken for dead
	brief     time.Duration // a stream that stood for less has not really stood
	relist    int           // after this many watches, a list repairs what they may have missed
	backoff   Backoff       // after a failure
	missing   time.Duration // wait while the kind is not served (its CRD is missing)
	refused   time.Duration // wait while the API server says no (RBAC, credentials, selectors)
	longest   time.Duration // the longest Retry-After that is heeded
}

// usualPace: bookmarks come every minute, so three minutes of silence are three
// that are missing; the relist comes after some twelve hours.
var usualPace = pace{
	page: 250, pageLimit: time.Minute,
	watch: 5 * time.Minute, grace: 30 * time.Second, quiet: 3 * time.Minute, brief: 5 * time.Second, relist: 100,
	backoff: Backoff{Base: time.Second, Max: 30 * time.Second},
	missing: 5 * time.Second, refused: 30 * time.Second, longest: 5 * time.Minute,
}

// stubborn is how many answers in a row that say no, for no reason we know, make
// a watcher begin anew: the resourceVersion or the continue token may be such
// that it only ever fails, as after a restore.
const stubborn = 8

// Reasons, for the log.
const (
	reasonExpired      = "history is gone, listing again"
	reasonMissing      = "the API server does not serve this kind: is its CRD installed? (mote crds | kubectl apply -f -)"
	reasonForbidden    = "not allowed to list or watch this kind: check the ServiceAccount's RBAC"
	reasonUnauthorized = "the API server does not accept the credentials"
	reasonRefused      = "the API server refuses the request: are the selectors declared by the CRD?"
	reasonFailed       = "it failed, will try again"
	reasonBrief        = "the stream ends as soon as it begins, will try again"
)

// next is the state after an outcome, and what to do before going on. It is
// pure; random in [0,1) spreads retries.
func (s watchState) next(o outcome, p pace, random float64) (watchState, verdict) {
	if s.mode == watching && o.resourceVersion != "" {
		s.resourceVersion = o.resourceVersion
	}
	if o.progressed {
		s.failures = 0
	}
	if s.mode == watching && !o.brief {
		s.expiries = 0
	}
	if o.err != nil {
		return s.failed(o.err, p, random)
	}
	switch {
	case s.mode == listing && o.continueToken != "":
		s.continueToken, s.failures = o.continueToken, 0
	case s.mode == listing:
		s = watchState{mode: watching, resourceVersion: o.resourceVersion, expiries: s.expiries}
	case o.brief: // do not spin, even if each stream brings a little
		if !o.progressed {
			s.failures++
		}
		v := verdict{wait: p.backoff.Delay(s.failures, random)}
		if s.failures >= 3 {
			v.reason = reasonBrief
		}
		if s.failures > stubborn { // a proxy that lets no stream through leaves us lists
			s = watchState{failures: s.failures, expiries: s.expiries}
		}
		return s, v
	default: // a watch that ended in order, by its own time limit or ours
		s.failures = 0
		if s.watches++; s.watches >= p.relist {
			s = watchState{}
		}
	}
	return s, verdict{}
}

// failed is next for an outcome with an error.
func (s watchState) failed(err error, p pace, random float64) (watchState, verdict) {
	s.failures++
	v := verdict{wait: p.backoff.Delay(s.failures, random), reason: reasonFailed}
	anew := watchState{mode: listing, failures: s.failures, expiries: s.expiries}
	switch {
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		// The first time at once; when it happens again before a watch has stood,
		// ever more slowly, for each time is a whole list.
		anew.expiries++
		v = verdict{wait: p.backoff.Delay(anew.expiries-1, random), reason: reasonExpired}
		if anew.expiries == 1 {
			v.wait = 0
		}
		return anew, v
	case apierrors.IsNotFound(err):
		return anew, verdict{wait: p.missing, reason: reasonMissing}
	case apierrors.IsForbidden(err):
		return s, verdict{wait: p.refused, reason: reasonForbidden}
	case apierrors.IsUnauthorized(err):
		return s, verdict{wait: p.refused, reason: reasonUnauthorized}
	case apierrors.IsBadRequest(err), apierrors.IsInvalid(err):
		return anew, verdict{wait: p.refused, reason: reasonRefused}
	}
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		v.wait = max(v.wait, min(time.Duration(seconds)*time.Second, p.longest))
	}
	// An API server that cannot be reached says nothing about what we ask for, but
	// one that answers does.
	var answered apierrors.APIStatus
	if s.failures > stubborn && errors.As(err, &answered) {
		return anew, v
	}
	return s, v
}
