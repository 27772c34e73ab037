package myapp

import (
	"reflect"
	"slices"
	"testing"

	"example.com/mote/crd/examplev1"
)

func TestReferencesOf(t *testing.T) {
	want := []reference{{"ConfigMap", "mode", true, nil}, {"ConfigMap", "more", false, []string{"x"}},
		{"Secret", "db", false, []string{"password", "uri"}}, {"Secret", "tls", false, nil}}
	more := func(app *examplev1.MyApp) {
		for _, key := range []string{"password", "uri"} {
			app.Spec.Env = append(app.Spec.Env, examplev1.EnvVar{Name: "B_" + key, ValueFrom: &examplev1.ValueFrom{
				SecretKeyRef: &examplev1.KeyReference{Name: "db", Key: key}}})
		}
	}
	if got := referencesOf(newApp(referring, more)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := referencesOf(newApp(tricky)); len(got) > 0 {
		t.Errorf("an app that refers to nothing has %v", got)
	}
}

// A change of what the pods take values from rolls them; its absence does not.
func TestStampRollsPods(t *testing.T) {
	template := func(app *examplev1.MyApp, stamp string) string {
		return hash(desired(app, stamp)[deployment]["spec"].(map[string]any)["template"].(map[string]any))
	}
	app := newApp(referring)
	if template(app, "a") == template(app, "b") {
		t.Error("another stamp does not roll the pods")
	}
}

// Keys are where the API server shows them: what is in neither map is missing.
func TestLacks(t *testing.T) {
	r := reference{kind: "Secret", name: "db", keys: []string{"a", "b", "c"}}
	for name, c := range map[string]struct {
		object string
		want   []string
	}{
		"all":             {`{"data":{"a":"","b":"eA=="},"binaryData":{"c":"eA=="}}`, nil},
		"none":            {`{}`, []string{`key "a" of Secret "db"`, `key "b" of Secret "db"`, `key "c" of Secret "db"`}},
		"one of another":  {`{"data":{"a":"","b":"","C":""}}`, []string{`key "c" of Secret "db"`}},
		"data is no map":  {`{"data":null,"binaryData":{"a":"","b":"","c":""}}`, nil},
		"the key's value": {`{"data":{"x":"a","b":"","c":""}}`, []string{`key "a" of Secret "db"`}},
	} {
		if got := r.lacks(fromJSON(t, c.object)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestNotThere(t *testing.T) {
	for want, things := range map[string][]string{
		"a is not there":           {"a"},
		"a and b are not there":    {"a", "b"},
		"a, b and c are not there": {"a", "b", "c"},
	} {
		if got := notThere(things); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
