package myapp

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/mote/crd/examplev1"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestDesired(t *testing.T) {
	for name, app := range map[string]*examplev1.MyApp{
		"smallest": newApp(func(a *examplev1.MyApp) {
			a.Spec = examplev1.MyAppSpec{Image: "nginx", Port: 80} // as on a server without the CRD's defaults
		}),
		"everything": newApp(tricky, referring, func(a *examplev1.MyApp) {
			a.Spec.ServiceType, a.Spec.ImagePullPolicy = "NodePort", "Always"
		}),
		"no-service": newApp(withoutService, func(a *examplev1.MyApp) { a.Spec.Replicas = ptr(int32(0)) }),
		"longest-name": newApp(withConfig, func(a *examplev1.MyApp) {
			a.Name = "a" + strings.Repeat("-b", 31)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for _, manifest := range wanted(app) {
				if manifest == nil {
					continue
				}
				data, err := json.MarshalIndent(manifest, "", "  ")
				if err != nil {
					t.Fatal(err)
				}
				got.Write(append(data, '\n'))
			}
			file := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("differs from %s; if it should, go test -run TestDesired -update\n%s", file, got.String())
			}
		})
	}
}

// What an app's pods are made from must not depend on what does not concern them:
// any change of the template rolls the pods.
func TestTemplateChangesOnlyForPods(t *testing.T) {
	template := func(changes ...func(*examplev1.MyApp)) string {
		spec := wanted(newApp(append([]func(*examplev1.MyApp){withConfig}, changes...)...))[deployment]["spec"].(map[string]any)
		return hash(spec["template"].(map[string]any))
	}
	before := template()
	for name, c := range map[string]struct {
		change func(*examplev1.MyApp)
		rolls  bool
	}{
		"replicas":   {func(a *examplev1.MyApp) { a.Spec.Replicas = ptr(int32(9)) }, false},
		"service":    {withoutService, false},
		"uid":        {func(a *examplev1.MyApp) { a.UID = "another" }, false},
		"generation": {func(a *examplev1.MyApp) { a.Generation = 9 }, false},
		"image":      {func(a *examplev1.MyApp) { a.Spec.Image = "nginx:2" }, true},
		"config":     {func(a *examplev1.MyApp) { a.Spec.Config["empty"] = " " }, true},
		"no config":  {func(a *examplev1.MyApp) { a.Spec.Config = nil }, true},
	} {
		if rolled := template(c.change) != before; rolled != c.rolls {
			t.Errorf("%s: the pods roll: %v, want %v", name, rolled, c.rolls)
		}
	}
}

func TestNamesAndLabelsFit(t *testing.T) {
	app := newApp(withConfig, func(a *examplev1.MyApp) { a.Name = strings.Repeat("a", 63) })
	for r, m := range wanted(app) {
		meta := m["metadata"].(map[string]any)
		if limit := map[bool]int{true: 253, false: 63}[role(r) == config]; len(meta["name"].(string)) > limit {
			t.Errorf("%s: name %q is longer than %d", kinds[r], meta["name"], limit)
		}
		for k, v := range meta["labels"].(map[string]any) {
			if len(v.(string)) > 63 {
				t.Errorf("%s: label %s is longer than 63", kinds[r], k)
			}
		}
	}
}
