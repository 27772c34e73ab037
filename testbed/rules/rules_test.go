package rules

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"
)

var ops = filepath.Join("..", "..", "k3s", "ops")

func file(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(ops, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// served is how names look of which e2e checks, by this very pattern, that Mote
// serves them.
var served = regexp.MustCompile(`\b(mote|workqueue|controller_runtime|rest_client|leader_election|process|go)_[a-z0-9_]+\b`)

// checkExpr: an expression parses, and asks for nothing but what e2e checks.
func checkExpr(t *testing.T, where, expr string) {
	t.Helper()
	for name, value := range map[string]string{"$__rate_interval": "5m", "$instance": ".*"} { // as Grafana fills them in
		expr = strings.ReplaceAll(expr, name, value)
	}
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		t.Errorf("%s: %s: %v", where, expr, err)
		return
	}
	found := served.FindAllString(expr, -1)
	n := 0
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		v, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		n++
		if v.Name == "" || !slices.Contains(found, v.Name) {
			t.Errorf("%s: nobody checks that there is a metric %q", where, v.Name)
		}
		for _, m := range v.LabelMatchers {
			if m.Name != model.MetricNameLabel && m.Name != "instance" && !slices.Contains(known, m.Name) {
				t.Errorf("%s: %s has no label %s", where, v.Name, m.Name)
			}
		}
		return nil
	})
	if n == 0 {
		t.Errorf("%s: %s asks for no metric", where, expr)
	}
}

// known are Mote's labels that may be asked for.
var known = []string{"kind", "phase", "class", "name", "outcome", "by", "code"}

func parse(rules []byte) (*rulefmt.RuleGroups, []error) {
	return rulefmt.Parse(rules, false, model.LegacyValidation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
}

func TestAlerts(t *testing.T) {
	groups, errs := parse(file(t, "alerts.yaml"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	names := map[string]bool{}
	for _, g := range groups.Groups {
		for _, r := range g.Rules {
			checkExpr(t, r.Alert, r.Expr)
			if names[r.Alert] || !strings.HasPrefix(r.Alert, "Mote") {
				t.Errorf("%q is there twice, or is not Mote's", r.Alert)
			}
			names[r.Alert] = true
			if s := r.Labels["severity"]; s != "page" && s != "ticket" {
				t.Errorf("%s: severity %q", r.Alert, s)
			}
			if !strings.HasSuffix(r.Annotations["summary"], ".") || r.Annotations["description"] == "" {
				t.Errorf("%s: it says %q", r.Alert, r.Annotations)
			}
		}
	}
	if len(names) < 15 {
		t.Errorf("%d alerts", len(names))
	}
	t.Logf("%d alerts", len(names))
}

// What is wrong is found: the parsers are no rubber stamp.
func TestParsersRefuse(t *testing.T) {
	for _, text := range []string{
		"groups: [{name: a, rules: [{alert: A, expr: 'sum(('}]}]",
		"groups: [{name: a, rules: [{alert: A, expr: up, for: soon}]}]",
		"groups: [{name: a, rules: [{alert: A, expr: up, annotations: {summary: '{{ $labels.'}}]}]",
		"groups: [{name: a}, {name: a}]",
		"groups: [{name: a, more: b}]",
	} {
		if _, errs := parse([]byte(text)); len(errs) == 0 {
			t.Errorf("%s is taken", text)
		}
	}
}

type dashboard struct {
	UID, Title string
	Templating struct {
		List []struct{ Name, Type, Query string }
	}
	Annotations struct{ List []struct{ Expr string } }
	Panels      []struct {
		ID                       int
		Type, Title, Description string
		Datasource               struct{ UID string }
		GridPos                  struct{ X, Y, W, H int }
		Targets                  []struct {
			RefID, Expr, LegendFormat string
			Datasource                struct{ UID string }
		}
	}
}

func TestDashboard(t *testing.T) {
	var d dashboard
	if err := json.Unmarshal(file(t, "dashboard.json"), &d); err != nil {
		t.Fatal(err)
	}
	if d.UID == "" || d.Title == "" {
		t.Error("no uid or title")
	}
	variables := map[string]string{}
	for _, v := range d.Templating.List {
		variables[v.Name] = v.Type
		if v.Type == "query" && !served.MatchString(v.Query) {
			t.Errorf("variable %s asks for %s", v.Name, v.Query)
		}
	}
	if variables["datasource"] != "datasource" || variables["instance"] != "query" {
		t.Errorf("variables: %v", variables)
	}
	for _, a := range d.Annotations.List {
		checkExpr(t, "annotation", a.Expr)
	}
	ids, places, graphs := map[int]bool{}, map[[2]int]string{}, 0
	for _, p := range d.Panels {
		if p.ID <= 0 || ids[p.ID] || p.Title == "" {
			t.Errorf("panel %q has id %d", p.Title, p.ID)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := places[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("%s lies over %s", p.Title, other)
				}
				places[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		graphs++
		if p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 || p.Description == "" {
			t.Errorf("%s: data source %q, %d targets, %q", p.Title, p.Datasource.UID, len(p.Targets), p.Description)
		}
		refs := map[string]bool{}
		for _, target := range p.Targets {
			checkExpr(t, p.Title, target.Expr)
			if refs[target.RefID] || target.LegendFormat == "" || target.Datasource.UID != "${datasource}" || !strings.Contains(target.Expr, `instance=~"$instance"`) {
				t.Errorf("%s: %+v", p.Title, target)
			}
			refs[target.RefID] = true
		}
	}
	if graphs < 20 {
		t.Errorf("%d panels", graphs)
	}
	t.Logf("%d panels", graphs)
}

// Where the manual names an alert, there is one.
func TestAlertsInTheManual(t *testing.T) {
	var rules struct {
		Groups []struct{ Rules []struct{ Alert string } }
	}
	if err := yaml.Unmarshal(file(t, "alerts.yaml"), &rules); err != nil {
		t.Fatal(err)
	}
	manual, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, m := range regexp.MustCompile("`(Mote[A-Z][A-Za-z]+)`").FindAllSubmatch(manual, -1) {
		named = append(named, string(m[1]))
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if i := slices.Index(named, r.Alert); i < 0 {
				t.Errorf("docs/operations.md does not name %s", r.Alert)
			} else {
				named = slices.Delete(named, i, i+1)
			}
		}
	}
	if len(named) > 0 {
		t.Errorf("docs/operations.md names %v", named)
	}
}
