package reconcile

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestClusterLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		k := Key{"mote", "mote"}
		c := clusterLease{leases: s.client.Resource(leaseResource).Namespace("mote"), name: "mote"}
		if l, err := c.read(t.Context()); err != nil || l != (lease{}) {
			t.Errorf("there is none: %+v, %v", l, err)
		}
		at := time.Date(2026, 1, 2, 3, 4, 5, 678_901_000, time.FixedZone("east", 3600))
		bid := lease{holder: "a", duration: 1500 * time.Millisecond, acquired: at, renewed: at.Add(time.Hour), transitions: 7}
		if _, err := c.write(t.Context(), "7", bid); !apierrors.IsNotFound(err) {
			t.Errorf("a write over what is not there: %v", err)
		}
		made, err := c.write(t.Context(), "", bid)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"acquireTime":"2026-01-02T02:04:05.678901Z","holderIdentity":"a","leaseDurationSeconds":2,"leaseTransitions":7,"renewTime":"2026-01-02T03:04:05.678901Z"}`
		u := s.get("leases", k)
		if got, _ := json.Marshal(u.Object["spec"]); string(got) != want || u.GetAPIVersion() != "coordination.k8s.io/v1" || u.GetKind() != "Lease" {
			t.Errorf("made %s %s\n    %s\nwant\n    %s", u.GetAPIVersion(), u.GetKind(), got, want)
		}
		if _, err := c.write(t.Context(), "", bid); !apierrors.IsAlreadyExists(err) {
			t.Errorf("made twice: %v", err)
		}
		read, err := c.read(t.Context())
		if err != nil || read != made || read.holder != "a" || read.duration != 2*time.Second || read.transitions != 7 || !read.acquired.Equal(at) || !read.renewed.Equal(at.Add(time.Hour)) {
			t.Errorf("read %+v, %v", read, err)
		}

		// Other people's labels, annotations and fields stay.
		s.change("leases", k, func(u *unstructured.Unstructured) {
			u.SetLabels(map[string]string{"a": "b"})
			unstructured.SetNestedField(u.Object, "x", "spec", "strategy")
		})
		if _, err := c.write(t.Context(), read.version, bid); !apierrors.IsConflict(err) {
			t.Errorf("a write over an old version: %v", err)
		}
		read, _ = c.read(t.Context())
		bid.holder = ""
		if after, err := c.write(t.Context(), read.version, bid); err != nil || after.holder != "" || after.version == read.version {
			t.Errorf("a release: %+v, %v", after, err)
		}
		u = s.get("leases", k)
		if v, _, _ := unstructured.NestedString(u.Object, "spec", "strategy"); v != "x" || u.GetLabels()["a"] != "b" {
			t.Errorf("what is left of others' is %v", u.Object)
		}

		for _, odd := range []map[string]any{
			{},
			{"spec": nil},
			{"spec": map[string]any{"holderIdentity": nil, "leaseDurationSeconds": "60", "renewTime": "yesterday", "leaseTransitions": 1.5}},
			{"spec": map[string]any{"leaseDurationSeconds": int64(-1)}},
		} {
			u := &unstructured.Unstructured{Object: odd}
			u.SetResourceVersion("5")
			if got := leaseOf(u); got != (lease{version: "5"}) {
				t.Errorf("%v is read as %+v", odd, got)
			}
		}
	})
}

// Leadership whole, over the dynamic client.
func TestLeadership(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		s.setFault(func(r *http.Request) *metav1.Status { // the namespace is made later
			if r.Method == http.MethodPost {
				return stubStatus(404, metav1.StatusReasonNotFound)
			}
			return nil
		})
		log := &logLines{}
		type process struct {
			cancel context.CancelFunc
			led    chan struct{}
			err    chan error
		}
		start := func(identity string) process {
			p := process{led: make(chan struct{}), err: make(chan error, 1)}
			var ctx context.Context
			ctx, p.cancel = context.WithCancel(t.Context())
			l := &Leadership{Client: s.client, Namespace: "mote", Name: "mote", Identity: identity, Duration: 15 * time.Second, Renew: 5 * time.Second, Retry: 2500 * time.Millisecond, Log: log.logger()}
			go func() {
				p.err <- l.Run(ctx, func(ctx context.Context) {
					close(p.led)
					<-ctx.Done()
				})
			}()
			return p
		}
		a := start("a")
		time.Sleep(time.Minute)
		if log.count("namespace does not exist") != 1 {
			t.Errorf("the log says:\n%s", log)
		}
		s.setFault(nil)
		<-a.led
		b := start("b")
		time.Sleep(time.Hour)
		select {
		case <-b.led:
			t.Fatal("both lead")
		default:
		}
		if n := s.writes(); n > 1+25+720 {
			t.Errorf("%d writes in an hour", n)
		}
		a.cancel()
		if err := <-a.err; err != nil {
			t.Error(err)
		}
		began := time.Now()
		<-b.led
		if d := time.Since(began); d > 2500*time.Millisecond {
			t.Errorf("the successor came after %s", d)
		}
		b.cancel()
		<-b.err
		if u := s.get("leases", Key{"mote", "mote"}); u == nil {
			t.Error("the Lease is gone")
		} else if holder, _, _ := unstructured.NestedString(u.Object, "spec", "holderIdentity"); holder != "" {
			t.Errorf("it is held by %q", holder)
		}
		if log.count("level=ERROR") > 0 || log.count("waiting to lead") == 0 {
			t.Errorf("the log says:\n%s", log)
		}
	})
	err := (&Leadership{Namespace: "mote", Name: "mote", Client: newStub(t).client, Log: (&logLines{}).logger()}).Run(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "mote/mote") {
		t.Errorf("settings that make no sense: %v", err)
	}
}
