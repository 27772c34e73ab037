package standin_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"

	"example.com/mote/cloud/standin"
)

// tagCall is a call of the tag service, which has a version of its own.
func (r *rig) tagCall(p params) result {
	r.t.Helper()
	q := r.request(r.t.Context(), "tag", "ModifyResourceTags", p)
	q.Header.Set("X-TC-Version", "2018-08-13")
	res, err := r.do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	return res
}

func described(id string) string { return "qcs::postgres:" + region + ":uin/:DBInstanceId/" + id }

func TestTags(t *testing.T) {
	r := newRig(t)
	id := r.running(params{"TagList": []params{{"TagKey": "a", "TagValue": "1"}, {"TagKey": "b", "TagValue": "2"}}})
	many := []params{}
	for n := range 60 {
		many = append(many, params{"TagKey": fmt.Sprint("k", n), "TagValue": "v"})
	}
	set := func(key, value string) []params { return []params{{"TagKey": key, "TagValue": value}} }
	drop := func(key string) []params { return []params{{"TagKey": key}} }
	for _, c := range []struct {
		code string
		p    params
	}{
		{"MissingParameter", params{"Resource": described(id)}},
		{"MissingParameter", params{"ReplaceTags": set("a", "1")}},
		{"InvalidParameterValue.ResourceDescriptionError", params{"Resource": id, "ReplaceTags": set("a", "1")}},
		{"InvalidParameterValue.ResourceDescriptionError", params{"Resource": "qcs::cvm:ap-guangzhou:uin/:instance/" + id, "ReplaceTags": set("a", "1")}},
		{"InvalidParameterValue.ResourceDescriptionError", params{"Resource": "qcs::postgres:ap-guangzhou:uin/:instance/" + id, "ReplaceTags": set("a", "1")}},
		{"InvalidParameterValue.ResourceIdInvalid", params{"Resource": described("postgres-nothere0"), "ReplaceTags": set("a", "1")}},
		{"InvalidParameterValue.ResourceIdInvalid", params{"Resource": "qcs::postgres:ap-shanghai:uin/:DBInstanceId/" + id, "ReplaceTags": set("a", "1")}},
		{"InvalidParameterValue.DeleteTagsParamError", params{"Resource": described(id), "ReplaceTags": set("a", "1"), "DeleteTags": drop("a")}},
		{"ResourceNotFound.AttachedTagKeyNotFound", params{"Resource": described(id), "DeleteTags": drop("c")}},
		{"LimitExceeded", params{"Resource": described(id), "ReplaceTags": many}},
	} {
		if got := r.tagCall(c.p); got.code != c.code {
			t.Errorf("%v: %s %s, want %s", c.p, got.code, got.message, c.code)
		}
	}
	if got := r.entry(id).Tags; !maps.Equal(got, map[string]string{"a": "1", "b": "2"}) {
		t.Errorf("a refusal left %v", got)
	}
	if got := r.tagCall(params{"Resource": "qcs::postgres:" + region + ":uin/100000000001:DBInstanceId/" + id, "ReplaceTags": append(set("a", "x"), set("c", "3")...), "DeleteTags": drop("b")}); got.code != "" {
		t.Error(got)
	}
	if got := r.entry(id).Tags; !maps.Equal(got, map[string]string{"a": "x", "c": "3"}) {
		t.Errorf("%v", got)
	}
	recent := r.server.Calls(0).Recent
	if last := recent[len(recent)-1]; len(last.About) != 1 || last.About[0] != id || !last.Effect {
		t.Errorf("the log says %+v", last)
	}
}

// Each service has a signature and a version of its own.
func TestServicesAreKeptApart(t *testing.T) {
	r := newRig(t)
	id := r.running(nil)
	p := params{"Resource": described(id), "ReplaceTags": []params{{"TagKey": "a", "TagValue": "1"}}}
	for _, c := range []struct {
		service, version, code string
	}{
		{"postgres", "2018-08-13", "AuthFailure.SignatureFailure"},
		{"tag", "2017-03-12", "NoSuchVersion"},
	} {
		q := r.request(t.Context(), c.service, "ModifyResourceTags", p)
		q.Header.Set("X-TC-Version", c.version)
		if got, err := r.do(q); err != nil || got.code != c.code {
			t.Errorf("%+v: %v %v", c, got, err)
		}
	}
	q := r.request(t.Context(), "postgres", "DescribeDBInstances", params{})
	q.Header[http.CanonicalHeaderKey("X-TC-Version")] = []string{"2018-08-13"}
	if got, err := r.do(q); err != nil || got.code != "NoSuchVersion" {
		t.Errorf("%v %v", got, err)
	}
}

func TestNormalise(t *testing.T) {
	r := newRig(t, func(c *standin.Config) { c.Normalise = true })
	id := r.running(params{"TagList": []params{{"TagKey": " a ", "TagValue": " 1"}, {"TagKey": "b", "TagValue": "2"}}, "SecurityGroupIds": []string{"sg-11111111", "sg-22222222"}})
	if e := r.entry(id); !maps.Equal(e.Tags, map[string]string{"a": "1", "b": "2"}) || e.SecurityGroups[0] != "sg-22222222" {
		t.Errorf("%+v", e)
	}
}
