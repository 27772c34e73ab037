package reconcile

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestLacks(t *testing.T) {
	type m = map[string]any
	for _, c := range []struct {
		name      string
		sent, got m
		want      string
	}{
		{"nothing", m{}, nil, ""},
		{"all is kept", m{"phase": "Running", "create": m{"name": "a"}}, m{"phase": "Running", "create": m{"name": "a", "more": 1}}, ""},
		{"what was taken away", m{"create": nil}, m{}, ""},
		{"no status at all", m{"phase": "Running"}, nil, "phase"},
		{"a field", m{"settledSpec": "x"}, m{"phase": "Running"}, "settledSpec"},
		{"a field within", m{"create": m{"name": "a", "orders": []any{"b"}}}, m{"create": m{"name": "a"}}, "create.orders"},
		{"all within", m{"create": m{"name": "a"}}, m{"create": nil}, "create.name"},
		{"lists are not looked into", m{"conditions": []any{m{"type": "Ready"}}}, m{"conditions": []any{}}, ""},
		{"null within", m{"create": m{"orders": nil}}, m{"create": m{}}, ""},
	} {
		if got := lacks(c.sent, c.got); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// An API server whose CRD is older than Mote is told of, once in the log and for as
// long as it lasts in /readyz; the object that shows it finds out when it is over.
func TestPrunedStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.drops = "phase"
		s.set("things", plain("a"))
		s.set("things", plain("b"))
		h := &hand{do: bringToRunning}
		e := startEngine(t, s, h)
		time.Sleep(time.Second)
		const says = "its CRD is older than this Mote (mote crds | kubectl apply -f -)"
		if got := told(e.Ready); !strings.HasPrefix(got, "Thing/status since 00:") || !strings.Contains(got, "drops status.phase, of ns/") || !strings.HasSuffix(got, says) {
			t.Errorf("it tells %q", got)
		}
		if got := told(e.Alive); got != "" {
			t.Errorf("it is not alive: %s", got)
		}
		shows(t, shown(t, e), `mote_status_pruned{kind="Thing"} 1`, `mote_objects{kind="Thing",phase="None"} 2`)
		time.Sleep(10*time.Minute + time.Second)
		if n := e.log.count("dropped a field of the status"); n != 1 {
			t.Errorf("the log says so %d times:\n%s", n, e.log)
		}
		if a, b := h.turnsOf("a"), h.turnsOf("b"); min(a, b) > 2 || max(a, b) < 10 || max(a, b) > 13 {
			t.Errorf("%d and %d turns: one of them is to be tried every minute", a, b)
		}
		s.mu.Lock()
		s.drops = ""
		s.mu.Unlock()
		time.Sleep(2 * time.Minute)
		if got := told(e.Ready); got != "" {
			t.Errorf("it still tells %q", got)
		}
		shows(t, shown(t, e), `mote_status_pruned{kind="Thing"} 0`)
	})
}

// Nobody is held up by an object that is not there any more.
func TestPrunedStatusOfAnObjectThatLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.drops = "phase"
		s.set("things", plain("a"))
		e := startEngine(t, s, &hand{do: bringToRunning})
		time.Sleep(time.Second)
		s.remove("things", Key{"ns", "a"})
		time.Sleep(time.Second)
		if got := told(e.Ready); got != "" {
			t.Errorf("it tells %q", got)
		}
		s.set("things", plain("b"))
		time.Sleep(time.Second)
		if got := told(e.Ready); !strings.Contains(got, "ns/b") {
			t.Errorf("it tells %q", got)
		}
	})
}
