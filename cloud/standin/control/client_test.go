package control_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/mote/cloud/standin"
	"example.com/mote/cloud/standin/control"
)

// serve runs a stand-in and a client of its control endpoint.
func serve(t *testing.T) (*standin.Server, *control.Client, string) {
	t.Helper()
	s, err := standin.New(standin.Config{Timing: standin.DemoTiming(), Keys: []standin.Key{{ID: "a", Secret: "b"}}})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return s, control.New(web.URL+"/", nil), web.URL
}

func TestFaults(t *testing.T) {
	s, c, _ := serve(t)
	ctx := t.Context()
	cut := standin.Fault{Kind: standin.Cut, Action: "CreateInstances", After: true, Times: 3}
	slow := standin.Fault{Kind: standin.SlowBody, Delay: 1500 * time.Millisecond}
	ids, err := c.AddFaults(ctx, cut, slow)
	if err != nil || len(ids) != 2 {
		t.Fatalf("%v %v", ids, err)
	}
	got, err := c.Faults(ctx)
	if err != nil || len(got) != 2 || got[0].ID != ids[0] || !got[0].After || got[0].Times != 3 || got[1].Delay != slow.Delay {
		t.Errorf("%+v %v", got, err)
	}
	if ids, err = c.SetFaults(ctx, cut, slow, cut); err != nil || len(s.Faults()) != 3 {
		t.Errorf("%v, %+v", err, s.Faults())
	}
	if err := c.ClearFaults(ctx, ids[0], ids[2]); err != nil || len(s.Faults()) != 1 {
		t.Errorf("%v, %+v", err, s.Faults())
	}
	if err := c.ClearFaults(ctx); err != nil || len(s.Faults()) != 0 {
		t.Errorf("%v, %+v", err, s.Faults())
	}
	if _, err := c.AddFaults(ctx, standin.Fault{Kind: "explode"}); err == nil || !strings.Contains(err.Error(), "explode") {
		t.Errorf("a senseless fault: %v", err)
	}
}

func TestKeysCallsLimits(t *testing.T) {
	s, c, url := serve(t)
	ctx := t.Context()
	if err := c.SetKeys(ctx, standin.Key{ID: "x", Secret: "y", Token: "z"}, standin.Key{ID: "w", Secret: "v"}); err != nil {
		t.Fatal(err)
	}
	if ids := s.KeyIDs(); strings.Join(ids, " ") != "w x" {
		t.Errorf("%v", ids)
	}
	if err := c.SetKeys(ctx, standin.Key{ID: "x"}); err == nil {
		t.Error("a key without a secret was accepted")
	}

	resp, err := http.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	calls, err := c.Calls(ctx, 0)
	if err != nil || len(calls.Recent) != 1 || calls.Recent[0].Outcome != "MissingParameter" {
		t.Errorf("%+v %v", calls, err)
	}
	if calls, err = c.Calls(ctx, 1); err != nil || len(calls.Recent) != 0 || len(calls.Counts) != 1 {
		t.Errorf("%+v %v", calls, err)
	}
	if err := c.SetLimits(ctx, standin.Limits{PerSecond: map[string]int{"CreateInstances": 1}}); err != nil {
		t.Fatal(err)
	}
	if l, err := c.Limits(ctx); err != nil || l.Off || l.PerSecond["CreateInstances"] != 1 {
		t.Errorf("%+v %v", l, err)
	}
}

func TestLedgerAndConsole(t *testing.T) {
	_, c, _ := serve(t)
	ctx := t.Context()
	if all, err := c.Ledger(ctx); err != nil || len(all) != 0 {
		t.Errorf("%+v %v", all, err)
	}
	if _, err := c.Instance(ctx, "postgres-nothere0"); err == nil {
		t.Error("an unknown instance was found")
	}
	if _, err := c.Console(ctx, "postgres-nothere0", standin.Change{Do: standin.Isolate}); err == nil || !strings.Contains(err.Error(), "postgres-nothere0") {
		t.Errorf("an unknown instance was changed: %v", err)
	}
}

// What the typed client cannot send is refused, too.
func TestRawRequests(t *testing.T) {
	s, _, url := serve(t)
	for _, q := range []struct {
		method, path, body string
		want               int
	}{
		{"POST", "faults", `{"kind":"cut","times":1}`, 200},
		{"POST", "faults", `[{"kind":"cut"},{"kind":"hang"}]`, 200},
		{"POST", "faults", `{"kind":"cut","tiems":1}`, 400},
		{"POST", "faults", `[{"kind":"latency","delay":"soon"}]`, 400},
		{"POST", "faults", `nonsense`, 400},
		{"DELETE", "faults?id=x", ``, 400},
		{"GET", "calls?since=x", ``, 400},
		{"PUT", "keys", `{"id":"a","secret":"b","role":"c"}`, 400},
		{"PUT", "limits", `{"on":true}`, 400},
		{"GET", "ledger?region=ap-shanghai", ``, 200},
		{"GET", "ledger/x", ``, 404},
		{"GET", "instances", ``, 404},
		{"PATCH", "faults", ``, 404},
		{"GET", "", ``, 404},
	} {
		r, err := http.NewRequestWithContext(t.Context(), q.method, url+standin.ControlPath+q.path, bytes.NewBufferString(q.body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != q.want {
			t.Errorf("%s %s %s: status %d, want %d", q.method, q.path, q.body, resp.StatusCode, q.want)
		}
	}
	if n := len(s.Faults()); n != 3 {
		t.Errorf("%d faults", n)
	}
	r := httptest.NewRequest("GET", standin.ControlPath+"ledger", nil)
	r.RemoteAddr = "192.0.2.1:1234"
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, r); w.Code != http.StatusForbidden {
		t.Errorf("from another host: status %d", w.Code)
	}
}
