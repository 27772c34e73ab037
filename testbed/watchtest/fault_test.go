package watchtest

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"example.com/mote/reconcile"
	"example.com/mote/testbed/watchtest/faulty"
)

// Each fault befalls a watch that stands; meanwhile objects come, change and go.
func TestFaults(t *testing.T) {
	t.Parallel()
	first := func(r *http.Request) bool { return faulty.Watches(r) && !faulty.Streamed(r) }
	for _, c := range []struct {
		name   string
		fault  faulty.Fault
		cut    bool // streams that stand are cut, so that the fault finds something to do
		struck int  // how often it strikes before it ends
		during bool // the engine knows all even while it lasts
	}{
		{name: "streams cut in mid-object", fault: faulty.Fault{Which: faulty.Watches, Half: true}, struck: 3},
		{name: "connections that fall silent", fault: faulty.Fault{Silent: true}, struck: 3},
		{name: "streams that fall silent", fault: faulty.Fault{Which: first, Silent: true}, struck: 3, during: true},
		{name: "429 with Retry-After", fault: faulty.Fault{Answer: faulty.Refuse(429, "TooManyRequests", 1)}, cut: true, struck: 4},
		{name: "500", fault: faulty.Fault{Answer: faulty.Refuse(500, "InternalError", 0)}, cut: true, struck: 20},
		{name: "502 of a proxy", fault: faulty.Fault{Answer: faulty.BadGateway}, cut: true, struck: 20},
		{name: "504 on watches", fault: faulty.Fault{Which: first, Answer: faulty.Refuse(504, "Timeout", 0)}, cut: true, struck: 12, during: true},
		{name: "410 on watches", fault: faulty.Fault{Which: first, Answer: faulty.Refuse(410, "Expired", 0)}, cut: true, struck: 3, during: true},
		{name: "delays", fault: faulty.Fault{Delay: 300 * time.Millisecond}, cut: true, struck: 3, during: true},
		{name: "resourceVersions that are still to come", fault: faulty.Fault{Which: first, Edit: ahead}, cut: true, struck: 2, during: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "probes", token, usual, nil)
			r.knows("at first")
			r.proxy.Set(&c.fault)
			if c.cut {
				r.proxy.Cut()
			}
			r.change()
			r.struck(c.struck)
			r.change()
			if c.during {
				r.knows("during the fault")
			}
			r.proxy.Set(nil)
			r.knows("after the fault")
			r.change()
			r.knows("later")
			r.troubled("")
		})
	}
}

// ahead asks for a resourceVersion that the API server is yet to reach, as after it
// was restored from a copy of an earlier time.
func ahead(q url.Values) {
	if n, err := strconv.ParseUint(q.Get("resourceVersion"), 10, 64); err == nil {
		q.Set("resourceVersion", strconv.FormatUint(n+1_000_000, 10))
	}
}

// A list in many pages, whose continue token expires on the way again and again.
func TestContinueTokenExpires(t *testing.T) {
	t.Parallel()
	r := newRig(t, "probes", token, usual, nil)
	r.knows("at first")
	r.proxy.Always(func(q url.Values) {
		if q.Get("limit") != "" {
			q.Set("limit", "2")
		}
	})
	r.proxy.Set(&faulty.Fault{Answer: faulty.Refuse(410, "Expired", 0),
		Which: func(r *http.Request) bool { return faulty.Watches(r) || faulty.Continued(r) }})
	r.proxy.Cut()
	r.change()
	r.until("three tokens have expired", func() error { // a watch may be struck once or twice before
		if n := r.proxy.Count(faulty.Continued); n < 3 {
			return fmt.Errorf("%d pages after the first", n)
		}
		return nil
	})
	r.change()
	r.proxy.Set(nil)
	r.knows("after it")
	if n := r.proxy.Count(faulty.Continued); n < 3+3 {
		t.Errorf("%d pages after the first", n)
	}
	r.troubled("")
}

// Events that are lost while the stream goes on: only a list can tell.
func TestRelistRepairs(t *testing.T) {
	t.Parallel()
	for _, streamed := range []bool{false, true} {
		t.Run("streamed "+strconv.FormatBool(streamed), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "probes", token, reconcile.Tempo{Faster: 60, Streamed: streamed, Relist: time.Second}, nil)
			r.knows("at first")
			r.proxy.Set(&faulty.Fault{Which: faulty.Watches, Lose: true})
			r.change()
			r.struck(3)
			r.proxy.Set(nil)
			r.change() // and the watch goes on from here
			r.knows("after a list")
			r.troubled("")
		})
	}
}

// The real API server streams lists; one that is cut is not taken for whole.
func TestStreamedLists(t *testing.T) {
	t.Parallel()
	r := newRig(t, "probes", token, reconcile.Tempo{Faster: 60, Streamed: true}, nil)
	r.knows("at first")
	if streams, pages := r.proxy.Count(faulty.Streamed), r.proxy.Count(faulty.Lists); streams != 1 || pages > 7 { // each turn reads its object
		t.Errorf("%d streams, %d pages and reads", streams, pages)
	}
	r.change()
	r.knows("by the same stream")
	if n := r.proxy.Count(faulty.Watches); n != 1 {
		t.Errorf("%d streams", n)
	}
	r.proxy.Set(&faulty.Fault{Which: faulty.Watches, Answer: faulty.Refuse(410, "Expired", 0)})
	r.proxy.Cut()
	r.struck(2)
	r.proxy.Set(&faulty.Fault{Which: faulty.Watches, Half: true})
	r.change()
	r.struck(2)
	r.proxy.Set(nil)
	r.knows("after streams cut half way")
	r.troubled("")
}

// Where an API server does not stream lists, they come in pages.
func TestStreamsRefused(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]faulty.Fault{
		"refused": {Answer: faulty.Refuse(422, "Invalid", 0)},
		"silent":  {Silent: true},
		"cut":     {Half: true},
		"lost":    {Lose: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fault.Which = faulty.Streamed
			r := newRig(t, "probes", token, reconcile.Tempo{Faster: 20, Streamed: true}, &fault)
			r.knows("at first")
			r.change()
			r.knows("later")
			r.troubled("")
			if n := r.proxy.Count(faulty.Streamed); n != 1 {
				t.Errorf("%d streams", n)
			}
		})
	}
}
