package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"example.com/mote/cloud"
	"example.com/mote/k3s"
)

// answers is an API server without a socket: what it says to each path, as a code and
// a body. Its clock is off by ahead.
type answers struct {
	says  map[string]string
	ahead time.Duration
	hangs string // a path that is never answered

	mu    sync.Mutex
	asked []string
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	a.asked = append(a.asked, r.Method+" "+r.URL.Path)
	a.mu.Unlock()
	if r.URL.Path == a.hangs {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	code, body := 404, `{"kind":"Status","message":"there is no such thing"}`
	if s, ok := a.says[r.URL.Path]; ok {
		if _, err := fmt.Sscanf(s, "%d", &code); err != nil {
			return nil, err
		}
		body = s[4:]
	}
	return &http.Response{StatusCode: code, Body: io.NopCloser(bytes.NewBufferString(body)), Request: r,
		Header: http.Header{"Date": {time.Now().Add(a.ahead).UTC().Format(http.TimeFormat)}}}, nil
}

// shop is a cloud that answers the questions of a check.
type shop struct {
	cloud.Postgres
	err error
}

func (s shop) Find(context.Context, string, string) ([]cloud.Instance, error) { return nil, s.err }

func (s shop) Subnet(_ context.Context, _, id string) (cloud.Subnet, error) {
	return cloud.Subnet{ID: id, Zone: "z", VPCID: "v"}, s.err
}

func planOf(a *answers) Plan {
	return Plan{Config: &rest.Config{Host: "http://k3s", Transport: a}, Scope: k3s.Scope{LeaseNamespace: "m", LeaseName: "l"}, OwnNamespace: "m",
		Region: "ap-x", Subnet: "subnet-1", Keys: func(context.Context) error { return nil }, Cloud: shop{}, CloudDates: &Dates{}}
}

func TestObserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &answers{ahead: 10 * time.Minute, says: map[string]string{
			"/version":                                 `200 {"gitVersion":"v1.37.2"}`,
			"/apis/database.example.com/v1":            `200 {"resources":[{"name":"postgresdbs"},{"name":"postgresdbs/status"}]}`,
			"/apis/example.com/v1":                     `500 {"message":"database is locked"}`,
			"/openapi/v3/apis/database.example.com/v1": `200 {"components":{"schemas":{}}}`,
			"/apis/database.example.com/v1/postgresdbs": `200 {"items":[{"metadata":{"namespace":"n","name":"a"},"spec":{"subnetID":"subnet-2","region":"ap-y"}},
				{"metadata":{"namespace":"n","name":"b"},"spec":{"subnetID":"subnet-2"}}]}`,
			"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": `201 {"status":{"allowed":false}}`,
			"/apis/coordination.k8s.io/v1/namespaces/m/leases/l":     `200 {"spec":{"holderIdentity":"h","leaseDurationSeconds":60,"renewTime":"2030-01-01T00:00:00.000000Z"}}`,
			"/api/v1/namespaces/m":                                   `403 {"message":"forbidden"}`,
		}}
		o := Observe(t.Context(), planOf(a))
		if o.Cluster.Trouble != "" || o.Cluster.Version != "v1.37.2" {
			t.Errorf("%+v", o.Cluster)
		}
		db, app := o.Kinds[0], o.Kinds[1]
		if !db.Served || !db.Status || db.Scale || !strings.Contains(db.SchemaTrouble, "PostgresDB is not in it") || db.All != 2 || db.Selected != 2 || db.NoRegion != 1 {
			t.Errorf("%+v", db)
		}
		if app.Trouble != "HTTP 500: database is locked" {
			t.Errorf("%+v", app)
		}
		if len(o.Rights) == 0 || slices.ContainsFunc(o.Rights, func(r Right) bool { return len(r.Denied) != len(r.Rule.Verbs) }) {
			t.Errorf("%+v", o.Rights)
		}
		if o.Lease.Holder != "h" || o.Lease.Lasts != time.Minute || o.Lease.Renewed.Year() != 2030 || !o.Lease.There {
			t.Errorf("%+v", o.Lease)
		}
		if !strings.Contains(o.Security.Trouble, "need not") {
			t.Errorf("%+v", o.Security)
		}
		if len(o.Clocks) != 1 || o.Clocks[0].Ahead != 10*time.Minute {
			t.Errorf("%+v", o.Clocks)
		}
		var where []string
		for _, s := range o.Subnets {
			where = append(where, s.Region+"/"+s.ID+"/"+s.Zone)
		}
		if len(o.Regions) != 2 || !slices.Equal(where, []string{"ap-x/subnet-1/z", "ap-x/subnet-2/z", "ap-y/subnet-2/z"}) {
			t.Errorf("%+v %v", o.Regions, where)
		}
		for _, r := range a.asked { // a review is a question
			if !strings.HasPrefix(r, "GET ") && r != "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews" {
				t.Errorf("a check asked %s", r)
			}
		}
	})
}

// What hangs costs its own limit, and is said.
func TestObserveWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, path := range []string{"/version", "/api/v1/namespaces/m", "/apis/example.com/v1"} {
			began := time.Now()
			a := &answers{hangs: path, says: map[string]string{"/version": `200 {}`}}
			o := Observe(t.Context(), planOf(a))
			if took := time.Since(began); took != probeLimit {
				t.Errorf("%s: it took %s", path, took)
			}
			trouble := o.Cluster.Trouble + o.Security.Trouble
			if len(o.Kinds) > 1 {
				trouble += o.Kinds[1].Trouble
			}
			if !strings.Contains(trouble, "nothing came within 10s") {
				t.Errorf("%s: %+v", path, o)
			}
			if len(o.Regions) != 1 || o.Regions[0].Trouble != "" {
				t.Errorf("%s: the cloud was not asked: %+v", path, o.Regions)
			}
		}
	})
}

func TestObserveTroubles(t *testing.T) {
	p := planOf(&answers{says: map[string]string{"/version": `401 {"message":"Unauthorized"}`}})
	p.Cloud = shop{err: &cloud.Error{Class: cloud.Denied, Code: "AuthFailure.SecretIdNotFound", Message: "no", Network: false}}
	o := Observe(t.Context(), p)
	if !o.Cluster.Refused || o.Cluster.Trouble != "HTTP 401: Unauthorized" || o.Kinds != nil {
		t.Errorf("%+v", o)
	}
	if r := o.Regions[0]; r.Class != "Denied" || r.Code != "AuthFailure.SecretIdNotFound" || r.Network {
		t.Errorf("%+v", r)
	}
	if s := o.Subnets[0]; s.Class != "Denied" || s.Trouble == "" {
		t.Errorf("%+v", s)
	}
	p = planOf(&answers{says: map[string]string{"/version": `200 <html>`}})
	p.Keys = func(context.Context) error { return errors.New("there are none") }
	if o := Observe(t.Context(), p); !strings.Contains(o.Cluster.Trouble, "cannot be read") || o.KeyTrouble != "there are none" || o.Regions != nil {
		t.Errorf("%+v", o)
	}
	p.Config, p.ConfigTrouble = nil, "no kubeconfig"
	if o := Observe(t.Context(), p); o.Cluster.Trouble != "no kubeconfig" || len(o.Clocks) != 0 {
		t.Errorf("%+v", o)
	}
}

// A Date has lost up to a second, and was made while we waited.
func TestOff(t *testing.T) {
	at := func(ms int) time.Time { return now.Add(time.Duration(ms) * time.Millisecond) }
	for _, c := range []struct {
		date, began, ended int // in ms
		want               time.Duration
	}{
		{0, 0, 0, 0}, {0, 999, 999, 0}, {0, 1000, 1000, 0}, {0, 1500, 1600, -500 * time.Millisecond},
		{1000, 900, 1100, 0}, {1000, 100, 200, 800 * time.Millisecond}, {60000, 0, 30000, 30 * time.Second}, {0, 60000, 90000, -59 * time.Second},
	} {
		if got := off(at(c.date), at(c.began), at(c.ended)); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// Of many objects, the first pages are looked at.
func TestPages(t *testing.T) {
	item := `{"metadata":{"namespace":"n","name":"a"},"spec":{}}`
	a := &answers{says: map[string]string{"/x": `200 {"metadata":{"continue":"on"},"items":[` + item + `,` + item + `]}`}}
	s, err := newServer(&rest.Config{Host: "http://k3s", Transport: a}, &Dates{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if more, err := s.list(t.Context(), "/x", "", "", func(object) { n++ }); !more || err != nil || n != 2*pages {
		t.Errorf("%t %v %d", more, err, n)
	}
}
