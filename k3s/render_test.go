package k3s

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the golden files anew")

func options() Options {
	return Options{Name: "mote", Namespace: DefaultNamespace, Image: "registry.example.com/edge/mote:v1.2.3", Version: "v1.2.3",
		Args: []string{"--region=ap-guangzhou"}, Grace: 15 * time.Second,
		Scope: Scope{LeaseNamespace: DefaultNamespace, LeaseName: "mote", SecretNamespace: DefaultNamespace, SecretName: "mote-credentials"}}
}

// Each case is a golden file; `go test ./k3s -update` writes them anew.
var cases = map[string]func(*Options){
	"usual": func(*Options) {},
	"site": func(o *Options) {
		o.Name, o.Args, o.Version = NameFor("edge-01"), []string{"--site=edge-01", `--field-selector=status.phase!="a"`}, "not a label's value"
		o.Scope.LeaseName, o.Scope.SecretNamespace = "mote-0a1b2c3d", "vault"
	},
	"one-namespace": func(o *Options) { o.Scope.Serves, o.Grace = DefaultNamespace, 2500*time.Millisecond },
	"environment": func(o *Options) {
		o.Namespace, o.EnvSecret, o.Scope = "kube-system", "keys", Scope{Serves: "shop", LeaseNamespace: "kube-system", LeaseName: "mote"}
	},
}

func TestGolden(t *testing.T) {
	for name, change := range cases {
		o := options()
		change(&o)
		files, err := Files(o)
		if err != nil {
			t.Fatal(err)
		}
		got := files[1].Data
		golden := filepath.Join("testdata", name+".yaml")
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not as in %s (go test ./k3s -update):\n%s", name, golden, got)
		}
	}
}

// documents are the parts of a stream, strictly parsed.
func documents(t *testing.T, stream []byte) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, d := range strings.Split(string(stream), "\n---\n") {
		var o map[string]any
		if err := yaml.UnmarshalStrict([]byte(d), &o); err != nil {
			t.Fatalf("%v in\n%s", err, d)
		}
		if o != nil {
			all = append(all, o)
		}
	}
	return all
}

func TestFiles(t *testing.T) {
	for name, change := range cases {
		o := options()
		change(&o)
		files, err := Files(o)
		if err != nil {
			t.Fatal(err)
		}
		names := []string{files[0].Name, files[1].Name, Samples().Name}
		if !slices.IsSorted(names) {
			t.Errorf("%s: the order of %q is not that of their paths", name, names)
		}
		for _, n := range names {
			if !regexp.MustCompile(`^[a-z0-9-]+\.yaml$`).MatchString(n) {
				t.Errorf("%s: k3s does not take %q", name, n)
			}
		}
		for _, d := range documents(t, files[0].Data) {
			if d["kind"] != "CustomResourceDefinition" {
				t.Errorf("%s: a %v among the CRDs", name, d["kind"])
			}
		}
		seen := map[string]bool{}
		for _, d := range documents(t, files[1].Data) {
			m := d["metadata"].(map[string]any)
			id := strings.Join([]string{d["kind"].(string), str(m["namespace"]), str(m["name"])}, "/")
			if seen[id] || d["kind"] == "CustomResourceDefinition" {
				t.Errorf("%s: %s has no place here, or is there twice", name, id)
			}
			seen[id] = true
			if l, _ := m["labels"].(map[string]any); d["kind"] != "Namespace" && (l["app.kubernetes.io/instance"] != o.Name || l["app.kubernetes.io/managed-by"] != nil) {
				t.Errorf("%s: labels %v of %s; what is managed by Mote belongs to an app", name, l, id)
			}
		}
		if strings.Contains(string(files[1].Data), "@") {
			t.Errorf("%s: something was not filled in:\n%s", name, files[1].Data)
		}
	}
	if kinds := documents(t, Samples().Data); len(kinds) != 2 || kinds[0]["kind"] != "PostgresDB" || kinds[1]["kind"] != "MyApp" {
		t.Errorf("samples: %v", kinds)
	}
}

func str(v any) string { s, _ := v.(string); return s }

// Two Motes of one cluster have no object in common, but the namespace.
func TestSideBySide(t *testing.T) {
	seen := map[string]string{}
	for _, site := range []string{"", "a", "b", strings.Repeat("x", 63), strings.Repeat("x", 62) + "y"} {
		for _, namespace := range []string{"mote-system", "another"} {
			o := options()
			o.Name, o.Namespace = NameFor(site), namespace
			files, err := Files(o)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range documents(t, files[1].Data) {
				m := d["metadata"].(map[string]any)
				id := strings.Join([]string{d["kind"].(string), str(m["namespace"]), str(m["name"])}, "/")
				if by := seen[id]; by != "" && d["kind"] != "Namespace" {
					t.Errorf("%s is of %s and of %s/%s", id, by, namespace, o.Name)
				}
				seen[id] = namespace + "/" + o.Name
			}
		}
	}
}

// Nothing may list or watch Secrets but the one named, whatever the scope; and no
// rule has a wildcard.
func TestRules(t *testing.T) {
	for _, s := range []Scope{{}, {Serves: "a"}, {LeaseNamespace: "a", LeaseName: "b", SecretNamespace: "c", SecretName: "d"}} {
		for _, r := range Rules(s) {
			listed := slices.Contains(r.Verbs, "list") || slices.Contains(r.Verbs, "watch")
			if r.Group == "" && r.Resource == "secrets" && listed && !slices.Equal(r.Names, []string{"d"}) {
				t.Errorf("%+v lists Secrets", r)
			}
			if strings.Contains(r.Group+r.Resource+strings.Join(r.Verbs, ""), "*") || r.Why == "" || len(r.Verbs) == 0 {
				t.Errorf("%+v", r)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for want, change := range map[string]func(*Options){
		`--name "Mote"`:                       func(o *Options) { o.Name = "Mote" },
		`--name ""`:                           func(o *Options) { o.Name = "" },
		`--namespace "a b"`:                   func(o *Options) { o.Namespace = "a b" },
		`--image "mote: latest"`:              func(o *Options) { o.Image = "mote: latest" },
		`--image ""`:                          func(o *Options) { o.Image = "" },
		`--image "Mote"`:                      func(o *Options) { o.Image = "Mote" },
		`--image "x:1@sha256:12"`:             func(o *Options) { o.Image = "x:1@sha256:12" },
		`"Keys" is no name of a Secret`:       func(o *Options) { o.Scope.SecretName = "Keys" },
		`"" is no namespace`:                  func(o *Options) { o.Scope.SecretNamespace = "" },
		`--credentials-env: "a_b" is no name`: func(o *Options) { o.Scope.SecretName, o.EnvSecret = "", "a_b" },
		"exclude each other":                  func(o *Options) { o.EnvSecret = "keys" },
	} {
		o := options()
		change(&o)
		if files, err := Files(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d files, %v; want an error with %s", len(files), err, want)
		}
	}
	for _, image := range []string{"mote", "example.com/mote:80be2f8-dirty", "localhost:5000/a/b_c/mote:v1", "mote@sha256:" + strings.Repeat("a", 64)} {
		o := options()
		if o.Image = image; o.Check() != nil {
			t.Error(o.Check())
		}
	}
}
