package reconcile

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
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

// watchedSecret is a watch that runs until the test ends.
func watchedSecret(t *testing.T, s *stub) *SecretWatch {
	w := NewSecretWatch(s.client, "mote", "keys", slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.Run(ctx)
	}()
	t.Cleanup(func() { stop(); <-ended })
	return w
}

func TestSecretWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		w := watchedSecret(t, s)
		expect := func(what, want string) {
			t.Helper()
			synctest.Wait()
			data, err := w.Read(t.Context())
			got := data["secret-key"]
			if err != nil {
				got = err.Error()
			}
			if got != want && !(strings.HasPrefix(want, "...") && strings.Contains(got, want[3:])) {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		expect("there is none", "there is no credentials Secret mote/keys")
		s.set("secrets", secret("b25l")) // "one"
		expect("the first", "one")
		s.set("secrets", secret("dHdvCg==")) // "two" and a line's end
		expect("changed, at once", "two")
		other := secret("c29tZSBvdGhlcg==")
		other.SetName("others")
		s.set("secrets", other)
		expect("another one's, which the API server should not have sent", "two")
		s.remove("secrets", Key{"mote", "others"})
		expect("which goes", "two")

		for _, trouble := range []struct {
			code   int32
			reason metav1.StatusReason
		}{{500, metav1.StatusReasonInternalError}, {503, metav1.StatusReasonServiceUnavailable}, {401, metav1.StatusReasonUnauthorized}, {410, metav1.StatusReasonExpired}} {
			s.setFault(func(*http.Request) *metav1.Status { return stubStatus(trouble.code, trouble.reason) })
			time.Sleep(time.Hour)
			expect("an API server in trouble", "two")
		}
		s.setFault(func(*http.Request) *metav1.Status { return stubStatus(403, metav1.StatusReasonForbidden) })
		time.Sleep(time.Hour)
		expect("not allowed any more", "...not allowed to list and watch it by its name")
		s.setFault(nil)
		time.Sleep(time.Minute)
		expect("allowed again", "two")
		s.remove("secrets", Key{"mote", "keys"})
		expect("gone", "there is no credentials Secret mote/keys")
		asked := s.asked("")
		for range 100 {
			w.Read(t.Context())
		}
		if n := s.asked("") - asked; n > 0 {
			t.Errorf("reading it asked the API server %d times", n)
		}
	})
}

// A Secret that went while nobody watched is found to be gone by the list.
func TestSecretWatchMissedTheDeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.set("secrets", secret("b25l"))
		w := watchedSecret(t, s)
		synctest.Wait()
		s.setFault(func(*http.Request) *metav1.Status { return stubStatus(410, metav1.StatusReasonExpired) })
		time.Sleep(time.Hour) // no watch stands any more
		s.remove("secrets", Key{"mote", "keys"})
		s.setFault(nil)
		time.Sleep(time.Minute)
		if data, err := w.Read(t.Context()); err == nil {
			t.Errorf("it is gone, and still read: %v", data)
		}
	})
}

// Who waits for the first list is told of trouble as soon as there is any.
func TestSecretWatchInTroubleAtFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.setFault(func(r *http.Request) *metav1.Status {
			sleep(r.Context(), time.Second)
			return stubStatus(401, metav1.StatusReasonUnauthorized)
		})
		w := watchedSecret(t, s)
		began := time.Now()
		if _, err := w.Read(t.Context()); err == nil || !strings.Contains(err.Error(), reasonUnauthorized) || time.Since(began) > 2*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}

// Who asks before the first list is whole waits for it, within bounds.
func TestSecretWatchAtFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.set("secrets", secret("b25l"))
		s.setFault(func(r *http.Request) *metav1.Status { sleep(r.Context(), 12*time.Second); return nil })
		w := watchedSecret(t, s)
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := w.Read(ctx); err == nil || time.Since(began) != time.Second {
			t.Errorf("it did not end with its context, but after %s: %v", time.Since(began), err)
		}
		if _, err := w.Read(t.Context()); err == nil || !strings.Contains(err.Error(), "the API server does not answer") || time.Since(began) != time.Second+secretPatience {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		if data, err := w.Read(t.Context()); err != nil || data["secret-key"] != "one" || time.Since(began) != 12*time.Second {
			t.Errorf("after %s: %v, %v", time.Since(began), data, err)
		}
		ready := map[string]string{}
		w.Ready(func(check, trouble string, _ time.Time) { ready[check] = trouble })
		w.Alive(func(check, trouble string, _ time.Time) { ready[check+" moves"] = trouble })
		if len(ready) != 2 || ready["Credentials/secrets"] != "" || ready["Credentials/secrets moves"] != "" {
			t.Errorf("%v", ready)
		}
	})
}
