package myapp

import (
	"encoding/json"
	"testing"

	"example.com/mote/crd/examplev1"
)

// A Service leads to pods of two templates at once: by name where they have the
// port under one name, by number where they do not.
func TestLeading(t *testing.T) {
	named := func(name string, number, target int32) func(*examplev1.MyApp) {
		return func(a *examplev1.MyApp) {
			a.Spec.Port, a.Spec.Ports = 0, []examplev1.Port{{Name: name, Port: number, TargetPort: target}}
		}
	}
	targets := func(manifest map[string]any) string {
		var out []any
		for _, p := range asList(asMap(manifest["spec"])["ports"]) {
			out = append(out, p["targetPort"])
		}
		text, _ := json.Marshal(out)
		return string(text)
	}
	for name, c := range map[string]struct {
		before, now func(*examplev1.MyApp)
		numbered    bool // the Service leads by number already
		rolled      bool // all pods are of the present template
		want        string
	}{
		"as ever":                       {named("web", 80, 8080), named("web", 80, 8080), false, true, `["web"]`},
		"renamed":                       {named("http", 80, 8080), named("web", 80, 8080), false, false, `[8080]`},
		"renamed, rolling":              {named("http", 80, 8080), named("web", 80, 8080), true, false, `[8080]`},
		"renamed, rolled":               {named("http", 80, 8080), named("web", 80, 8080), true, true, `["web"]`},
		"another number":                {named("web", 80, 8080), named("web", 80, 9090), false, false, `["web"]`},
		"another number while renaming": {named("web", 80, 8080), named("web", 80, 9090), true, false, `["web"]`},
		"another port of the Service":   {named("web", 80, 8080), named("web", 81, 8080), false, false, `["web"]`},
		"from the simple port":          {func(*examplev1.MyApp) {}, named("web", 8080, 0), false, false, `[8080]`},
	} {
		before, app := newApp(c.before), newApp(c.now)
		kids := allLive(t, app)
		kids[service].live = liveOf(t, wanted(before)[service])
		if c.numbered {
			asList(asMap(kids[service].live.Object["spec"])["ports"])[0]["targetPort"] = portsOf(before)[0].target
		}
		rolledOut(kids[deployment].live, 4, 3, 3, rolling)
		if c.rolled {
			rolledOut(kids[deployment].live, 3, 3, 3, settled)
		}
		manifest := wanted(app)
		text := hash(manifest[service])
		if got := targets(fitted(app, service, manifest, kids)); got != c.want {
			t.Errorf("%s: leads to %s, want %s", name, got, c.want)
		}
		if hash(manifest[service]) != text {
			t.Errorf("%s: the manifest was changed", name)
		}
	}
}
