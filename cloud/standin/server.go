package standin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Config says how a Server behaves. The zero value works: no accepted keys,
// the default catalog, every change complete at once, documented rate limits.
type Config struct {
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Sleep waits d or until ctx is done, whichever comes first; nil uses a timer.
	Sleep func(ctx context.Context, d time.Duration)
	// Seed feeds the generator of ids and the one of fault probabilities. The
	// same seed and the same order of calls give the same run.
	Seed uint64

	Keys    []Key   // accepted credentials; none: every call is refused
	Catalog Catalog // what is for sale and where; zero: DefaultCatalog
	Timing  Timing  // how long things take; zero: nothing takes time

	// Latency is waited before the effect of every API call; >= 0.
	Latency time.Duration
	// ListLag is how long after the purchase DescribeDBInstances does not show
	// a new instance; >= 0.
	ListLag time.Duration
	// HideIsolated leaves isolated instances out of DescribeDBInstances. Whether
	// the real API lists them is documented nowhere; a client must bear both.
	HideIsolated bool

	// Normalise brings what it is given into a form of its own: tags without the
	// spaces around them, and listed in another order from call to call; ids of
	// security groups in lower case and in another order. A client must bear it.
	Normalise bool

	// NoRateLimits turns all rate limits off.
	NoRateLimits bool
	// RateLimits overrides the documented calls a second, by action; 0 is no limit.
	RateLimits map[string]int

	// StateFile, when set, is read by New and rewritten before every answer to
	// a call that changed something. Faults, keys and calls are not kept in it.
	StateFile string
	// Fsync also flushes the state file to the disk, so that it survives a
	// power cut and not only a kill.
	Fsync bool
}

// Timing is how long the asynchronous work takes. No field may be negative;
// zero means that it is complete at the next look.
type Timing struct {
	Create  time.Duration // applying -> init -> initing -> running
	Order   time.Duration // until DescribeOrders shows a deal's instances; prepaid ones appear then
	Resize  time.Duration // expanding -> job running -> running
	Upgrade time.Duration // upgrading -> running, kernel and major
	Isolate time.Duration // isolating -> isolated, and disisolating -> running
	Destroy time.Duration // offlining -> offline

	RecyclePostpaid time.Duration // isolated -> recycled, by itself
	RecyclePrepaid  time.Duration // the same for prepaid instances
	Linger          time.Duration // how long offline and recycled instances can still be read

	// MaintenanceStart is when the daily maintenance window opens (SwitchTag 2),
	// as time since midnight in the API's zone, UTC+8; 0-24 h.
	MaintenanceStart time.Duration
}

// DemoTiming is short enough to watch and long enough to see each state.
func DemoTiming() Timing {
	return Timing{
		Create: 8 * time.Second, Order: 2 * time.Second,
		Resize: 5 * time.Second, Upgrade: 5 * time.Second,
		Isolate: 2 * time.Second, Destroy: 2 * time.Second,
		RecyclePostpaid: 3 * 24 * time.Hour, RecyclePrepaid: 7 * 24 * time.Hour,
		Linger: time.Second, MaintenanceStart: 2 * time.Hour,
	}
}

func (t Timing) check() error {
	for _, d := range []time.Duration{t.Create, t.Order, t.Resize, t.Upgrade, t.Isolate, t.Destroy,
		t.RecyclePostpaid, t.RecyclePrepaid, t.Linger, t.MaintenanceStart} {
		if d < 0 {
			return fmt.Errorf("negative duration %s in the timing", d)
		}
	}
	if t.MaintenanceStart > 24*time.Hour {
		return fmt.Errorf("maintenance window %s is not a time of day", t.MaintenanceStart)
	}
	return nil
}

// Server is the stand-in. It is safe for use by many goroutines.
type Server struct {
	now    func() time.Time
	sleep  func(context.Context, time.Duration)
	cfg    Config
	ctx    context.Context // done after Close
	cancel context.CancelFunc
	calls  callLog
	faults faultSet
	limits limiter

	mu    sync.Mutex // guards all below
	keys  map[string]Key
	world *world
	rand  *rand.Rand // ids
}

// New makes a Server, with the state of cfg.StateFile when that exists. It
// fails on a negative duration, a key without an id or secret, or a state file
// that cannot be read.
func New(cfg Config) (*Server, error) {
	if err := cfg.Timing.check(); err != nil {
		return nil, err
	}
	if cfg.Latency < 0 || cfg.ListLag < 0 {
		return nil, fmt.Errorf("latency and list lag cannot be negative")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Sleep == nil {
		cfg.Sleep = sleep
	}
	if len(cfg.Catalog.Regions) == 0 {
		cfg.Catalog = DefaultCatalog()
	}
	w, err := loadWorld(cfg.StateFile)
	if err != nil {
		return nil, err
	}
	s := &Server{now: cfg.Now, sleep: cfg.Sleep, cfg: cfg, world: w}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.rand = rand.New(rand.NewPCG(cfg.Seed, 1))
	s.faults.rand = rand.New(rand.NewPCG(cfg.Seed, 2))
	s.limits.set(Limits{Off: cfg.NoRateLimits, PerSecond: cfg.RateLimits})
	if err := s.SetKeys(cfg.Keys...); err != nil {
		return nil, err
	}
	return s, nil
}

// Close ends every waiting call without an effect; later calls are cut too.
// The state is already on disk.
func (s *Server) Close() { s.cancel() }

// ServeHTTP answers the API on / and the control endpoint under /_standin/.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.ctx.Err() != nil {
		panic(http.ErrAbortHandler)
	}
	// Callers measure their clock's skew against this one.
	w.Header().Set("Date", s.now().UTC().Format(http.TimeFormat))
	switch {
	case strings.HasPrefix(r.URL.Path, ControlPath):
		if !fromLoopback(r.RemoteAddr) {
			http.Error(w, "the control endpoint answers on the loopback interface only", http.StatusForbidden)
			return
		}
		s.serveControl(w, r)
	case r.URL.Path == "/":
		s.serveAPI(w, r)
	default:
		http.NotFound(w, r)
	}
}

func fromLoopback(remote string) bool {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// sleep is the default Config.Sleep.
func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
