package look

import (
	"strings"
	"testing"

	"example.com/mote/forecast"
	"example.com/mote/schema"
)

// A change has the effect of the step that follows it, and none where none follows.
func TestEffects(t *testing.T) {
	db, app := schema.Named("pgdb"), schema.Named("mapp")
	step := func(do string) []forecast.Step { return []forecast.Step{{Sign: forecast.Change, Do: do}} }
	rolls := []forecast.Step{{Sign: forecast.Change, Do: "Apply Deployment", Interrupts: "rolls the pods"}}
	storage := func(was, is any) forecast.Field { return forecast.Compare("spec.storageGB", was, is)[0] }
	for _, c := range []struct {
		k     *schema.Kind
		f     forecast.Field
		steps []forecast.Step
		want  string
	}{
		{db, forecast.Field{Path: "spec.engineVersion", Before: "14", After: "15"}, []forecast.Step{{Do: "Upgrade", Final: true}}, "a major upgrade cannot be undone"},
		{db, forecast.Field{Path: "spec.engineVersion", Before: "14", After: "14.9"}, step("Upgrade"), "restarts the database"},
		{db, forecast.Field{Path: "spec.engineVersion", Before: "14", After: "14.1"}, nil, ""},
		{db, storage(int64(100), int64(200)), step("Resize"), "cannot shrink again"},
		{db, storage(int64(100), int64(200)), nil, ""},
		{db, storage(int64(200), int64(110)), step("Resize"), "what the instance has stays"},
		{db, storage(int64(100), nil), nil, ""},
		{db, forecast.Field{Path: "spec.instanceClass", Before: "3C7G", After: "2C4G"}, nil, ""},
		{db, forecast.Field{Path: "spec.instanceClass", Before: "2C4G", After: "3C7G"}, []forecast.Step{{Sign: forecast.Refuse, Do: "Resize"}}, ""},
		{db, forecast.Field{Path: "spec.instanceClass", After: "x", Refused: "no"}, step("Resize"), ""},
		{db, forecast.Field{Path: "spec.deletionPolicy", After: "Delete"}, nil, "destroys the data"},
		{db, forecast.Field{Path: "spec.deletionPolicy", After: "Retain"}, nil, ""},
		{db, forecast.Field{Path: "spec.tags[a.b]", After: "x"}, step("SetTags"), "without interruption"},
		{db, forecast.Field{Path: "metadata.labels.a", After: "x"}, step("SetTags"), ""},
		{app, forecast.Field{Path: "spec.replicas", After: "3"}, rolls, "scales"},
		{app, forecast.Field{Path: "spec.env[A].value", After: "3"}, rolls, "rolls the pods"},
		{app, forecast.Field{Path: "spec.env[A].value", After: "3"}, step("Apply Deployment"), ""},
		{app, forecast.Field{Path: "spec.env[A].value", After: "3"}, nil, ""},
		{app, forecast.Field{Path: "spec.serviceType", After: "None"}, rolls, "without new pods"},
	} {
		o := forecast.Object{Fields: []forecast.Field{c.f}, Steps: c.steps}
		effects(c.k, &o)
		if got := o.Fields[0].Effect; c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s of %s: %q, want %q", c.f.Path, c.k.Name, got, c.want)
		}
	}
	for _, o := range []forecast.Object{{Then: forecast.Then{Gone: true}}, {Errors: []string{"no"}}} {
		o.Fields, o.Steps = []forecast.Field{{Path: "spec.env[A].value", After: "3"}}, rolls
		if effects(app, &o); o.Fields[0].Effect != "" {
			t.Errorf("%+v has an effect", o)
		}
	}
}
