package standin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Kind is what a fault does.
type Kind string

// The kinds. Those that shape the answer strike before the effect, or after
// it when Fault.After is set; a slow or truncated body always comes after.
const (
	Latency    Kind = "latency"        // waits Delay before the effect
	ErrorCode  Kind = "error"          // answers Code and Message
	Cut        Kind = "cut"            // closes the connection without an answer
	BadGateway Kind = "bad-gateway"    // answers 502 with an HTML page
	ServerErr  Kind = "server-error"   // answers 500 in JSON, without an error code
	EmptyBody  Kind = "empty-body"     // 200 with nothing
	Hang       Kind = "hang"           // silent until the caller leaves
	SlowBody   Kind = "slow-body"      // the true answer, spread over Delay
	Truncated  Kind = "truncated-body" // half of the true answer, then a cut

	Lag      Kind = "lag"       // the read does not see instances bought less than Delay ago
	LagTags  Kind = "lag-tags"  // it sees them without their tags
	TaskFail Kind = "task-fail" // accepted, but the task ends in Fail and without its effect
)

var answerKinds = []Kind{ErrorCode, Cut, BadGateway, ServerErr, EmptyBody, Hang, SlowBody, Truncated}

// Fault goes wrong on demand. The calls it matches are given by Action, Region
// and Instance; what is empty matches everything. It concerns only calls that
// got past the signature, the region and the rate limit. When several faults
// match a call, latencies add up, all lags count, and the oldest fault that
// shapes the answer does so alone (the others are kept for later calls).
type Fault struct {
	ID     int    `json:"id"` // given by the server
	Action string `json:"action,omitempty"`
	Region string `json:"region,omitempty"`
	// Instance is an id or a name: what the call is about, or, for the lags,
	// the one instance that is not seen.
	Instance string `json:"instance,omitempty"`
	Kind     Kind   `json:"kind"`
	After    bool   `json:"after,omitempty"` // strike after the effect

	Code    string        `json:"code,omitempty"` // of kind error
	Message string        `json:"message,omitempty"`
	Delay   time.Duration `json:"-"` // as text in JSON: "delay": "1.5s"

	Times       int     `json:"times,omitempty"`       // how often; 0 is always
	Probability float64 `json:"probability,omitempty"` // in (0, 1]; 0 is 1
}

type faultJSON Fault

// MarshalJSON writes Delay as text.
func (f Fault) MarshalJSON() ([]byte, error) {
	out := struct {
		faultJSON
		Delay string `json:"delay,omitempty"`
	}{faultJSON: faultJSON(f)}
	if f.Delay != 0 {
		out.Delay = f.Delay.String()
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Fault) UnmarshalJSON(b []byte) error {
	in := struct {
		*faultJSON
		Delay string `json:"delay"`
	}{faultJSON: (*faultJSON)(f)}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return err
	}
	if in.Delay == "" {
		return nil
	}
	delay, err := time.ParseDuration(in.Delay)
	f.Delay = delay
	return err
}

func (f Fault) check() error {
	delays := slices.Contains([]Kind{Latency, SlowBody, Lag, LagTags}, f.Kind)
	switch {
	case !delays && f.Kind != TaskFail && !slices.Contains(answerKinds, f.Kind):
		return fmt.Errorf("unknown kind of fault %q", f.Kind)
	case f.Action != "" && actions[f.Action].run == nil:
		return fmt.Errorf("unknown action %q", f.Action)
	case delays && f.Delay <= 0:
		return fmt.Errorf("a fault of kind %s needs a positive delay", f.Kind)
	case f.After && !slices.Contains(answerKinds, f.Kind):
		return fmt.Errorf("a fault of kind %s cannot strike after the effect", f.Kind)
	case f.Kind == ErrorCode && f.Code == "":
		return fmt.Errorf("a fault of kind error needs a code")
	case f.Times < 0 || f.Probability < 0 || f.Probability > 1:
		return fmt.Errorf("times cannot be negative, and probability is between 0 and 1")
	}
	return nil
}

// AddFaults adds faults and returns their ids. It fails, adding none, when one
// of them makes no sense.
func (s *Server) AddFaults(faults ...Fault) ([]int, error) { return s.faults.add(false, faults) }

// SetFaults does as AddFaults, and drops all earlier faults.
func (s *Server) SetFaults(faults ...Fault) ([]int, error) { return s.faults.add(true, faults) }

// ClearFaults drops the faults with these ids, or all when none is given.
// Calls that already hang or wait are not released.
func (s *Server) ClearFaults(ids ...int) { s.faults.clear(ids) }

// Faults lists the faults that can still strike; Times is what is left.
func (s *Server) Faults() []Fault {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	return append([]Fault{}, s.faults.list...)
}

type faultSet struct {
	mu     sync.Mutex
	lastID int
	list   []Fault
	rand   *rand.Rand
}

func (s *faultSet) add(replace bool, faults []Fault) ([]int, error) {
	for _, f := range faults {
		if err := f.check(); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if replace {
		s.list = nil
	}
	ids := []int{}
	for _, f := range faults {
		s.lastID++
		f.ID = s.lastID
		f.After = f.After || f.Kind == SlowBody || f.Kind == Truncated
		ids = append(ids, f.ID)
		s.list = append(s.list, f)
	}
	return ids, nil
}

func (s *faultSet) clear(ids []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(f Fault) bool { return len(ids) == 0 || slices.Contains(ids, f.ID) })
}

// hits is what the faults do to one call.
type hits struct {
	latency  time.Duration
	lags     []Fault // of kinds lag and lag-tags
	failTask bool
	outcome  *Fault // shapes the answer
}

// match finds what strikes a call, and uses it up.
func (s *faultSet) match(action, region string, about []string) hits {
	s.mu.Lock()
	defer s.mu.Unlock()
	var h hits
	kept := s.list[:0]
	for _, f := range s.list {
		if s.strikes(f, &h, action, region, about) {
			if f.Times == 1 {
				continue
			}
			f.Times = max(0, f.Times-1)
		}
		kept = append(kept, f)
	}
	s.list = kept
	return h
}

// strikes adds f to h when it matches the call, and tells whether it did.
func (s *faultSet) strikes(f Fault, h *hits, action, region string, about []string) bool {
	lags := f.Kind == Lag || f.Kind == LagTags
	if f.Action != "" && f.Action != action || f.Region != "" && f.Region != region ||
		!lags && f.Instance != "" && !slices.Contains(about, f.Instance) ||
		slices.Contains(answerKinds, f.Kind) && h.outcome != nil {
		return false
	}
	if f.Probability > 0 && s.rand.Float64() >= f.Probability {
		return false
	}
	switch {
	case lags:
		h.lags = append(h.lags, f)
	case f.Kind == Latency:
		h.latency += f.Delay
	case f.Kind == TaskFail:
		h.failTask = true
	default:
		h.outcome = &f
	}
	return true
}
