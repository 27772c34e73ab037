package tencent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"example.com/mote/cloud"
	"example.com/mote/cloud/standin"
	"example.com/mote/jsonscan"
)

// tape is a transport that keeps the last answer, and plays it when it has no base.
type tape struct {
	base http.RoundTripper
	body []byte
}

func (t *tape) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.base == nil {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(t.body)), Request: r}, nil
	}
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if t.body, err = io.ReadAll(resp.Body); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(t.body))
	return resp, nil
}

// taped makes n instances in a stand-in of the cloud, and lists them once.
func taped(tb testing.TB, n int) (c *Client, wire *tape, ids []string) {
	s, err := standin.New(standin.Config{Seed: 1, NoRateLimits: true, Keys: []standin.Key{{ID: "a", Secret: "b"}}, Timing: standin.DemoTiming()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	wire = &tape{base: s.Transport()}
	c, err = New(Options{Transport: wire, Endpoint: "http://127.0.0.1", Limits: cloud.NewLimits(nil, 1e9, nil),
		Credentials: func(context.Context) (Credential, error) { return Credential{SecretID: "a", SecretKey: "b"}, nil }})
	if err != nil {
		tb.Fatal(err)
	}
	const region = "ap-guangzhou"
	for i := range n {
		made, err := c.Create(tb.Context(), region, cloud.CreateRequest{Name: fmt.Sprint("mote-", i), SpecCode: "pg.at.medium4", StorageGB: 100,
			Major: "14", Zone: "ap-guangzhou-6", VPCID: "vpc-mote0001", SubnetID: "subnet-mote0001", ChargeType: cloud.PostpaidByHour,
			AdminUser: "dbadmin", AdminPassword: "Pa<ss>w&0rd'", Tags: map[string]string{"a": `b"\`, "é": "ö"}})
		if err != nil {
			tb.Fatal(err)
		}
		ids = append(ids, made.ID)
	}
	if _, err := c.List(tb.Context(), region, ids); err != nil {
		tb.Fatal(err)
	}
	return c, wire, ids
}

// What is scanned is what encoding/json would have read.
func TestScanReadsAll(t *testing.T) {
	_, wire, _ := taped(t, 3)
	var want struct{ Response page }
	if err := json.Unmarshal(wire.body, &want); err != nil {
		t.Fatal(err)
	}
	e, err := open(wire.body)
	if err != nil {
		t.Fatal(err)
	}
	var got page
	if err := got.scan(jsonscan.New(e.response)); err != nil || !reflect.DeepEqual(got, want.Response) || len(got.DBInstanceSet) != 3 {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, want.Response)
	}
	for i := range wire.body[:len(wire.body)-1] {
		if e, err := open(wire.body[:i]); err == nil {
			t.Fatalf("an answer cut at %d of %d bytes is %q", i, len(wire.body), e.short)
		}
	}
	// Every field is read: each, alone and changed, makes a difference.
	kind := reflect.TypeFor[dbInstance]()
	for f := range kind.NumField() {
		d := reflect.New(kind).Elem()
		fill(d.Field(f))
		text, err := json.Marshal(d.Interface())
		if err != nil {
			t.Fatal(err)
		}
		var got dbInstance
		if err := got.scan(jsonscan.New(text)); err != nil || !reflect.DeepEqual(got, d.Interface()) {
			t.Errorf("%s: got %+v, %v", kind.Field(f).Name, got, err)
		}
	}
}

// What is translated as it is read is what a page read whole would be translated to:
// nothing of one instance is left in the next, and one that is answered twice, or was not
// asked for, is not there.
func TestChosen(t *testing.T) {
	full := reflect.New(reflect.TypeFor[dbInstance]()).Elem()
	fill(full)
	one, two := full.Interface().(dbInstance), full.Interface().(dbInstance)
	one.DBInstanceId, two.DBInstanceId = "a", "d"
	one.DBInstanceNetInfo[0] = netInfo{"private", "opened", "10.0.0.1", 5432}
	set := []dbInstance{one, {DBInstanceId: "b"}, two, one, {DBInstanceId: "c", TagList: []tag{{"k", "v"}}}}
	text, err := json.Marshal(map[string]any{"DBInstanceSet": set, "TotalCount": 5})
	if err != nil {
		t.Fatal(err)
	}
	got := chosen{region: "r", asked: map[string]bool{"a": true, "b": true, "c": true}}
	if err := got.scan(jsonscan.New(text)); err != nil || got.total == nil || *got.total != 5 {
		t.Fatal(err, got.total)
	}
	want := []cloud.Instance{one.instance("r"), set[1].instance("r"), set[4].instance("r")}
	if !reflect.DeepEqual(got.found, want) {
		t.Errorf("got  %+v\nwant %+v", got.found, want)
	}
}

// fill makes a value that is nowhere zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	default:
		panic("a field of a kind that is not filled: " + v.Kind().String())
	}
}

func TestOpen(t *testing.T) {
	for in, want := range map[string]string{
		`{"Response":{"RequestId":"r"}}`:                                     `{"Response":{"RequestId":"r","Error":null}}`,
		` {"x":[{}],"Response":{"A":{"RequestId":"no"},"RequestId":"r\""}} `: `{"Response":{"RequestId":"r\"","Error":null}}`,
		`{"Response":{"Error":{"Code":"C","Message":"m"},"RequestId":"r"}}`:  `{"Response":{"RequestId":"r","Error":{"Code":"C","Message":"m"}}}`,
		`{"Response":{}}`: "", `{"Response":null}`: "", `{}`: "", `{"Response":{"RequestId":7}}`: "", `{"Response":[]}`: "",
		`{"Response":{"RequestId":"r"}} <html>`: "", `{"Response":{"RequestId":"r"}`: "",
	} {
		e, err := open([]byte(in))
		if string(e.short) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v; want %s", in, e.short, err, want)
		}
		if want != "" && !strings.Contains(in, string(e.response)) {
			t.Errorf("%s: the inner object is %s", in, e.response)
		}
	}
}

func BenchmarkList(b *testing.B) {
	c, wire, ids := taped(b, cloud.MaxPage)
	wire.base = nil
	b.SetBytes(int64(len(wire.body)))
	b.ReportAllocs()
	for b.Loop() {
		if got, err := c.List(b.Context(), "ap-guangzhou", ids); err != nil || len(got) != len(ids) {
			b.Fatal(len(got), err)
		}
	}
}
