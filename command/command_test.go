package command

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/mote/look"
	"example.com/mote/schema"
)

func noEnv(string) string { return "" }

// mote has no work to do.
var mote Program

// Whatever is wrong with a command line is told in one line, with exit code 2.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		args []string
		env  map[string]string
		want string
	}{
		{args: []string{"fly"}, want: `there is no command "fly"`},
		{args: []string{"version", "now"}, want: `version: takes no arguments, but was given "now"`},
		{args: []string{"crds", "--x"}, want: "crds: takes no arguments"},
		{args: []string{"run", "--colour=red"}, want: "run: there is no flag --colour"},
		{args: []string{"run", "now"}, want: `takes flags only, but was given "now"`},
		{args: []string{"run", "--workers=0"}, want: "--workers 0: it is 1 to 1000"},
		{args: []string{"run", "--workers=many"}, want: `run: --workers "many": it is a whole number (see mote run --help)`},
		{args: []string{"run", "--log-level=loud"}, want: `--log-level "loud": it is debug, info, warn or error`},
		{args: []string{"run", "--poll-interval=9"}, want: `--poll-interval "9": it is a time like 30s or 5m`},
		{args: []string{"run", "--explain=often"}, want: `--explain "often": it is true or false`},
		{args: []string{"run", "--region"}, want: "--region needs a value"},
		{args: []string{"run"}, env: map[string]string{"MOTE_LOG_LEVEL": "loud"}, want: `MOTE_LOG_LEVEL="loud": it is debug, info, warn or error`},
		{args: []string{"status", "-R"}, want: "there is no flag -R (see"},
		{args: []string{"status", "-n"}, want: "-n needs a value"},
		{args: []string{"help", "fly"}, want: `there is no command "fly"`},
		{args: []string{"completion"}, want: "which shell? bash, zsh or fish"},
		{args: []string{"manifests", "--watch-namespace=Foo"}, want: `--watch-namespace "Foo"`},
		{args: []string{"manifests", "--image="}, want: "--image is given, but empty"},
		{args: []string{"manifests", "-o", ""}, want: "-o is given, but empty"},
		{args: []string{"manifests", "--field-selector=spec.foo=x"}, want: "no API server selects both kinds by spec.foo (there are metadata.name, metadata.namespace, spec.site, status.phase)"},
		{args: []string{"manifests", "--field-selector=spec.region=ap-x"}, want: "by spec.region"},
		{args: []string{"run", "--log-format=xml"}, want: `--log-format "xml": it is text, json or auto`},
		{args: []string{"run", "--label-selector=a in b"}, want: `--label-selector "a in b"`},
		{args: []string{"run", "--field-selector=spec.site"}, want: `--field-selector "spec.site"`},
		{args: []string{"run", "--site=a,b=c"}, want: `--site "a,b=c"`},
		{args: []string{"run", "--site=Edge_01"}, want: `--site "Edge_01"`},
		{args: []string{"run", "--namespace=No Such"}, want: `--namespace "No Such"`},
		{args: []string{"run", "--lease-namespace=a/b"}, want: `--lease-namespace "a/b"`},
		{args: []string{"run", "--lease-name=-x"}, want: `--lease-name "-x"`},
		{args: []string{"run", "--site=a", "--field-selector=spec.site=b"}, want: `spec.site cannot be "a" and "b" at once`},
		{args: []string{"run", "--credentials-secret=one"}, want: "it is namespace/name"},
		{args: []string{"run", "--credentials-secret=a/b", "--credentials-dir=c"}, want: "exclude each other"},
		{args: []string{"run", "--poll-interval=1ms"}, want: "--poll-interval 1ms: at least 100ms"},
		{args: []string{"run", "--lease-duration=1s"}, want: "--lease-duration 1s: at least 3s"},
		{args: []string{"run", "--explain"}, want: "--explain goes with --listen-address"},
		{args: []string{"status", "-o", "xml"}, want: `--output "xml": it is one of text, json, yaml`},
		{args: []string{"status", "-w", "pgdb/a", "pgdb/b"}, want: "--watch goes with one name"},
		{args: []string{"status", "-R"}, want: "there is no flag -R (see"},
		{args: []string{"explain", "pgdb", "a", "b"}, want: "given 2 names"},
		{args: []string{"explain"}, want: "explains one object"},
		{args: []string{"explain", "pgdb"}, want: "explains one object, like pgdb/orders"},
		{args: []string{"explain", "pods/x"}, want: `there is no kind "pods" here`},
		{args: []string{"explain", "pgdb/"}, want: "the name is missing"},
		{args: []string{"explain", "pgdb/x", "--fly"}, want: "there is no flag --fly"},
		{args: []string{"status", "-A", "-n", "x"}, want: "exclude each other"},
		{args: []string{"status", "-l", "a in b"}, want: `--selector "a in b"`},
		{args: []string{"status", "-A", "pgdb/x"}, want: "a name goes without --selector"},
		{args: []string{"completion", "tcsh"}, want: `one of bash, zsh and fish, but was given "tcsh"`},
		{args: []string{"run"}, env: map[string]string{"MOTE_WORKERS": "x"}, want: `MOTE_WORKERS="x"`},
		{args: []string{"run", "--cloud-endpoint=ftp://x"}, want: "--cloud-endpoint"},
		{args: []string{"run", "--region=Nowhere"}, want: `--region "Nowhere": a region looks like ap-guangzhou`},
		{args: []string{"check", "now"}, want: `check: takes flags only, but was given "now"`},
		{args: []string{"check", "-o=xml"}, want: `-o "xml": it is text or json`},
		{args: []string{"check", "--colour"}, want: "there is no flag --colour (see mote check --help)"},
		{args: []string{"check"}, env: map[string]string{"MOTE_WORKERS": "x"}, want: `MOTE_WORKERS="x"`},
		{args: []string{"manifests", "now"}, want: `manifests: takes flags only, but was given "now"`},
		{args: []string{"manifests", "--listen-address=:1"}, want: "there is no flag --listen-address (see mote manifests --help)"},
		{args: []string{"manifests", "--site=A"}, want: `--site "A"`},
		{args: []string{"manifests", "--image=a b"}, want: `--image "a b"`},
		{args: []string{"manifests", "--namespace=a/b"}, want: `--namespace "a/b"`},
		{args: []string{"manifests", "--lease-duration=1s"}, want: "--lease-duration 1s"},
		{args: []string{"manifests", "--credentials-secret=a/B"}, want: `"B" is no name of a Secret`},
		{args: []string{"manifests", "--credentials-secret=a/b", "--credentials-env=c"}, want: "exclude each other"},
		{args: []string{"run", "--listen-address=8080"}, want: `--listen-address "8080": listen tcp: address 8080: missing port`},
		{args: []string{"run", "--listen-address=192.0.2.1:8080"}, want: `--listen-address "192.0.2.1:8080"`},
	} {
		var out, errs bytes.Buffer
		code := mote.do(context.Background(), c.args, func(k string) string { return c.env[k] }, &out, &errs)
		if code != exitUsage || !strings.Contains(errs.String(), c.want) || strings.Count(errs.String(), "\n") != 1 || out.Len() > 0 {
			t.Errorf("%q: exit %d, stdout %q, stderr %q; want exit 2 and one line with %q", c.args, code, out.String(), errs.String(), c.want)
		}
	}
}

func TestCommands(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string
	}{
		{"version", []string{"mote dev go"}},
		{"--version", []string{"mote dev go"}},
		{"version --help", []string{"Usage: mote version\n\nPrint the version.\n"}},
		{"crds --help", []string{"Usage: mote crds\n"}},
		{"help help", []string{"Usage: mote help\n"}},
		{"help plan", []string{"Usage: mote plan", "-f, --filename file", "\n\nFlags of the controller", "--region is\nMOTE_REGION"}},
		{"plan --help", []string{"--context context", "-n, --namespace namespace", "-l, --selector selector"}},
		{"completion -h", []string{"Usage: mote completion bash|zsh|fish\n"}},
		{"completion bash", []string{"-o) COMPREPLY=($(compgen -f", "-o) COMPREPLY=($(compgen -W \"text json yaml\""}},
		{"help", []string{"mote run [flags]", "mote crds"}},
		{"--help", []string{"mote run [flags]", "mote crds"}},
		{"run --help", []string{"--region region", "--log-level level", "(default: info)", "MOTE_LOG_LEVEL"}},
		{"check --help", []string{"--self", "-o format", "--region region", "MOTE_LOG_LEVEL", "Flags of mote run"}},
		{"check --self", []string{"ok       embedded kinds", "RFC 4231"}},
		{"manifests --help", []string{"--image image", "-o folder", "--region region"}},
		{"manifests --samples", []string{"kind: PostgresDB", "kind: MyApp"}},
		{"manifests --image=mote:x", []string{"name: postgresdbs.database.example.com", "image: mote:x"}},
		{"crds", []string{"name: postgresdbs.database.example.com", "name: myapps.example.com"}},
	} {
		var out, errs bytes.Buffer
		if code := mote.do(context.Background(), strings.Fields(c.args), noEnv, &out, &errs); code != exitOK || errs.Len() > 0 {
			t.Errorf("%s: exit %d, stderr %q", c.args, code, errs.String())
		}
		for _, w := range c.want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("%s: no %q in %q", c.args, w, out.String())
			}
		}
	}
}

// Of a plan 2 says that there are changes, so a wrong command line is 1.
func TestPlanRefused(t *testing.T) {
	for args, want := range map[string]string{
		"-f a.yaml pgdb/x": "--filename goes without names", "--no-cluster": "--no-cluster goes with --filename only", "-o table": "it is one of text, json, yaml",
		"--credentials-secret a": "it is namespace/name", "--credentials-secret a/b --credentials-dir c": "exclude each other",
	} {
		var out, errs bytes.Buffer
		if code := mote.do(context.Background(), append([]string{"plan"}, strings.Fields(args)...), noEnv, &out, &errs); code != exitError || !strings.Contains(errs.String(), want) || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%s: exit %d, %s%s", args, code, out.String(), errs.String())
		}
	}
}

// What the environment says of mote run's namespace is what is served, not what is
// looked at; the region is the same.
func TestLookingFromTheEnvironment(t *testing.T) {
	env := map[string]string{"MOTE_REGION": "ap-shanghai", "MOTE_NAMESPACE": "served", "MOTE_CREATE_GRACE": "1m"}
	l, err := parseLooking("plan", []string{"pgdb/orders", "-n", "shop", "web"}, func(k string) string { return env[k] })
	if err != nil || l.Region != "ap-shanghai" || l.namespace != "shop" || l.createGrace != time.Minute || len(l.which) != 2 || l.which[0].Kind.Name != "PostgresDB" || l.which[1].Name != "web" {
		t.Errorf("%+v, %v", l, err)
	}
	if l, err = parseLooking("plan", nil, func(k string) string { return env[k] }); err != nil || l.namespace != "" {
		t.Errorf("%+v, %v", l, err)
	}
}

// A kind and then names is how kubectl has it.
func TestJoinedNames(t *testing.T) {
	for in, want := range map[string]string{"": "", "pgdb": "pgdb", "orders": "orders", "pgdb orders": "pgdb/orders", "pgdb orders web": "pgdb/orders pgdb/web",
		"pgdb mapp": "pgdb mapp", "orders web": "orders web", "pgdb mapp/web": "pgdb mapp/web", "pgdb/a web": "pgdb/a web"} {
		if got := strings.Join(joined(strings.Fields(in)), " "); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// A plan says when it is a plan of nothing.
func TestPlanOfNothing(t *testing.T) {
	plan := func(env map[string]string, args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		s := surroundings{stdin: strings.NewReader("# nothing\n"), stdout: &out, stderr: &errs, env: func(k string) string { return env[k] }}
		return planCommand(t.Context(), args, s), out.String(), errs.String()
	}
	if code, _, errs := plan(nil, "-f", "-", "--no-cluster", "--no-cloud"); code != 1 || !strings.Contains(errs, "standard input has no manifest") {
		t.Errorf("of nothing: exit code %d, %s", code, errs)
	}
	t.Setenv("KUBECONFIG", "/no/such/file")
	if code, _, errs := plan(map[string]string{"KUBECONFIG": "/no/such/file"}, "-f", "-", "--no-cloud"); code != 1 || !strings.Contains(errs, "no cluster to work for") {
		t.Errorf("a kubeconfig that is not there: exit code %d, %s", code, errs)
	}
	for _, c := range []struct {
		w    look.Which
		want string
	}{
		{look.Which{Namespace: "x"}, "nothing matched: there is no object of Mote's kinds in namespace x"},
		{look.Which{Kind: schema.Named("mapp"), Selector: "a=b"}, "nothing matched: there is no MyApp with the labels a=b in any namespace"},
	} {
		if got := noMatch(c.w); got != c.want {
			t.Errorf("%+v: %s", c.w, got)
		}
	}
	if got := naming(look.Which{Namespace: "x", Name: "fresh.yaml"}, look.ErrNone); got != "x/fresh.yaml: there is no such object; did you mean -f fresh.yaml?" {
		t.Error(got)
	}
}

// A flag wins over the environment, and the environment over the default.
func TestPrecedence(t *testing.T) {
	env := map[string]string{"MOTE_WORKERS": "3", "MOTE_SITE": "edge-01", "MOTE_LOG_LEVEL": "debug"}
	o, err := ParseRun([]string{"--workers", "5", "--field-selector", "status.phase=Failed"}, func(k string) string { return env[k] })
	if err != nil {
		t.Fatal(err)
	}
	if o.Workers != 5 || o.site != "edge-01" || o.logLevel != slog.LevelDebug || o.PollInterval != 10*time.Second {
		t.Errorf("workers %d, site %q, level %v, poll %v", o.Workers, o.site, o.logLevel, o.PollInterval)
	}
	if _, field := o.selectors(); field != "status.phase=Failed,spec.site=edge-01" {
		t.Errorf("field selector %q", field)
	}
}

// Each shard has a Lease of its own; the same selection has the same.
func TestLeaseName(t *testing.T) {
	names := map[string]bool{}
	for _, sel := range [][2]string{{"", ""}, {"", "spec.site=a"}, {"", "spec.site=b"}, {"spec.site=a", ""}} {
		o := RunOptions{labelSelector: sel[0], fieldSelector: sel[1]}
		_, n := o.Lease()
		if _, again := o.Lease(); names[n] || n != again {
			t.Errorf("%q: the name %q is not its own", sel, n)
		}
		names[n] = true
	}
	if !names["mote"] {
		t.Error("without a selection the Lease is not called mote")
	}
	o := RunOptions{leaseName: "mine", fieldSelector: "spec.site=a"}
	if _, n := o.Lease(); n != "mine" {
		t.Errorf("--lease-name is not used: %q", n)
	}
}

// Help fits a screen: no line is wider than widest, and the commands stand in columns.
func TestHelpIsNarrow(t *testing.T) {
	for _, c := range subcommands() {
		var out, errs bytes.Buffer
		mote.do(context.Background(), []string{"help", c.name}, noEnv, &out, &errs)
		for line := range strings.Lines(out.String()) {
			if n := len(strings.TrimSuffix(line, "\n")); n > widest {
				t.Errorf("%s: %d columns: %s", c.name, n, line)
			}
		}
	}
	column := 0
	for line := range strings.Lines(usage()) {
		for _, c := range subcommands() {
			if at := strings.Index(line, "  "+c.what); at > 0 {
				if column == 0 {
					column = at
				}
				if at != column {
					t.Errorf("column %d, not %d: %s", at, column, line)
				}
			}
		}
	}
}

// A context other than the current one gives its cluster and its namespace; one that is
// not there is an error, for manifests too.
func TestContext(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(`{apiVersion: v1, kind: Config, current-context: a, clusters: [{name: a, cluster: {server: "http://a"}}, {name: b, cluster: {server: "http://b"}}],
contexts: [{name: a, context: {cluster: a}}, {name: b, context: {cluster: b, namespace: shop}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for context, want := range map[string][2]string{"": {"http://a", "default"}, "b": {"http://b", "shop"}} {
		l := &looking{context: context}
		l.kubeconfig = file
		if config, err := l.clusterToLookAt(); err != nil || config.Host != want[0] || l.home() != want[1] {
			t.Errorf("%q: %+v, %v, %s", context, config, err, l.home())
		}
	}
	t.Setenv("KUBECONFIG", file)
	var out, errs bytes.Buffer
	if code := mote.do(context.Background(), []string{"plan", "-f", file, "--context", "c"}, noEnv, &out, &errs); code != exitError || !strings.Contains(errs.String(), `--context "c"`) {
		t.Errorf("exit %d, %s%s", code, out.String(), errs.String())
	}
}
