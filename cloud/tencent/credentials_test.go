package tencent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/cloud/standin"
	"example.com/mote/cloud/tencent"
)

func TestKeysRotateWithoutARestart(t *testing.T) {
	r := newRig(t, nil)
	ask := func() error {
		_, err := r.Find(t.Context(), region, "x")
		return err
	}
	r.ok(ask())
	r.ok(r.cloud.SetKeys(standin.Key{ID: "AKIDnew", Secret: "newsecret"}))
	r.fails(ask(), cloud.Denied, "AuthFailure.SecretIdNotFound")
	r.use(tencent.Credential{SecretID: "AKIDnew", SecretKey: "newsecret"})
	r.ok(ask())
	r.use(tencent.Credential{SecretID: "AKIDnew", SecretKey: "verysecretkey"})
	r.fails(ask(), cloud.Denied, "AuthFailure.SignatureFailure")

	r.ok(r.cloud.SetKeys(standin.Key{ID: "AKIDtemporary", Secret: "s", Token: "the-token"}))
	r.use(tencent.Credential{SecretID: "AKIDtemporary", SecretKey: "s", Token: "the-token"})
	r.ok(ask())
	r.use(tencent.Credential{SecretID: "AKIDtemporary", SecretKey: "s"})
	r.fails(ask(), cloud.Denied, "AuthFailure.TokenFailure")
}

func TestWithoutKeysNothingIsSent(t *testing.T) {
	r := newRig(t, nil)
	for _, key := range []tencent.Credential{{}, {SecretID: "id"}, {SecretKey: "verysecretkey"}} {
		r.use(key)
		_, err := r.Find(t.Context(), region, "x")
		r.fails(err, cloud.Denied, "mote.NoCredentials")
	}
	if n := len(r.cloud.Calls(0).Recent); n != 0 {
		t.Errorf("%d calls were made", n)
	}

	missing := errors.New("the Secret keys is missing")
	r = newRig(t, func(_ *standin.Config, o *tencent.Options) {
		o.Credentials = func(context.Context) (tencent.Credential, error) { return tencent.Credential{}, missing }
	})
	_, err := r.Find(t.Context(), region, "x")
	if e := r.fails(err, cloud.Denied, "mote.NoCredentials"); !errors.Is(err, missing) || !strings.Contains(e.Message, missing.Error()) {
		t.Errorf("%v does not say what is missing", e)
	}
}

// A source of keys that hangs is bounded like a call, and is no refusal.
func TestKeysThatDoNotCome(t *testing.T) {
	r := newRig(t, func(_ *standin.Config, o *tencent.Options) {
		o.Timeout = time.Millisecond
		o.Credentials = func(ctx context.Context) (tencent.Credential, error) {
			<-ctx.Done()
			return tencent.Credential{}, ctx.Err()
		}
	})
	_, err := r.Find(t.Context(), region, "x")
	r.fails(err, cloud.NotSent, "mote.NoCredentials")
}

func TestClockSkew(t *testing.T) {
	for _, c := range []struct {
		off  time.Duration
		says string
	}{
		{0, ""}, {4 * time.Minute, ""}, {-4 * time.Minute, ""},
		{10 * time.Minute, "ahead of the cloud's"}, {-26 * time.Hour, "behind the cloud's"},
	} {
		// The cloud's clock is the real one here, as the Date header has it.
		r := newRig(t, func(s *standin.Config, o *tencent.Options) {
			s.Now = nil
			o.Now = func() time.Time { return time.Now().Add(c.off) }
		})
		_, err := r.Find(t.Context(), region, "x")
		if c.says == "" {
			r.ok(err)
			continue
		}
		e := r.fails(err, cloud.Denied, "AuthFailure.SignatureExpire")
		if !strings.Contains(e.Message, "check this node's clock: it is ") || !strings.Contains(e.Message, c.says) {
			t.Errorf("off by %s: %s", c.off, e.Message)
		}
	}
}
