package myapp

import (
	"encoding/json"
	"testing"
)

func TestWithoutRivals(t *testing.T) {
	service := func(ports string) map[string]any { return fromJSON(t, `{"spec":{"ports":`+ports+`}}`) }
	deployment := func(containers string) map[string]any {
		return fromJSON(t, `{"spec":{"template":{"spec":{"containers":`+containers+`}}}}`)
	}
	const http = `{"name":"http","port":80,"protocol":"TCP","targetPort":"http"}`
	const app = `{"name":"app","ports":[{"name":"http","containerPort":80,"protocol":"TCP"}]}`
	for name, c := range map[string]struct {
		live, want map[string]any
		ops        string
	}{
		"as it was": {service(`[` + http + `]`), service(`[` + http + `]`), `null`},
		"another number": {service(`[{"name":"http","port":81,"protocol":"TCP","targetPort":81,"nodePort":30080}]`), service(`[` + http + `]`),
			`[{"op":"replace","path":"/spec/ports","value":[{"name":"http","nodePort":30080,"port":80,"protocol":"TCP","targetPort":"http"}]}]`},
		"another protocol": {service(`[{"name":"http","port":80,"protocol":"UDP"}]`), service(`[` + http + `]`),
			`[{"op":"replace","path":"/spec/ports","value":[` + http + `]}]`},
		"another port beside it stays": {service(`[{"name":"metrics","port":99,"protocol":"TCP"},{"name":"http","port":81,"protocol":"TCP"}]`), service(`[` + http + `]`),
			`[{"op":"replace","path":"/spec/ports","value":[{"name":"metrics","port":99,"protocol":"TCP"},` + http + `]}]`},
		"none there": {service(`null`), service(`[` + http + `]`), `null`},
		"a container's": {deployment(`[{"name":"sidecar","ports":[{"name":"http","containerPort":1}]},{"name":"app","ports":[{"name":"http","containerPort":81,"protocol":"TCP"}]}]`),
			deployment(`[` + app + `]`),
			`[{"op":"replace","path":"/spec/template/spec/containers/1/ports","value":[{"containerPort":80,"name":"http","protocol":"TCP"}]}]`},
		"once mended, not wanted any more": {fromJSON(t, `{"metadata":{"managedFields":[{"manager":"mote","operation":"Apply","fieldsV1":{}},{"manager":"mote","operation":"Update","fieldsV1":{"f:spec":{"f:ports":{"k:{\"port\":81,\"protocol\":\"TCP\"}":{}}}}}]},
			"spec":{"ports":[{"name":"old","port":81,"protocol":"TCP"},{"name":"other","port":82,"protocol":"TCP"},`+http+`]}}`), service(`[` + http + `]`),
			`[{"op":"replace","path":"/spec/ports","value":[{"name":"other","port":82,"protocol":"TCP"},` + http + `]}]`},
		"a ConfigMap has none": {fromJSON(t, `{"data":{"a":"b"}}`), fromJSON(t, `{"data":{"a":"c"}}`), `null`},
	} {
		before, err := json.Marshal(c.live)
		if err != nil {
			t.Fatal(err)
		}
		ops, err := json.Marshal(withoutRivals(c.live, c.want))
		if err != nil {
			t.Fatal(err)
		}
		if string(ops) != c.ops {
			t.Errorf("%s:\n is   %s\n want %s", name, ops, c.ops)
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
