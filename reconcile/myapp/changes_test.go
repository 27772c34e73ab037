package myapp

import (
	"encoding/json"
	"strings"
	"testing"
)

// What an apply takes away, because Mote stated it and does not any more, is a change
// like any other; what others have set stays, and is none.
func TestChanges(t *testing.T) {
	const fields = `{"f:spec":{"f:replicas":{},"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:name":{},"f:image":{},
		"f:env":{"k:{\"name\":\"A\"}":{".":{},"f:name":{},"f:value":{}},"k:{\"name\":\"B\"}":{".":{},"f:name":{},"f:value":{}}},
		"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:name":{}}},
		"f:resources":{"f:limits":{"f:cpu":{}},"f:requests":{"f:cpu":{}}}}}}}},"f:data":{"f:shop.conf":{}}}`
	const live = `{"spec":{"replicas":3,"template":{"spec":{"containers":[{"name":"app","image":"x","imagePullPolicy":"Always",
		"env":[{"name":"A","value":"hello"},{"name":"B","value":"2"},{"name":"C","value":"of others"}],
		"ports":[{"name":"http","containerPort":80,"protocol":"TCP"}],
		"resources":{"limits":{"cpu":"500m"},"requests":{"cpu":"500m"}}},{"name":"proxy"}]}}},"data":{"shop.conf":"a","theirs":"b"}}`
	const path = "spec.template.spec.containers[app]."
	manifest := func(container string) string {
		return `{"spec":{"replicas":3,"template":{"spec":{"containers":[{"name":"app","image":"x"` + container + `}]}}},"data":{"shop.conf":"a"}}`
	}
	const env, ports, resources = `,"env":[{"name":"B","value":"2"},{"name":"A","value":"hello"}]`, `,"ports":[{"name":"http","containerPort":80}]`, `,"resources":{"limits":{"cpu":"0.5"},"requests":{"cpu":0.5}}`
	for name, c := range map[string]struct{ manifest, others, want string }{
		"as it is":      {manifest: manifest(env + ports + resources)},
		"one variable":  {manifest: manifest(`,"env":[{"name":"B","value":"2"}]` + ports + resources), want: path + "env[A]: hello becomes "},
		"all variables": {manifest: manifest(ports + resources), want: path + "env[A]: hello becomes ," + path + "env[B]: 2 becomes "},
		"mixed":         {manifest: manifest(`,"env":[{"name":"B","value":"3"}]` + ports + resources), want: path + "env[A]: hello becomes ," + path + "env[B].value: 2 becomes 3"},
		"limits":        {manifest: manifest(env + ports + `,"resources":{"requests":{"cpu":"0.5"}}`), want: path + `resources.limits: {"cpu":"500m"} becomes `},
		"another port":  {manifest: manifest(env + `,"ports":[{"name":"http","containerPort":81}]` + resources), want: path + "ports[http].containerPort: 80 becomes 81"},
		"config":        {manifest: strings.Replace(manifest(env+ports+resources), `{"shop.conf":"a"}`, `{}`, 1), want: "data[shop.conf]: a becomes "},
		"replicas":      {manifest: strings.Replace(manifest(env+ports+resources), `"replicas":3,`, ``, 1), want: "spec.replicas: 3 becomes "},
		"replicas that a scaler has set too": {manifest: strings.Replace(manifest(env+ports+resources), `"replicas":3,`, ``, 1),
			others: `{"f:spec":{"f:replicas":{}}}`},
	} {
		var have, want map[string]any
		managed := `[{"manager":"mote","operation":"Apply","fieldsV1":` + fields + `}`
		if c.others != "" {
			managed += `,{"manager":"kube-controller-manager","operation":"Update","subresource":"scale","fieldsV1":` + c.others + `}`
		}
		for text, into := range map[string]*map[string]any{live[:len(live)-1] + `,"metadata":{"managedFields":` + managed + `]}}`: &have, c.manifest: &want} {
			if err := json.Unmarshal([]byte(text), into); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, f := range changes(have, want) {
			got = append(got, f.Path+": "+f.Before+" becomes "+f.After)
		}
		if strings.Join(got, ",") != c.want {
			t.Errorf("%s: %s, want %s", name, strings.Join(got, ","), c.want)
		}
	}
}
