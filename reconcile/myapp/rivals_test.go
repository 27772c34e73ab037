package myapp

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestWithoutRivals(t *testing.T) {
	const http = `{"name":"http","port":80,"protocol":"TCP","targetPort":"http"}`
	service := func(ports string) map[string]any {
		return fromJSON(t, `{"apiVersion":"v1","spec":{"ports":`+ports+`}}`)
	}
	deployment := func(containers string) map[string]any {
		return fromJSON(t, `{"apiVersion":"apps/v1","spec":{"template":{"spec":{"containers":`+containers+`}}}}`)
	}
	entry := func(manager, operation, fields string) string {
		return `{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":` + fields + `,"manager":"` + manager + `","operation":"` + operation + `"}`
	}
	ports := func(below string) string { return `{"f:spec":{"f:ports":{` + below + `}}}` }
	const (
		k80 = `"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{}}`
		k81 = `"k:{\"port\":81,\"protocol\":\"TCP\"}":{".":{}}`
		k82 = `"k:{\"port\":82,\"protocol\":\"TCP\"}":{".":{}}`
	)
	owned := func(live map[string]any, entries ...string) map[string]any {
		live["metadata"] = fromJSON(t, `{"managedFields":[`+strings.Join(entries, ",")+`]}`)
		return live
	}
	mote := func(below string) string { return entry("mote", "Apply", ports(below)) }
	container := func(below string) string {
		return `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{"f:ports":{` + below + `}}}}}}}`
	}
	const other = `[{"name":"http","port":81,"protocol":"TCP"}]`
	const c80, c81 = `"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{}}`, `"k:{\"containerPort\":81,\"protocol\":\"TCP\"}":{".":{}}`
	for name, c := range map[string]struct {
		live, want map[string]any
		entries    string // as they become; "": nothing is done
	}{
		"as it was":                {owned(service(`[`+http+`]`), mote(k80)), service(`[` + http + `]`), ``},
		"another number of Mote's": {owned(service(other), mote(k81)), service(`[` + http + `]`), ``},
		"another number of somebody's": {owned(service(other), mote(``), entry("edit", "Update", ports(k81))), service(`[` + http + `]`),
			mote(k81)},
		"a field of somebody's": {owned(service(other), mote(k81), entry("edit", "Update", ports(`"k:{\"port\":81,\"protocol\":\"TCP\"}":{"f:nodePort":{}},`+k82))), service(`[` + http + `]`),
			mote(k81) + `,` + entry("edit", "Update", ports(k82))},
		"nobody's":                   {owned(service(other), mote(k82)), service(`[` + http + `]`), mote(k81 + `,` + k82)},
		"nothing is known of owners": {service(other), service(`[` + http + `]`), mote(k81)},
		"of another protocol": {service(`[{"name":"http","port":80,"protocol":"UDP"}]`), service(`[` + http + `]`),
			mote(`"k:{\"port\":80,\"protocol\":\"UDP\"}":{".":{}}`)},
		"somebody's under another name": {owned(service(`[{"name":"metrics","port":81,"protocol":"TCP"},`+http+`]`), mote(k80), entry("edit", "Update", ports(k81))), service(`[` + http + `]`), ``},
		"none there":                    {service(`null`), service(`[` + http + `]`), ``},
		"a container's": {owned(deployment(`[{"name":"sidecar","ports":[{"name":"http","containerPort":1}]},{"name":"app","ports":[{"name":"http","containerPort":81,"protocol":"TCP"}]}]`),
			entry("mote", "Apply", container(c80)), entry("edit", "Update", container(c81))),
			deployment(`[{"name":"app","ports":[{"name":"http","containerPort":80,"protocol":"TCP"}]}]`),
			entry("mote", "Apply", container(c80+`,`+c81))},
		"once mended, not wanted any more": {owned(service(`[{"name":"old","port":81,"protocol":"TCP"},`+http+`]`), mote(k80), entry("mote", "Update", ports(k81))), service(`[` + http + `]`),
			mote(k80 + `,` + k81)},
		"a ConfigMap has none": {fromJSON(t, `{"data":{"a":"b"}}`), fromJSON(t, `{"data":{"a":"c"}}`), ``},
	} {
		before, err := json.Marshal(c.live)
		if err != nil {
			t.Fatal(err)
		}
		ops, err := json.Marshal(withoutRivals(c.live, c.want))
		if err != nil {
			t.Fatal(err)
		}
		want := `null`
		if c.entries != "" {
			want = `[{"op":"add","path":"/metadata/managedFields","value":[` + c.entries + `]}]`
		}
		if string(ops) != want {
			t.Errorf("%s:\n is   %s\n want %s", name, ops, want)
		}
		if after, _ := json.Marshal(c.live); string(after) != string(before) {
			t.Errorf("%s: the live object was changed: %s", name, after)
		}
	}
}

func fromJSON(t *testing.T, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}
