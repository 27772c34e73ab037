package tencent_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/cloud/standin"
	"example.com/mote/cloud/tencent"
	"example.com/mote/simulation/wire"
)

const (
	region   = "ap-guangzhou"
	subnet   = "subnet-mote0001"
	password = `Pa<ss>w&0rd/'`
)

// rig is a Client and a stand-in of the cloud, on a real socket and one clock.
type rig struct {
	*testing.T
	*tencent.Client
	cloud *standin.Server

	mu  sync.Mutex
	t   time.Time
	key tencent.Credential
}

// newRig makes a rig; adjust may change what the cloud and the client are like.
func newRig(t *testing.T, adjust func(*standin.Config, *tencent.Options)) *rig {
	r := &rig{T: t, t: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
		key: tencent.Credential{SecretID: "AKIDmote", SecretKey: "verysecretkey"}}
	config := standin.Config{Now: r.now, Seed: 1, NoRateLimits: true,
		Keys:   []standin.Key{{ID: "AKIDmote", Secret: "verysecretkey"}},
		Timing: standin.DemoTiming()}
	options := tencent.Options{Now: r.now, Credentials: func(context.Context) (tencent.Credential, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.key, nil
	}}
	if adjust != nil {
		adjust(&config, &options)
	}
	var err error
	if r.cloud, err = standin.New(config); err != nil {
		t.Fatal(err)
	}
	if overLine {
		options.Endpoint, options.Transport = "http://cloud.test", wire.NewLine(r.cloud, nil)
	} else {
		server := httptest.NewServer(r.cloud)
		t.Cleanup(server.Close)
		options.Endpoint = server.URL
	}
	t.Cleanup(r.cloud.Close)
	if r.Client, err = tencent.New(options); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.t
}

// pass lets time pass, for the cloud and the client alike.
func (r *rig) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.t = r.t.Add(d)
}

func (r *rig) use(key tencent.Credential) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.key = key
}

func (r *rig) fault(f standin.Fault) {
	r.Helper()
	if _, err := r.cloud.SetFaults(f); err != nil {
		r.Fatal(err)
	}
}

// want is a purchase that the stand-in accepts.
func want(name string) cloud.CreateRequest {
	return cloud.CreateRequest{Name: name, SpecCode: "pg.at.medium4", StorageGB: 100, Major: "14",
		Zone: "ap-guangzhou-6", VPCID: "vpc-mote0001", SubnetID: subnet, ChargeType: cloud.PostpaidByHour,
		AdminUser: "mote", AdminPassword: password, Tags: map[string]string{"mote-uid": name, "a": "b"}}
}

func (r *rig) buy(name string) string {
	r.Helper()
	made, err := r.Create(r.Context(), region, want(name))
	if err != nil {
		r.Fatal(err)
	}
	return made.ID
}

func (r *rig) ok(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// fails sees that an error is of a class and a code, whole and without secrets.
func (r *rig) fails(err error, class cloud.Class, code string) *cloud.Error {
	r.Helper()
	e, ok := err.(*cloud.Error)
	if !ok {
		r.Fatalf("%#v is not a *cloud.Error", err)
	}
	if e.Class != class || e.Code != code {
		r.Errorf("%s, %s: %v; want %s, %s", e.Class, e.Code, e, class, code)
	}
	if e.Action == "" || e.Region != region || e.Message == "" {
		r.Errorf("incomplete: %#v", e)
	}
	for _, secret := range []string{password, "verysecretkey", "0rd/"} {
		if strings.Contains(e.Error(), secret) || e.Err != nil && strings.Contains(e.Err.Error(), secret) {
			r.Errorf("holds a secret: %v (%v)", e, e.Err)
		}
	}
	return e
}

// calls is how many calls of an action the cloud received.
func (r *rig) calls(action string) int { return r.cloud.Calls(0).Count(action) }
