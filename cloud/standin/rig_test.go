package standin_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"example.com/mote/cloud/standin"
)

const region = "ap-guangzhou"

var testKey = standin.Key{ID: "AKIDTEST", Secret: "test-secret"}

// clock is moved by hand; a sleep moves it too.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func (c *clock) sleep(_ context.Context, d time.Duration) { c.advance(d) }

// rig is a server with a client that signs by its own code.
type rig struct {
	t      *testing.T
	server *standin.Server
	clock  *clock
	now    func() time.Time // the client's clock
	http   *http.Client
	url    string
	key    standin.Key
	region string
}

// newRig runs without a socket and on a clock of its own.
func newRig(t *testing.T, change ...func(*standin.Config)) *rig {
	t.Helper()
	c := newClock()
	cfg := standin.Config{Now: c.now, Sleep: c.sleep, Seed: 7, Keys: []standin.Key{testKey}, Timing: standin.DemoTiming()}
	for _, f := range change {
		f(&cfg)
	}
	s, err := standin.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t: t, server: s, clock: c, now: c.now, key: testKey, region: region,
		http: &http.Client{Transport: s.Transport()}, url: "http://standin.test"}
}

// onTheWire puts a rig behind a socket, in real time.
func onTheWire(t *testing.T, change ...func(*standin.Config)) *rig {
	t.Helper()
	r := newRig(t, append([]func(*standin.Config){func(c *standin.Config) { c.Now, c.Sleep = nil, nil }}, change...)...)
	web := httptest.NewServer(r.server)
	t.Cleanup(func() { r.server.Close(); web.Close() })
	r.http, r.url, r.now = &http.Client{Timeout: 5 * time.Second}, web.URL, time.Now
	return r
}

type params = map[string]any

// request makes a signed request.
func (r *rig) request(ctx context.Context, service, action string, p any) *http.Request {
	r.t.Helper()
	body, err := json.Marshal(p)
	if err != nil {
		r.t.Fatal(err)
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/", bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	now := r.now()
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("X-TC-Action", action)
	q.Header.Set("X-TC-Version", "2017-03-12")
	q.Header.Set("X-TC-Region", r.region)
	q.Header.Set("X-TC-Timestamp", fmt.Sprint(now.Unix()))
	if r.key.Token != "" {
		q.Header.Set("X-TC-Token", r.key.Token)
	}
	sign(q, body, r.key, service, now)
	return q
}

// sign is TC3-HMAC-SHA256 over content-type and host, written from the
// documentation and apart from the server's code.
func sign(q *http.Request, body []byte, k standin.Key, service string, now time.Time) {
	sum := func(b []byte) string { h := sha256.Sum256(b); return hex.EncodeToString(h[:]) }
	mac := func(key []byte, s string) []byte {
		h := hmac.New(sha256.New, key)
		io.WriteString(h, s)
		return h.Sum(nil)
	}
	date := now.UTC().Format("2006-01-02")
	canonical := "POST\n/\n\ncontent-type:application/json\nhost:" + q.URL.Host + "\n\ncontent-type;host\n" + sum(body)
	text := fmt.Sprintf("TC3-HMAC-SHA256\n%d\n%s/%s/tc3_request\n%s", now.Unix(), date, service, sum([]byte(canonical)))
	key := mac(mac(mac([]byte("TC3"+k.Secret), date), service), "tc3_request")
	q.Header.Set("Authorization", fmt.Sprintf("TC3-HMAC-SHA256 Credential=%s/%s/%s/tc3_request, SignedHeaders=content-type;host, Signature=%x",
		k.ID, date, service, mac(key, text)))
}

// result is an answer: the fields of Response, and the error's code.
type result struct {
	code, message string
	fields        params
}

func (r *rig) do(q *http.Request) (result, error) {
	resp, err := r.http.Do(q)
	if err != nil {
		return result{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return result{}, err
	}
	var out struct{ Response params }
	if err := json.Unmarshal(b, &out); err != nil {
		return result{}, fmt.Errorf("status %d: %w", resp.StatusCode, err)
	}
	res := result{fields: out.Response}
	if e, ok := out.Response["Error"].(params); ok {
		res.code, res.message = e["Code"].(string), e["Message"].(string)
	}
	if out.Response["RequestId"] == "" {
		return res, fmt.Errorf("no RequestId in %s", b)
	}
	return res, nil
}

func (r *rig) call(action string, p any) result {
	r.t.Helper()
	service := "postgres"
	if action == "DescribeSubnets" {
		service = "vpc"
	}
	res, err := r.do(r.request(r.t.Context(), service, action, p))
	if err != nil {
		r.t.Fatalf("%s: %v", action, err)
	}
	return res
}

// ok makes a call that must succeed.
func (r *rig) ok(action string, p any) params {
	r.t.Helper()
	res := r.call(action, p)
	if res.code != "" {
		r.t.Fatalf("%s: %s: %s", action, res.code, res.message)
	}
	return res.fields
}

// refused makes a call that must fail with a code.
func (r *rig) refused(code, action string, p any) {
	r.t.Helper()
	if res := r.call(action, p); res.code != code {
		r.t.Errorf("%s(%v) = %q (%s), want %q", action, p, res.code, res.message, code)
	}
}

// order is a valid CreateInstances with changes; a nil value removes a key.
func order(changes params) params {
	p := params{"SpecCode": "pg.at.medium4", "Storage": 100, "InstanceCount": 1, "Period": 1, "Charset": "UTF8",
		"AdminName": "mote", "AdminPassword": "Sup3r-Secret", "Zone": "ap-guangzhou-6", "DBMajorVersion": "14",
		"VpcId": "vpc-mote0001", "SubnetId": "subnet-mote0001", "InstanceChargeType": "POSTPAID_BY_HOUR", "Name": "mote-1",
		"TagList": []params{{"TagKey": "mote-uid", "TagValue": "u1"}}}
	maps.Copy(p, changes)
	maps.DeleteFunc(p, func(_ string, v any) bool { return v == nil })
	return p
}

// create buys one postpaid instance and returns its id.
func (r *rig) create(changes params) string {
	r.t.Helper()
	return r.ok("CreateInstances", order(changes))["DBInstanceIdSet"].([]any)[0].(string)
}

// running buys one and waits until it runs.
func (r *rig) running(changes params) string {
	r.t.Helper()
	id := r.create(changes)
	r.clock.advance(8 * time.Second)
	return id
}

func (r *rig) instance(id string) params {
	r.t.Helper()
	return r.ok("DescribeDBInstanceAttribute", params{"DBInstanceId": id})["DBInstance"].(params)
}

func (r *rig) status(id string) string {
	r.t.Helper()
	res := r.call("DescribeDBInstanceAttribute", params{"DBInstanceId": id})
	if res.code != "" {
		return res.code
	}
	return res.fields["DBInstance"].(params)["DBInstanceStatus"].(string)
}

// list is the ids that DescribeDBInstances answers, in order, and the total.
func (r *rig) list(p params) (ids []string, total int) {
	r.t.Helper()
	out := r.ok("DescribeDBInstances", p)
	for _, i := range out["DBInstanceSet"].([]any) {
		ids = append(ids, i.(params)["DBInstanceId"].(string))
	}
	return ids, int(out["TotalCount"].(float64))
}

func (r *rig) entry(id string) standin.Entry {
	r.t.Helper()
	for _, e := range r.server.Ledger() {
		if e.ID == id {
			return e
		}
	}
	r.t.Fatalf("%s is not in the ledger", id)
	return standin.Entry{}
}
