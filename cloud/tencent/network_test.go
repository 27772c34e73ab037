package tencent_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/cloud/standin"
	"example.com/mote/cloud/tencent"
)

// network tells whether a call failed by the network.
func (r *rig) network(ctx context.Context) bool {
	r.Helper()
	_, err := r.Get(ctx, region, "postgres-00000000")
	var e *cloud.Error
	if !errors.As(err, &e) {
		r.Fatal(err)
	}
	return e.Network
}

// What the network is to blame for is told from what the cloud answers.
func TestNetworkFailuresAreTold(t *testing.T) {
	r := newRig(t, nil)
	for kind, want := range map[standin.Kind]bool{standin.Cut: true, standin.BadGateway: true, standin.EmptyBody: true, standin.ErrorCode: false} {
		f := standin.Fault{Kind: kind}
		if kind == standin.ErrorCode {
			f.Code = "InternalError"
		}
		r.fault(f)
		if got := r.network(t.Context()); got != want {
			t.Errorf("%s: %t", kind, got)
		}
	}
	r.cloud.Close()
	if !r.network(t.Context()) {
		t.Error("a cloud that is not there")
	}
}

// carrier is a transport as a function.
type carrier func(*http.Request) (*http.Response, error)

func (c carrier) RoundTrip(r *http.Request) (*http.Response, error) { return c(r) }

// Silence until the deadline is the network's fault; that the caller left is not.
func TestSilenceAndLeaving(t *testing.T) {
	silent := func(during func()) *rig {
		return newRig(t, func(_ *standin.Config, o *tencent.Options) {
			o.Transport = carrier(func(r *http.Request) (*http.Response, error) {
				during()
				<-r.Context().Done()
				return nil, r.Context().Err()
			})
		})
	}
	late, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if r := silent(func() {}); !r.network(late) {
		t.Error("silence until the caller's deadline")
	}
	leaving, leave := context.WithCancel(t.Context())
	if r := silent(leave); r.network(leaving) {
		t.Error("a caller who left")
	}
}
