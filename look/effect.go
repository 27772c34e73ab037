package look

import (
	"strings"

	"example.com/mote/crd/databasev1"
	"example.com/mote/crd/examplev1"
	"example.com/mote/forecast"
	"example.com/mote/schema"
)

// effects says what each change of a field does beyond itself. It is said only where a
// step follows that does so: not of what is refused, of an object that goes, or of a
// field that asks for what is there already.
func effects(k *schema.Kind, o *forecast.Object) {
	if len(o.Errors) > 0 || o.Then.Gone {
		return
	}
	for n := range o.Fields {
		o.Fields[n].Effect = effectOf(k, o.Fields[n], o.Steps)
	}
}

// following are the steps, any of which must follow the change of a field of a database
// for it to have the effect.
var following = map[string]struct {
	steps, effect string
}{
	"instanceClass":      {"Resize", "restarts the database"},
	"storageGB":          {"Resize", "restarts the database; it cannot shrink again"},
	"engineVersion":      {"Upgrade", "restarts the database"},
	"deletionProtection": {"Protect Unprotect", "without interruption"},
	"tags":               {"SetTags", "without interruption"},
	"securityGroupIDs":   {"SetGroups", "without interruption"},
}

// effectOf is what the change of a field does beyond itself, given what follows.
func effectOf(k *schema.Kind, f forecast.Field, steps []forecast.Step) string {
	path, of := strings.CutPrefix(f.Path, "spec.")
	if !of || f.Refused != "" {
		return ""
	}
	top, _, _ := strings.Cut(path, ".")
	top, _, _ = strings.Cut(top, "[")
	if k.Name == examplev1.Kind {
		return appEffect(top, steps)
	}
	if top == "deletionPolicy" && f.After == databasev1.DeletionDelete {
		return "from now on, deleting the object destroys the data: that cannot be undone"
	}
	if was, ok := f.Was.(int64); ok && top == "storageGB" {
		if is, ok := f.Is.(int64); ok && is < was {
			return "what the instance has stays"
		}
	}
	x := following[top]
	s := follows(steps, strings.Fields(x.steps)...)
	switch {
	case s == nil:
		return ""
	case s.Final:
		return x.effect + "; a major upgrade cannot be undone"
	}
	return x.effect
}

// appEffect is what the change of a field of an app does.
func appEffect(top string, steps []forecast.Step) string {
	s := follows(steps, "Apply Deployment")
	switch top {
	case "replicas":
		if s != nil {
			return "scales"
		}
	case "serviceType":
		return "without new pods"
	case "strategy", "progressDeadlineSeconds":
		if s != nil && s.Interrupts == "" {
			return "without new pods"
		}
	case "site":
	default:
		if s != nil {
			return s.Interrupts
		}
	}
	return ""
}

// follows is the first step that does one of these things, and that nobody refuses.
func follows(steps []forecast.Step, names ...string) *forecast.Step {
	for n, s := range steps {
		for _, name := range names {
			if s.Do == name && s.Sign != forecast.Refuse {
				return &steps[n]
			}
		}
	}
	return nil
}
