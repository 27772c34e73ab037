package tencent_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/cloud/standin"
	"example.com/mote/cloud/tencent"
)

func keys(context.Context) (tencent.Credential, error) {
	return tencent.Credential{SecretID: "AKIDmote", SecretKey: "verysecretkey", Token: "sessiontoken"}, nil
}

func connect(t *testing.T, endpoint string) *rig {
	client, err := tencent.New(tencent.Options{Credentials: keys, Endpoint: endpoint, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return &rig{T: t, Client: client}
}

// A request that certainly never left is told apart from one that may have.
func TestRequestsThatNeverLeave(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	r := connect(t, "http://"+l.Addr().String())
	_, err = r.Create(t.Context(), region, want("mote-1"))
	r.fails(err, cloud.NotSent, "mote.NotSent")

	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	r = connect(t, strings.Replace(plain.URL, "http:", "https:", 1)) // TLS fails
	_, err = r.Create(t.Context(), region, want("mote-1"))
	r.fails(err, cloud.NotSent, "mote.NotSent")

	strange := httptest.NewUnstartedServer(http.NotFoundHandler())
	strange.Config.ErrorLog = log.New(io.Discard, "", 0)
	strange.StartTLS()
	defer strange.Close()
	r = connect(t, strange.URL) // its certificate is nobody's we know
	_, err = r.Create(t.Context(), region, want("mote-1"))
	r.fails(err, cloud.NotSent, "mote.NotSent")
}

// mirror answers with what it is asked, in some way, and counts.
type mirror struct {
	*httptest.Server
	mu       sync.Mutex
	received []string
}

func newMirror(t *testing.T, answer func(w http.ResponseWriter, request string)) *mirror {
	m := &mirror{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		request := fmt.Sprint(r.Header, " ", string(body))
		m.mu.Lock()
		m.received = append(m.received, request)
		m.mu.Unlock()
		answer(w, request)
	}))
	t.Cleanup(m.Close)
	return m
}

// requests is what was received so far.
func (m *mirror) requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.received)
}

// Whatever is answered, even all that was sent, no error repeats a secret.
func TestErrorsHoldNoSecrets(t *testing.T) {
	for what, answer := range map[string]func(w http.ResponseWriter, request string){
		"a page that shows the request": func(w http.ResponseWriter, request string) {
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprintf(w, "<html>%s</html>", request)
		},
		"text": func(w http.ResponseWriter, request string) { fmt.Fprint(w, request) },
		"an error that shows the request": func(w http.ResponseWriter, request string) {
			fmt.Fprintf(w, `{"Response":{"Error":{"Code":"InvalidParameter","Message":%q},"RequestId":"r"}}`, request+password)
		},
		"an error that is quoted": func(w http.ResponseWriter, request string) {
			fmt.Fprintf(w, `{"Response":{"Error":{"Code":"InvalidParameter","Message":%q},"RequestId":"r"}}`, fmt.Sprintf("%q", request))
		},
		"a status line that shows the request": func(w http.ResponseWriter, request string) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			fmt.Fprintf(conn, "HTTP/1.1 %s %s\r\n\r\n", password, request)
			conn.Close()
		},
		"the old form of an error": func(w http.ResponseWriter, request string) {
			fmt.Fprintf(w, `{"code":4000,"codeDesc":"InvalidParameter","message":%q}`, request)
		},
	} {
		t.Run(what, func(t *testing.T) {
			m := newMirror(t, answer)
			r := connect(t, m.URL)
			_, err := r.Create(t.Context(), region, want("mote-1"))
			e, ok := err.(*cloud.Error)
			if !ok {
				t.Fatalf("%v", err)
			}
			sent := m.requests()
			if len(sent) != 1 || !strings.Contains(sent[0], "AdminPassword") || !strings.Contains(sent[0], "sessiontoken") {
				t.Fatalf("the secrets were not sent: %q", sent)
			}
			for cause := error(e); cause != nil; {
				for _, form := range []string{"%v", "%+v", "%#v", "%q"} {
					text := fmt.Sprintf(form, cause)
					for _, secret := range []string{password, "0rd/", "verysecretkey", "sessiontoken"} {
						if strings.Contains(text, secret) {
							t.Errorf("holds %s: %s", secret, text)
						}
					}
				}
				u, ok := cause.(interface{ Unwrap() error })
				if !ok {
					break
				}
				cause = u.Unwrap()
			}
		})
	}
}

// An answer that parses but is not the API's must not pass for success, nor
// for an empty list.
func TestAnswersThatAreNone(t *testing.T) {
	for _, body := range []string{`{}`, `null`, `[]`, `{"Response":{}}`, `{"Response":null}`, `{"Response":{"RequestId":""}}`, `{"status":"ok"}`} {
		r := connect(t, newMirror(t, func(w http.ResponseWriter, _ string) { fmt.Fprint(w, body) }).URL)
		ctx := t.Context()
		_, err := r.List(ctx, region, []string{"postgres-1"})
		r.fails(err, cloud.Ambiguous, "mote.UnreadableAnswer")
		r.fails(r.Destroy(ctx, region, "postgres-1"), cloud.Ambiguous, "mote.UnreadableAnswer")
		_, err = r.Create(ctx, region, want("mote-1"))
		r.fails(err, cloud.Ambiguous, "mote.UnreadableAnswer")
	}
	// With a request id, but not what was asked for.
	r := connect(t, newMirror(t, func(w http.ResponseWriter, _ string) { fmt.Fprint(w, `{"Response":{"RequestId":"r"}}`) }).URL)
	_, err := r.List(t.Context(), region, []string{"postgres-1"})
	r.fails(err, cloud.Ambiguous, "mote.UnreadableAnswer")
	_, err = r.Get(t.Context(), region, "postgres-1")
	r.fails(err, cloud.Ambiguous, "mote.UnreadableAnswer")
	_, err = r.Subnet(t.Context(), region, "subnet-1")
	r.fails(err, cloud.Refused, "mote.SubnetNotFound")
}

// A purchase without an id is not one that can be forgotten.
func TestPurchasesThatAreUnclear(t *testing.T) {
	for _, answer := range []string{`"DBInstanceIdSet":[],"DealNames":[]`, `"DBInstanceIdSet":null`, `"DBInstanceIdSet":[""],"DealNames":[""]`,
		`"DBInstanceIdSet":["postgres-1","postgres-2"],"DealNames":["d"]`} {
		r := connect(t, newMirror(t, func(w http.ResponseWriter, _ string) {
			fmt.Fprintf(w, `{"Response":{%s,"RequestId":"r"}}`, answer)
		}).URL)
		_, err := r.Create(t.Context(), region, want("mote-1"))
		if e := r.fails(err, cloud.Ambiguous, "mote.UnclearPurchase"); e.RequestID != "r" {
			t.Errorf("request id %q", e.RequestID)
		}
	}
}

// Nothing below us sends a request twice: not after a redirect, not when a
// reused connection dies.
func TestNothingIsSentTwice(t *testing.T) {
	m := newMirror(t, func(w http.ResponseWriter, _ string) {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	r := connect(t, m.URL)
	_, err := r.Create(t.Context(), region, want("mote-1"))
	r.fails(err, cloud.Ambiguous, "mote.UnreadableAnswer")
	if n := len(m.requests()); n != 1 {
		t.Errorf("a redirect: sent %d times", n)
	}

	var answered atomic.Bool
	m = newMirror(t, func(w http.ResponseWriter, _ string) {
		if answered.CompareAndSwap(false, true) {
			fmt.Fprint(w, `{"Response":{"TotalCount":0,"RequestId":"r"}}`)
			return
		}
		panic(http.ErrAbortHandler)
	})
	r = connect(t, m.URL)
	_, err = r.List(t.Context(), region, []string{"postgres-1"})
	r.ok(err)
	_, err = r.Create(t.Context(), region, want("mote-1"))
	r.fails(err, cloud.Ambiguous, "mote.NoAnswer")
	if n := len(m.requests()); n != 2 {
		t.Errorf("a reused connection that died: %d requests, want 2", n)
	}
}

// An answer without an end does not fill the memory.
func TestAnswersAreBounded(t *testing.T) {
	r := connect(t, newMirror(t, func(w http.ResponseWriter, _ string) {
		for block := make([]byte, 1<<20); ; {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}).URL)
	_, err := r.Versions(t.Context(), region)
	r.fails(err, cloud.Ambiguous, "mote.NoAnswer")
}

// The whole also runs without sockets, in virtual time.
func TestOverATransportOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sky, err := standin.New(standin.Config{NoRateLimits: true, Timing: standin.DemoTiming(),
			Keys: []standin.Key{{ID: "AKIDmote", Secret: "verysecretkey", Token: "sessiontoken"}}})
		if err != nil {
			t.Fatal(err)
		}
		client, err := tencent.New(tencent.Options{Credentials: keys, Transport: sky.Transport()})
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{T: t, Client: client, cloud: sky}
		id := r.buy("mote-1")
		time.Sleep(time.Minute)
		i, err := r.Get(t.Context(), region, id)
		r.ok(err)
		if i.State != cloud.StateRunning {
			t.Errorf("%+v", i)
		}
		for _, after := range []bool{false, true} {
			r.fault(standin.Fault{Kind: standin.Cut, After: after})
			r.fails(r.Isolate(t.Context(), region, id), cloud.Ambiguous, "mote.NoAnswer")
			r.fault(standin.Fault{Kind: standin.Hang, After: after})
			_, err = r.Get(t.Context(), region, id)
			r.fails(err, cloud.Ambiguous, "mote.NoAnswer")
		}
	})
}
