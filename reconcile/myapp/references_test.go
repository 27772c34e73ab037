package myapp

import (
	"slices"
	"testing"

	"example.com/mote/crd/examplev1"
)

func TestReferencesOf(t *testing.T) {
	want := []reference{{"ConfigMap", "mode", true}, {"ConfigMap", "more", false}, {"Secret", "db", false}, {"Secret", "tls", false}}
	if got := referencesOf(newApp(referring)); !slices.Equal(got, want) {
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
