package reconcile

import (
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// watchMode is what a watcher does next.
type watchMode uint8

const (
	listing   watchMode = iota // fetch the next page of a list
	streaming                  // take a whole list from a watch that begins with it
	watching                   // follow changes from resourceVersion
)

// watchState is the whole state of a watcher; next is its only transition.
type watchState struct {
	mode            watchMode
	continueToken   string        // listing: the page to fetch; "" begins a list anew
	resourceVersion string        // the last one that a watch has seen; in a list that repairs: where that watch goes on if it fails
	failures        int           // in a row
	expiries        int           // lists begun because history was gone, since a watch last stood
	silences        int           // streams in a row that were given up because nothing came
	paged           int           // lists that are fetched in pages before streaming is tried again
	age             time.Duration // of the last whole list
	due             time.Duration // the age at which another list repairs what watches missed
}

// outcome is what a step brought.
type outcome struct {
	err             error  // nil: it went well
	continueToken   string // listing: the next page, "" when the list is whole
	resourceVersion string // a list's; watching: the last one seen
	progressed      bool   // watching: at least one event or bookmark came
	brief           bool   // watching: the stream ended as soon as it began, or never did
	silent          bool   // a stream was given up because nothing came
	took            time.Duration
}

// verdict is what to do before the next step.
type verdict struct {
	wait   time.Duration // rest this long first
	reason string        // for the log; "" when there is nothing to say
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
	reasonWentBack     = "resourceVersions went back, as after a restore, listing again"
	reasonStalled      = "a streamed list stalled, fetching it in pages"
	reasonUnrepaired   = "the periodic list failed, the watch goes on; will try again after it"
	reasonSilent       = "nothing comes from the API server, not even a bookmark, will try again"
	reasonBrief        = "the stream ends as soon as it begins, will try again"
)

// silent is how many streams in a row may bring nothing before a list is due, and
// the next, and so on: there may be a proxy that keeps what streams to itself, or the
// resourceVersion is of a time before a restore, and still to come.
const silent = 2

// anew is the state in which a list begins that no watch waits for.
func (s watchState) anew(p pace) watchState {
	s.resourceVersion = ""
	return s.list(p)
}

// list is the state in which a list begins.
func (s watchState) list(p pace) watchState {
	s.mode, s.continueToken = listing, ""
	if p.stream && s.paged == 0 {
		s.mode = streaming
	}
	return s
}

// next is the state after an outcome, and what to do before going on. It is
// pure; random in [0,1) spreads retries.
func (s watchState) next(o outcome, p pace, random float64) (watchState, verdict) {
	var v verdict
	before := s.mode
	switch s.mode {
	case watching:
		s, v = s.watched(o, p, random)
	case streaming, listing:
		s, v = s.listed(o, p, random)
	}
	s.age += o.took + v.wait
	if before == watching && s.mode == watching && s.age >= s.due {
		s = s.list(p)
	}
	return s, v
}

// listed is next for a page or a streamed list.
func (s watchState) listed(o outcome, p pace, random float64) (watchState, verdict) {
	switch {
	case o.err != nil && s.mode == streaming && o.silent:
		s.mode, s.paged = listing, p.unstreamed
		return s, verdict{reason: reasonStalled}
	case o.err != nil && s.mode == streaming && noStreams(o.err):
		s.mode, s.paged = listing, p.unstreamed
		return s, verdict{}
	case o.err != nil && s.mode == streaming && !apierrors.IsNotFound(o.err) && !apierrors.IsUnauthorized(o.err):
		s.mode, s.paged = listing, 1 // a page that fails is all that is lost of a list
	}
	switch {
	case o.err != nil && s.resourceVersion != "":
		s.mode, s.continueToken = watching, ""
		return s, verdict{wait: p.backoff.Delay(1, random), reason: reasonUnrepaired}
	case o.err != nil:
		return s.failed(o.err, p, random)
	case o.continueToken != "":
		s.continueToken, s.failures = o.continueToken, 0
	default:
		s = watchState{mode: watching, resourceVersion: o.resourceVersion, expiries: s.expiries, silences: s.silences,
			paged: max(s.paged-1, 0), due: p.relist*3/4 + time.Duration(random*float64(p.relist)/2)}
	}
	return s, verdict{}
}

// watched is next for a watch that ended.
func (s watchState) watched(o outcome, p pace, random float64) (watchState, verdict) {
	if o.resourceVersion != "" {
		s.resourceVersion = o.resourceVersion
	}
	if o.progressed {
		s.failures, s.silences = 0, 0
	}
	if !o.brief {
		s.expiries = 0
	}
	if o.silent && !o.progressed {
		if s.silences++; s.silences%silent == 0 {
			s.due = 0
		}
	}
	if o.err != nil {
		return s.failed(o.err, p, random)
	}
	var v verdict
	switch {
	case o.brief: // do not spin, even if each stream brings a little
		if !o.progressed {
			s.failures++
		}
		v.wait = p.backoff.Delay(s.failures, random)
		if s.failures >= 3 {
			v.reason = reasonBrief
		}
		if s.failures > stubborn { // a proxy that lets no stream through leaves us lists
			s = s.anew(p)
		}
	default: // a watch that ended in order, by its own time limit or ours
		s.failures = 0
		if s.silences >= silent {
			v.reason = reasonSilent
		}
	}
	return s, v
}

// noStreams tells whether an API server says that it does not stream lists. It
// may mean something else, of which the pages then tell.
func noStreams(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsForbidden(err) ||
		apierrors.IsMethodNotSupported(err) || apierrors.IsNotAcceptable(err) || apierrors.IsUnsupportedMediaType(err)
}

// failed is next for an outcome with an error.
func (s watchState) failed(err error, p pace, random float64) (watchState, verdict) {
	s.failures++
	v := verdict{wait: p.backoff.Delay(s.failures, random), reason: reasonFailed}
	anew := s.anew(p)
	switch {
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err), errors.Is(err, errWentBack):
		// The first time at once; when it happens again before a watch has stood,
		// ever more slowly, for each time is a whole list.
		anew.expiries++
		v = verdict{wait: p.backoff.Delay(anew.expiries-1, random), reason: reasonExpired}
		if anew.expiries == 1 {
			v.wait = 0
		}
		if errors.Is(err, errWentBack) {
			v.reason = reasonWentBack
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
