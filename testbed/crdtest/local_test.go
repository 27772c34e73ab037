package crdtest

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"example.com/mote/schema"
)

// judged is what the schema that is in the binary says of a manifest, without a
// server; nil when it is of no kind of ours.
func judged(t *testing.T, manifest string) (errs []string, ours bool) {
	t.Helper()
	if manifest == "" {
		return nil, false
	}
	data, err := utilyaml.ToJSON([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	object := decode(t, data)
	apiVersion, _ := object["apiVersion"].(string)
	name, _ := object["kind"].(string)
	kind := schema.Of(apiVersion, name)
	if kind == nil {
		return nil, false
	}
	var old map[string]any
	meta, _ := object["metadata"].(map[string]any)
	if out, err := server.Kubectl(t.Context(), "", "get", kind.Resource, meta["name"].(string), "-o", "json"); err == nil {
		old = decode(t, []byte(out))
	}
	kind.Default(object)
	for _, e := range kind.Validate(object, old) {
		errs = append(errs, strings.TrimPrefix(e.Error(), e.Field+": Forbidden: unknown field "))
	}
	return errs, true
}

func decode(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(data, &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// agreed compares what the API server said of a manifest (nothing: it took it) with
// what is said without it: the same errors, in the same words.
func agreed(t *testing.T, local []string, refusal string) {
	t.Helper()
	var remote []string
	if _, list, many := strings.Cut(refusal, " is invalid: \n"); many {
		for _, line := range strings.Split(list, "\n") {
			if line, is := strings.CutPrefix(strings.TrimSpace(line), "* "); is && !strings.Contains(line, "some validation rules were not checked") {
				remote = append(remote, line)
			}
		}
	} else if _, one, is := strings.Cut(refusal, " is invalid: "); is {
		remote = append(remote, strings.TrimSpace(one))
	} else if _, field, is := strings.Cut(refusal, "unknown field"); is {
		remote = append(remote, strings.TrimSpace(field))
	} else if refusal != "" {
		t.Fatalf("the refusal cannot be read: %s", refusal)
	}
	slices.Sort(local)
	slices.Sort(remote)
	if !slices.Equal(local, remote) {
		t.Errorf("the API server says\n  %s\nand without it is said\n  %s", strings.Join(remote, "\n  "), strings.Join(local, "\n  "))
	}
}
