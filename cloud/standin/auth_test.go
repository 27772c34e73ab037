package standin_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/mote/cloud/standin"
)

func TestAuthentication(t *testing.T) {
	header := func(name, value string) func(*http.Request) {
		return func(q *http.Request) {
			if value == "" {
				q.Header.Del(name)
			} else {
				q.Header.Set(name, value)
			}
		}
	}
	replace := func(old, new string) func(*http.Request) {
		return func(q *http.Request) {
			q.Header.Set("Authorization", strings.Replace(q.Header.Get("Authorization"), old, new, 1))
		}
	}
	for _, c := range []struct {
		name    string
		service string
		key     standin.Key
		skew    time.Duration
		action  string
		change  func(*http.Request)
		want    string
	}{
		{name: "good"},
		{name: "just within the clock skew", skew: 5 * time.Minute},
		{name: "too late", skew: 5*time.Minute + time.Second, want: "AuthFailure.SignatureExpire"},
		{name: "too early", skew: -5*time.Minute - time.Second, want: "AuthFailure.SignatureExpire"},
		{name: "unknown id", key: standin.Key{ID: "AKIDNOBODY", Secret: "x"}, want: "AuthFailure.SecretIdNotFound"},
		{name: "wrong secret", key: standin.Key{ID: testKey.ID, Secret: "x"}, want: "AuthFailure.SignatureFailure"},
		{name: "token where none belongs", change: header("X-TC-Token", "t"), want: "AuthFailure.TokenFailure"},
		{name: "temporary key", key: standin.Key{ID: "AKIDTEMP", Secret: "s", Token: "tok"}},
		{name: "temporary key, wrong token", key: standin.Key{ID: "AKIDTEMP", Secret: "s", Token: "other"}, want: "AuthFailure.TokenFailure"},
		{name: "temporary key, no token", key: standin.Key{ID: "AKIDTEMP", Secret: "s"}, want: "AuthFailure.TokenFailure"},
		{name: "scope of another service", service: "vpc", want: "AuthFailure.SignatureFailure"},
		{name: "scope of no service", service: "cvm", action: "Nothing", want: "AuthFailure.SignatureFailure"},
		{name: "scope of another day", change: replace("/2026-03-01/", "/2026-03-02/"), want: "AuthFailure.SignatureFailure"},
		{name: "scope without end", change: replace("tc3_request", "tc2_request"), want: "AuthFailure.InvalidAuthorization"},
		{name: "host not signed", change: replace("content-type;host", "content-type"), want: "AuthFailure.InvalidAuthorization"},
		{name: "another algorithm", change: replace("TC3-HMAC-SHA256", "HMAC-SHA1"), want: "AuthFailure.InvalidAuthorization"},
		{name: "no authorization", change: header("Authorization", ""), want: "AuthFailure.InvalidAuthorization"},
		{name: "content type changed afterwards", change: header("Content-Type", "application/json; charset=utf-8"), want: "AuthFailure.SignatureFailure"},
		{name: "form body", change: header("Content-Type", "application/x-www-form-urlencoded"), want: "UnsupportedProtocol"},
		{name: "GET", change: func(q *http.Request) { q.Method = http.MethodGet }, want: "UnsupportedProtocol"},
		{name: "no action", change: header("X-TC-Action", ""), want: "MissingParameter"},
		{name: "no version", change: header("X-TC-Version", ""), want: "MissingParameter"},
		{name: "no timestamp", change: header("X-TC-Timestamp", ""), want: "MissingParameter"},
		{name: "no region", change: header("X-TC-Region", ""), want: "MissingParameter"},
		{name: "timestamp of letters", change: header("X-TC-Timestamp", "now"), want: "InvalidParameter"},
		{name: "unknown action", action: "DropEverything", want: "InvalidAction"},
		{name: "another version", change: header("X-TC-Version", "2018-01-01"), want: "NoSuchVersion"},
		{name: "unknown region", change: header("X-TC-Region", "ap-nowhere"), want: "UnsupportedRegion"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, func(cfg *standin.Config) {
				cfg.Keys = append(cfg.Keys, standin.Key{ID: "AKIDTEMP", Secret: "s", Token: "tok"})
			})
			if c.key.ID != "" {
				r.key = c.key
			}
			service, action := "postgres", "DescribeDBInstances"
			if c.service != "" {
				service = c.service
			}
			if c.action != "" {
				action = c.action
			}
			q := r.request(t.Context(), service, action, params{})
			if c.change != nil {
				c.change(q)
			}
			r.clock.advance(c.skew)
			got, err := r.do(q)
			if err != nil || got.code != c.want {
				t.Errorf("got %q (%s) %v, want %q", got.code, got.message, err, c.want)
			}
		})
	}
}

func TestSignatureCoversTheBody(t *testing.T) {
	r := newRig(t)
	q, other := r.request(t.Context(), "postgres", "DescribeDBInstances", params{"Limit": 1}), r.request(t.Context(), "postgres", "DescribeDBInstances", params{"Limit": 2})
	q.Body = other.Body
	if got, err := r.do(q); err != nil || got.code != "AuthFailure.SignatureFailure" {
		t.Errorf("got %q %v", got.code, err)
	}
}

func TestKeysRotate(t *testing.T) {
	r := newRig(t)
	next := standin.Key{ID: "AKIDNEXT", Secret: "next"}
	if err := r.server.SetKeys(next); err != nil {
		t.Fatal(err)
	}
	r.refused("AuthFailure.SecretIdNotFound", "DescribeDBInstances", params{})
	r.key = next
	r.ok("DescribeDBInstances", params{})
	if err := r.server.SetKeys(standin.Key{ID: "AKIDX"}); err == nil {
		t.Error("a key without a secret was accepted")
	}
	if ids := r.server.KeyIDs(); len(ids) != 1 || ids[0] != next.ID {
		t.Errorf("keys after a refused change: %v", ids)
	}
}
