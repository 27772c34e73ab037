package standin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"
)

// maxBody is the largest request body that the real gateway takes.
const maxBody = 10 << 20

// turn is one call while it is carried out, under the server's lock.
type turn struct {
	world     *world
	catalog   *Catalog
	timing    Timing
	rand      func() uint64
	now       time.Time
	region    *Region
	requestID string

	hideIsolated bool
	normalise    bool
	listLag      time.Duration // what a list does not see yet
	lags         []Fault       // what this call does not see yet
	failTask     bool          // the work that this call starts will fail
}

// serveAPI carries one API call from the wire to its effect and back.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	now := s.now()
	requestID := s.newRequestID()
	call := s.calls.begin(Call{At: now, Action: r.Header.Get("X-TC-Action"),
		Region: r.Header.Get("X-TC-Region"), RequestID: requestID})

	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, big := errors.AsType[*http.MaxBytesError](err); big {
		failed := fail("RequestSizeLimitExceeded", "The request body is larger than %d bytes.", maxBody)
		s.calls.end(call, failed.Code, "", false)
		s.writeFailure(w, requestID, failed)
		return
	}
	if err != nil {
		s.calls.end(call, "cut", "", false)
		panic(http.ErrAbortHandler)
	}
	about := targets(body)
	s.calls.about(call, about)

	act, region, failed := s.admit(r, body, now)
	if failed != nil {
		s.calls.end(call, failed.Code, "", false)
		s.writeFailure(w, requestID, failed)
		return
	}
	hit := s.faults.match(act.name, region.Name, about)

	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	// A caller that leaves while it waits does not undo its call: the effect
	// comes all the same, as it does in the real cloud.
	s.sleep(ctx, s.cfg.Latency+hit.latency)
	if s.ctx.Err() != nil {
		s.calls.end(call, "cut", "", false)
		panic(http.ErrAbortHandler)
	}
	if hit.outcome != nil && !hit.outcome.After {
		s.strike(ctx, w, call, hit.outcome, requestID, nil, false)
		return
	}

	result, failed := s.carryOut(act, body, region, requestID, hit)
	effect := act.mutates && failed == nil
	out, err := answer(requestID, result, failed)
	if err != nil {
		out, _ = answer(requestID, nil, fail("InternalError", "The answer cannot be written: %v.", err))
	}
	if hit.outcome != nil {
		s.strike(ctx, w, call, hit.outcome, requestID, out, effect)
		return
	}
	outcome := "ok"
	if failed != nil {
		outcome = failed.Code
	}
	s.calls.end(call, outcome, "", effect)
	writeJSON(w, out)
}

func (s *Server) writeFailure(w http.ResponseWriter, requestID string, failed *apiError) {
	out, err := answer(requestID, nil, failed)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	writeJSON(w, out)
}

// admit checks all that does not depend on the action's own parameters.
func (s *Server) admit(r *http.Request, body []byte, now time.Time) (action, *Region, *apiError) {
	none := action{}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.Method != http.MethodPost || kind != "application/json" {
		return none, nil, fail("UnsupportedProtocol", "Only POST requests with Content-Type application/json are supported here.")
	}
	for _, name := range []string{"Action", "Timestamp", "Version"} {
		if r.Header.Get("X-TC-"+name) == "" {
			return none, nil, fail("MissingParameter", "The request is missing a required parameter `%s`.", name)
		}
	}
	name := r.Header.Get("X-TC-Action")
	act, known := actions[name]
	act.name = name
	service := act.service
	if !known {
		// The real host names the service; here an unknown action leaves only
		// the caller's word, which is good enough to refuse it.
		if a, ok := parseAuthorization(r.Header.Get("Authorization")); ok && services[a.service] != "" {
			service = a.service
		}
	}
	if failed := s.authenticate(r, body, service, now); failed != nil {
		return none, nil, failed
	}
	if !known {
		return none, nil, fail("InvalidAction", "The request action=`%s` is invalid or not found.", name)
	}
	if v := r.Header.Get("X-TC-Version"); v != services[act.service] {
		return none, nil, fail("NoSuchVersion", "The request version=`%s` does not exist for this service.", v)
	}
	where := r.Header.Get("X-TC-Region")
	if where == "" {
		return none, nil, fail("MissingParameter", "The request is missing a required parameter `Region`.")
	}
	region := s.cfg.Catalog.region(where)
	if region == nil {
		return none, nil, fail("UnsupportedRegion", "The action does not support the region=`%s`.", where)
	}
	if n, limit, over := s.limits.count(act, where, now); over {
		return none, nil, fail("RequestLimitExceeded", "Your current request times equals to `%d` in a second, "+
			"which exceeds the frequency limit `%d` for a second. Please reduce the frequency of calls.", n, limit)
	}
	return act, region, nil
}

// carryOut makes the call's effect and its result, and saves the state when
// it changed something.
func (s *Server) carryOut(act action, body []byte, region *Region, requestID string, hit hits) (any, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &turn{world: s.world, catalog: &s.cfg.Catalog, timing: s.cfg.Timing, rand: s.rand.Uint64,
		now: s.now(), region: region, requestID: requestID, hideIsolated: s.cfg.HideIsolated, normalise: s.cfg.Normalise,
		listLag: s.cfg.ListLag, lags: hit.lags, failTask: hit.failTask}
	result, failed := act.run(t, body)
	if failed == nil && act.mutates {
		if err := s.save(); err != nil {
			return nil, fail("InternalError", "The state could not be saved, the effect is kept in memory: %v.", err)
		}
	}
	return result, failed
}

// newRequestID is a fresh id in the form of a UUID.
func (s *Server) newRequestID() string {
	s.mu.Lock()
	a, b := s.rand.Uint64(), s.rand.Uint64()
	s.mu.Unlock()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, 0x8000|b>>48&0x3fff, b&0xffffffffffff)
}
