package tencent_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/mote/cloud"
	"example.com/mote/cloud/standin"
	"example.com/mote/cloud/tencent"
)

func TestPrice(t *testing.T) {
	r := newRig(t, nil)
	of := cloud.Priced{Zone: "ap-guangzhou-6", SpecCode: "pg.at.medium4", StorageGB: 100, ChargeType: cloud.PostpaidByHour}
	p, err := r.Price(t.Context(), region, of)
	r.ok(err)
	if p != (cloud.Price{Cents: 2*20 + 4*8 + 100, Currency: "CNY"}) {
		t.Errorf("by the hour: %+v", p)
	}
	of.ChargeType = cloud.Prepaid
	if p, err = r.Price(t.Context(), region, of); err != nil || p.Cents != (2*20+4*8+100)*480 {
		t.Errorf("by the month: %+v, %v", p, err)
	}
	of.SpecCode = "pg.none"
	_, err = r.Price(t.Context(), region, of)
	r.fails(err, cloud.Refused, "InvalidParameterValue.SpecNotRecognizedError")
	if n := len(r.cloud.Ledger()); n != 0 {
		t.Errorf("%d instances were bought by asking for a price", n)
	}
}

// An answer without a price is none, least of all one of nothing.
func TestNoPrice(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"Response":{"Currency":"CNY","RequestId":"r-1"}}`))
	}))
	defer server.Close()
	r := newRig(t, nil)
	c, err := tencent.New(tencent.Options{Credentials: func(context.Context) (tencent.Credential, error) { return r.key, nil }, Endpoint: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Price(t.Context(), region, cloud.Priced{})
	r.fails(err, cloud.Ambiguous, "mote.UnreadableAnswer")
}

// Of all calls, only those that describe and inquire go over the wire.
func TestReadOnly(t *testing.T) {
	r := newRig(t, func(_ *standin.Config, o *tencent.Options) { o.Transport = tencent.ReadOnly(nil) })
	ctx := t.Context()
	_, made := r.Create(ctx, region, want("mote-1"))
	_, upgraded := r.Upgrade(ctx, region, "postgres-12345678", "v14.13_r1.1", false, cloud.Window{})
	for what, err := range map[string]error{
		"Create": made, "Upgrade": upgraded, "Resize": r.Resize(ctx, region, "postgres-12345678", cloud.Size{CPU: 2, MemoryGB: 4, StorageGB: 100}, cloud.Window{}),
		"SwitchNow": r.SwitchNow(ctx, region, "postgres-12345678"), "Rename": r.Rename(ctx, region, "postgres-12345678", "x"),
		"SetTags": r.SetTags(ctx, region, "postgres-12345678", map[string]string{"a": "b"}, nil), "SetSecurityGroups": r.SetSecurityGroups(ctx, region, "postgres-12345678", []string{"sg-1"}),
		"SetDeletionProtection": r.SetDeletionProtection(ctx, region, "postgres-12345678", true), "ResetPassword": r.ResetPassword(ctx, region, "postgres-12345678", "mote", password),
		"Isolate": r.Isolate(ctx, region, "postgres-12345678"), "Destroy": r.Destroy(ctx, region, "postgres-12345678"),
	} {
		if e, ok := err.(*cloud.Error); !ok || e.Class != cloud.NotSent || !strings.Contains(e.Error()+e.Err.Error(), "only reading is allowed here") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := r.Find(ctx, region, "mote-1"); err != nil {
		t.Error(err)
	}
	for _, c := range r.cloud.Calls(0).Recent {
		if !strings.HasPrefix(c.Action, "Describe") {
			t.Errorf("the cloud was called with %s", c.Action)
		}
	}
}
