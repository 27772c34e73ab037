package schema

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"example.com/mote/crd"
)

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var o map[string]any
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

const database = `{apiVersion: database.example.com/v1, kind: PostgresDB, metadata: {name: orders}, spec: {engineVersion: "14.1", instanceClass: 2C4G, storageGB: 100, subnetID: subnet-1}}`

const app = `{apiVersion: example.com/v1, kind: MyApp, metadata: {name: shop}, spec: {image: nginx, port: 80}}`

// change is an object with one field set, by its path, to YAML; "": taken out.
func change(t *testing.T, text, path, value string) map[string]any {
	t.Helper()
	o := object(t, text)
	at, names := o, strings.Split(path, ".")
	for _, n := range names[:len(names)-1] {
		next, ok := at[n].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[n] = next
		}
		at = next
	}
	delete(at, names[len(names)-1])
	if value != "" {
		at[names[len(names)-1]] = object(t, "v: "+value)["v"]
	}
	return o
}

func kindOf(t *testing.T, o map[string]any) *Kind {
	t.Helper()
	k := Of(o["apiVersion"].(string), o["kind"].(string))
	if k == nil {
		t.Fatalf("%v is of no kind", o)
	}
	return k
}

// That the words are the API server's own is tested in testbed/crdtest, against it.
func TestValidate(t *testing.T) {
	for _, c := range []struct{ base, path, value, want string }{
		{database, "spec.storageGB", "100", ""},
		{database, "spec.storageGB", "15", "spec.storageGB: Invalid value: 15: storageGB is 10 to 32000 in steps of 10"},
		{database, "spec.storageGB", `"100"`, `spec.storageGB: Invalid value: "string": spec.storageGB in body must be of type integer: "string"`},
		{database, "spec.storageGB", "", "spec.storageGB: Required value"},
		{database, "spec.storageGB", "null", `spec.storageGB: Invalid value: "null": spec.storageGB in body must be of type integer: "null"`},
		{database, "spec.storageGb", "1", `spec.storageGb: Forbidden: unknown field "spec.storageGb"`},
		{database, "spec.chargeType", "Never", `spec.chargeType: Unsupported value: "Never": supported values: "PostpaidByHour", "Prepaid"`},
		{database, "spec.chargeType", "null", ""}, // the default takes its place
		{database, "spec.site", strings.Repeat("x", 64), "spec.site: Too long: may not be more than 63 bytes"},
		{database, "spec.securityGroupIDs", "[sg-1, sg-1]", `spec.securityGroupIDs[1]: Duplicate value: "sg-1"`},
		{database, "spec.securityGroupIDs", "{}", `spec.securityGroupIDs: Invalid value: "object": spec.securityGroupIDs in body must be of type array: "object"`},
		{database, "spec.maintenanceWindow", "2-4", `spec.maintenanceWindow: Invalid value: "2-4": maintenanceWindow is two times of day like '02:00-04:00'`},
		{database, "spec.tags", "{a: 1}", `spec.tags.a: Invalid value: "integer": spec.tags.a in body must be of type string: "integer"`},
		{database, "metadata.name", "", "metadata.name: Required value: name or generateName is required"},
		{database, "metadata.name", "Orders", "metadata.name: Invalid value: \"Orders\": a lowercase RFC 1123 subdomain"},
		{database, "metadata.namespace", "Shop", "metadata.namespace: Invalid value: \"Shop\": a lowercase RFC 1123 label"},
		{database, "metadata.labels", "{a b: c}", "metadata.labels: Invalid value: \"a b\": name part must consist of"},
		{database, "metadata.labels", "{a: c d}", "metadata.labels: Invalid value: \"c d\": a valid label must be"},
		{database, "metadata.labels", "{a: 1}", `metadata.labels[a]: Invalid value: "integer": must be of type string`},
		{database, "metadata.annotations", "x", `metadata.annotations: Invalid value: "string": must be a map of strings`},
		{database, "metadata.name", strings.Repeat("x", 53), "<nil>: Invalid value: metadata.name is at most 52 characters long"},
		{app, "spec.replicas", "3", ""},
		{app, "spec.replicas", "1.5", `spec.replicas: Invalid value: "number": spec.replicas in body must be of type integer: "number"`},
		{app, "spec.ports", "[{name: a, port: 1}, {name: a, port: 2}]", `spec.ports[1]: Duplicate value: {"name":"a"}`},
		{app, "spec.ports", "[x]", `spec.ports[0]: Invalid value: "string": spec.ports[0] in body must be of type object: "string"`},
		{app, "spec.resources", "{limits: {cpu: true}}", `spec.resources.limits.cpu: Invalid value: "boolean": spec.resources.limits.cpu in body must be of type integer,string: "boolean"`},
		{app, "spec.nodeSelector", `{disk: "very fast"}`, `spec.nodeSelector[disk]: Invalid value: "very fast": a label's value is letters, digits`},
		{app, "status", "{phase: 7}", ""}, // the API server does not look at it either
	} {
		o := change(t, c.base, c.path, c.value)
		k := kindOf(t, o)
		k.Default(o)
		errs := k.Validate(o, nil)
		switch {
		case c.want == "" && len(errs) > 0:
			t.Errorf("%s: %s: %v", c.path, c.value, errs)
		case c.want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), strings.TrimPrefix(c.want, "<nil>: "))):
			t.Errorf("%s: %s: %v, want %s", c.path, c.value, errs, c.want)
		}
	}
}

func TestTransitions(t *testing.T) {
	old := object(t, database)
	old["status"] = map[string]any{"instanceID": "postgres-1"}
	k := kindOf(t, old)
	k.Default(old)
	for _, c := range []struct{ path, value, want string }{
		{"spec.storageGB", "200", ""},
		{"spec.storageGB", "50", "storageGB can grow but never shrink"},
		{"spec.subnetID", "subnet-2", "subnetID is immutable"},
		{"spec.region", "ap-shanghai", "region is immutable"},
		{"spec.engineVersion", `"13"`, "engineVersion cannot go back"},
		{"spec.chargeType", "Prepaid", "chargeType is immutable"},
	} {
		o := change(t, database, c.path, c.value)
		k.Default(o)
		errs := k.Validate(o, old)
		if c.want == "" && len(errs) > 0 || c.want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), c.want)) {
			t.Errorf("%s: %s: %v, want %q", c.path, c.value, errs, c.want)
		}
	}
	// What was wrong before is not refused while it stays as it is.
	wrong := change(t, database, "spec.instanceClass", "huge")
	wrong["spec"].(map[string]any)["site"] = strings.Repeat("x", 70)
	better := change(t, database, "spec.instanceClass", "huge")
	better["spec"].(map[string]any)["site"] = strings.Repeat("x", 70)
	better["spec"].(map[string]any)["deletionPolicy"] = "Retain"
	k.Default(wrong)
	k.Default(better)
	if errs := k.Validate(better, wrong); len(errs) > 0 {
		t.Errorf("an old fault: %v", errs)
	}
}

func TestSamplesAreTaken(t *testing.T) {
	files, err := filepath.Glob("../k3s/samples/*.yaml")
	more, _ := filepath.Glob("../k3s/samples/apps/*.yaml")
	if files = append(files, more...); err != nil || len(files) < 10 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range bytes.Split(data, []byte("\n---\n")) {
			o := object(t, string(document))
			version, _ := o["apiVersion"].(string)
			kind, _ := o["kind"].(string)
			k := Of(version, kind)
			if k == nil {
				continue
			}
			k.Default(o)
			if errs := k.Validate(o, nil); len(errs) > 0 {
				t.Errorf("%s: %v", f, errs)
			}
		}
	}
}

// Whatever a CRD says is something that this package knows.
func TestKeywordsAreKnown(t *testing.T) {
	known := strings.Fields(`description properties type default maxLength minLength x-kubernetes-validations enum items maxItems x-kubernetes-list-type
		format additionalProperties maxProperties required minimum pattern x-kubernetes-list-map-keys anyOf x-kubernetes-int-or-string`)
	var look func(path string, v any)
	look = func(path string, v any) {
		m, _ := v.(map[string]any)
		for word, below := range m {
			if !slices.Contains(known, word) {
				t.Errorf("%s: nothing here knows the keyword %s", path, word)
			}
			switch word {
			case "properties":
				for name, p := range below.(map[string]any) {
					look(path+"."+name, p)
				}
			case "items", "additionalProperties":
				look(path+"[]", below)
			case "format": // of what Mote writes itself, and the API server checks
				if !strings.HasPrefix(path, ".status") && !strings.HasPrefix(path, ".spec") {
					t.Errorf("%s has a format", path)
				}
			case "anyOf":
				if m["x-kubernetes-int-or-string"] != true {
					t.Errorf("%s: anyOf is known only of int-or-string", path)
				}
			case "x-kubernetes-validations":
				for _, r := range below.([]any) {
					for field := range r.(map[string]any) {
						if !slices.Contains([]string{"rule", "message", "fieldPath"}, field) {
							t.Errorf("%s: a rule has %s", path, field)
						}
					}
				}
			}
		}
	}
	for _, document := range bytes.Split(crd.All(), []byte("\n---\n")) {
		var d struct {
			Spec struct {
				Versions []struct{ Schema map[string]any }
			}
		}
		if err := yaml.Unmarshal(document, &d); err != nil || len(d.Spec.Versions) != 1 {
			t.Fatal(d, err)
		}
		look("", d.Spec.Versions[0].Schema["openAPIV3Schema"])
	}
}

func TestNames(t *testing.T) {
	for _, alias := range []string{"pgdb", "postgresdb", "postgresdbs", "postgresdbs.database.example.com"} {
		if k := Named(alias); k == nil || k.Name != "PostgresDB" {
			t.Errorf("%s is %v", alias, k)
		}
	}
	if k := Named("mapp"); k == nil || k.APIVersion() != "example.com/v1" {
		t.Error(k)
	}
	if Named("pods") != nil || Of("v1", "Pod") != nil || Of("example.com/v2", "MyApp") != nil {
		t.Error("another kind is one of ours")
	}
}
