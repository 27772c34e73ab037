package reconcile

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func secret(key string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"secret-key": key}}}
	u.SetAPIVersion("v1")
	u.SetKind("Secret")
	u.SetNamespace("mote")
	u.SetName("keys")
	return u
}

func TestSecretReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		read := NewSecretReader(s.client, "mote", "keys", 30*time.Second)
		expect := func(what, want string, asked int) {
			t.Helper()
			data, err := read(t.Context())
			got := data["secret-key"]
			if err != nil {
				got = "error"
			}
			if got != want {
				t.Errorf("%s: %q (%v), want %q", what, got, err, want)
			}
			if n := s.asked("GET"); n != asked {
				t.Errorf("%s: asked %d times, want %d", what, n, asked)
			}
		}
		refusing := func(code int32, reason metav1.StatusReason) {
			s.setFault(func(*http.Request) *metav1.Status { return stubStatus(code, reason) })
		}
		expect("there is none", "error", 1)
		expect("there is still none", "error", 2)
		s.set("secrets", secret("b25l")) // "one"
		expect("the first", "one", 3)
		s.set("secrets", secret("dHdvCg==")) // "two" and a line's end
		time.Sleep(30*time.Second - 1)
		expect("within its time", "one", 3)
		time.Sleep(time.Nanosecond)
		expect("after it", "two", 4)

		for _, trouble := range []struct {
			code   int32
			reason metav1.StatusReason
		}{{500, metav1.StatusReasonInternalError}, {503, metav1.StatusReasonServiceUnavailable}, {429, metav1.StatusReasonTooManyRequests}, {401, metav1.StatusReasonUnauthorized}} {
			refusing(trouble.code, trouble.reason)
			time.Sleep(30 * time.Second)
			before := s.asked("GET")
			expect(fmt.Sprint("an answer of ", trouble.code), "two", before+1)
			expect("at once after it", "two", before+1)
		}
		s.setFault(func(r *http.Request) *metav1.Status { <-r.Context().Done(); return stubStatus(500, "") })
		time.Sleep(30 * time.Second)
		began := time.Now()
		expect("an API server that hangs", "two", s.asked("GET")+1)
		if d := time.Since(began); d != secretReadLimit {
			t.Errorf("it was waited for %s", d)
		}
		refusing(403, metav1.StatusReasonForbidden)
		time.Sleep(30 * time.Second)
		expect("not allowed any more", "error", s.asked("GET")+1)
		s.setFault(nil)
		expect("allowed again", "two", s.asked("GET")+1)
		s.remove("secrets", Key{"mote", "keys"})
		time.Sleep(30 * time.Second)
		expect("gone", "error", s.asked("GET")+1)
	})
}

// While one asks, the others have the last answer; where there is none they wait,
// no longer than their own context.
func TestSecretReaderUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.set("secrets", secret("b25l"))
		slow := func(r *http.Request) *metav1.Status { sleep(r.Context(), 2*time.Second); return nil }
		s.setFault(slow)
		read := NewSecretReader(s.client, "mote", "keys", 30*time.Second)
		all := func() (slowest, fastest time.Duration) {
			var group sync.WaitGroup
			var mu sync.Mutex
			fastest = time.Hour
			for range 20 {
				group.Go(func() {
					began := time.Now()
					if data, err := read(t.Context()); err != nil || data["secret-key"] != "one" {
						t.Errorf("got %v, %v", data, err)
					}
					mu.Lock()
					defer mu.Unlock()
					slowest, fastest = max(slowest, time.Since(began)), min(fastest, time.Since(began))
				})
			}
			group.Wait()
			return slowest, fastest
		}
		if slowest, _ := all(); slowest != 2*time.Second || s.asked("GET") != 1 {
			t.Errorf("at first: %s, asked %d times", slowest, s.asked("GET"))
		}
		time.Sleep(time.Minute)
		if slowest, fastest := all(); slowest != 2*time.Second || fastest != 0 || s.asked("GET") != 2 {
			t.Errorf("later: %s to %s, asked %d times", fastest, slowest, s.asked("GET"))
		}
		fresh := NewSecretReader(s.client, "mote", "keys", 30*time.Second)
		go fresh(t.Context())
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := fresh(ctx); err == nil {
			t.Error("it did not end with its context")
		}
		time.Sleep(time.Minute)
	})
}
