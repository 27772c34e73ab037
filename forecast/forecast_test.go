package forecast

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestExit(t *testing.T) {
	rest := Object{Then: Then{Phase: "Running", Ready: true}}
	waits := Object{Steps: []Step{{Sign: Wait}}}
	changes := Object{Steps: []Step{{Sign: Wait}, {Sign: Change}}}
	wrong := Object{New: true, Errors: []string{"no"}}
	for _, c := range []struct {
		f    Forecast
		want int
	}{
		{Forecast{}, ExitNothing},
		{Forecast{Objects: []Object{rest, waits}}, ExitNothing},
		{Forecast{Objects: []Object{rest, changes}}, ExitChanges},
		{Forecast{Objects: []Object{{New: true}}}, ExitChanges},
		{Forecast{Objects: []Object{{Fields: []Field{{Path: "spec.x"}}}}}, ExitChanges},
		{Forecast{Objects: []Object{changes, wrong}}, ExitError},
		{Forecast{Objects: []Object{changes}, Errors: []string{"no"}}, ExitError},
	} {
		if got := c.f.Exit(); got != c.want {
			t.Errorf("%+v: exit code %d, want %d", c.f, got, c.want)
		}
	}
}

func TestCosts(t *testing.T) {
	for _, c := range []struct {
		cost *Cost
		want string
	}{
		{Hourly(92, "CNY"), "CNY 0.92 an hour, 671.60 a month"},
		{Monthly(44160, "CNY"), "CNY 0.60 an hour, 441.60 a month"},
		{Monthly(0, "USD"), "USD 0.00 an hour, 0.00 a month"},
		{&Cost{PerHour: 5, PerMonth: 3650, Currency: "CNY", Difference: true}, "CNY +0.05 an hour, +36.50 a month"},
		{&Cost{PerHour: -105, PerMonth: -76650, Currency: "CNY", Difference: true}, "CNY -1.05 an hour, -766.50 a month"},
		{&Cost{Unknown: "no"}, "price unknown: no"},
	} {
		if got := c.cost.String(); got != c.want {
			t.Errorf("%+v: %s, want %s", *c.cost, got, c.want)
		}
	}
	f := Forecast{Objects: []Object{{Steps: []Step{{Cost: Hourly(100, "USD")}, {Cost: Hourly(10, "CNY")}, {}}},
		{Steps: []Step{{Cost: &Cost{PerHour: -30, PerMonth: -21900, Currency: "CNY", Difference: true}}, {Cost: &Cost{Unknown: "no"}}}}}}
	f.Sum()
	want := []Cost{{PerHour: -20, PerMonth: -14600, Currency: "CNY", Difference: true}, {PerHour: 100, PerMonth: 73000, Currency: "USD", Difference: true}}
	if !slices.Equal(f.Total, want) {
		t.Errorf("total %+v, want %+v", f.Total, want)
	}
}

func TestCompare(t *testing.T) {
	type m = map[string]any
	for name, c := range map[string]struct {
		a, b any
		want string
	}{
		"same":            {m{"a": []any{int64(1)}}, m{"a": []any{int64(1)}}, ""},
		"changed":         {m{"a": m{"b": int64(1), "c": "x"}}, m{"a": m{"b": int64(2), "c": "x"}}, "s.a.b 1 2"},
		"added and taken": {m{"a": true}, m{"b": "y"}, "s.a true -,s.b - y"},
		"keys with dots":  {m{"a.b/c": "1"}, m{"a.b/c": "2"}, "s[a.b/c] 1 2"},
		"lists":           {m{"l": []any{"x"}}, m{"l": []any{"x", "y"}}, `s.l ["x"] ["x","y"]`},
		"lists of names":  {m{"l": []any{m{"name": "a", "v": "1"}, m{"name": "b"}}}, m{"l": []any{m{"name": "c"}, m{"name": "a", "v": "2"}}}, `s.l[a].v 1 2,s.l[b] {"name":"b"} -,s.l[c] - {"name":"c"}`},
		"all names":       {m{"l": []any{m{"name": "a", "value": "1"}, m{"name": "b", "value": "", "x": true}}}, m{}, `s.l[a] 1 -,s.l[b] {"name":"b","value":"","x":true} -`},
		"text and number": {m{"a": "100", "b": float64(14.1)}, m{"a": int64(100), "b": "14.1"}, `s.a "100" 100,s.b 14.1 "14.1"`},
		"secrets": {m{"env": []any{m{"name": "DB_PASSWORD", "value": "x"}, m{"name": "MY_TOKEN", "value": "x"}, m{"name": "PLAIN", "value": "1"}}},
			m{"env": []any{m{"name": "DB_PASSWORD", "value": "y"}, m{"name": "PLAIN", "value": "2"}, m{"name": "API_KEY", "valueFrom": m{"secretKeyRef": m{"key": "k"}}}}},
			`s.env[API_KEY] - {"name":"API_KEY","valueFrom":{"secretKeyRef":{"key":"k"}}},s.env[DB_PASSWORD].value (not shown) (not shown),s.env[MY_TOKEN] (not shown) -,s.env[PLAIN].value 1 2`},
		"secrets in lists of no names": {m{"env": []any{m{"name": "A_SECRET", "value": "x"}, m{"name": "A_SECRET", "value": "z"}}}, m{}, `s.env [{"name":"A_SECRET","value":"(not shown)"},{"name":"A_SECRE… -`},
		"secrets of a configuration":   {m{"config": m{"secret.conf": "a", "token": "t", "x": "1"}}, m{"config": m{"secret.conf": "b", "x": "2"}}, "s.config[secret.conf] (not shown) (not shown),s.config.token (not shown) -,s.config.x 1 2"},
		"a whole configuration":        {m{}, m{"config": m{"token": "t", "x": "1"}}, `s.config - {"token":"(not shown)","x":"1"}`},
		"names that are no secrets":    {m{"imagePullSecrets": []any{"a"}, "connectionSecretName": "a"}, m{"imagePullSecrets": []any{"b"}, "connectionSecretName": "b"}, `s.connectionSecretName a b,s.imagePullSecrets ["a"] ["b"]`},
		"another type":                 {m{"a": m{"b": "1"}}, m{"a": "1"}, `s.a {"b":"1"} 1`},
		"twice one name":               {m{"l": []any{m{"name": "a"}, m{"name": "a"}}}, m{"l": []any{m{"name": "a"}}}, `s.l [{"name":"a"},{"name":"a"}] [{"name":"a"}]`},
		"an empty text":                {m{"a": "x\ny"}, m{"a": ""}, `s.a "x\ny" ""`},
	} {
		var got []string
		for _, f := range Compare("s", c.a, c.b) {
			if f.Before == "" {
				f.Before = "-"
			}
			if f.After == "" {
				f.After = "-"
			}
			got = append(got, f.Path+" "+f.Before+" "+f.After)
		}
		if strings.Join(got, ",") != c.want {
			t.Errorf("%s: %s, want %s", name, strings.Join(got, ","), c.want)
		}
	}
	if s := Text(strings.Repeat("ä", 100)); len([]rune(s)) != textLimit || !strings.HasSuffix(s, "…") {
		t.Errorf("a long text is %s", s)
	}
}

func TestText(t *testing.T) {
	f := Forecast{
		Objects: []Object{
			{Kind: "PostgresDB", Namespace: "shop", Name: "orders", File: "db.yaml", Document: 2, New: true, Then: Then{Phase: "Running", Ready: true}, Steps: []Step{
				{Sign: Make, Do: "Buy", Where: InCloud, What: "buy it", Cost: Hourly(1, "CNY")}, {Sign: Change, Do: "RecordTags", Where: InStatus, What: "a note"}}},
			{Kind: "PostgresDB", Namespace: "shop", Name: "old", Then: Then{Phase: "Running", Ready: true}},
			{Kind: "PostgresDB", Namespace: "shop", Name: "stuck", Steps: []Step{{Sign: Wait, Where: InStatus, What: "wait: for it"}}, Then: Then{Phase: "Failed", Reason: "Why", Message: "because"}},
			{Kind: "PostgresDB", Namespace: "shop", Name: "updating", Steps: []Step{{Sign: Wait, Where: InStatus, What: "wait: for the rollout"}}, Then: Then{Phase: "Running", Ready: true}},
			{Kind: "PostgresDB", Namespace: "shop", Name: "large", Steps: []Step{{Sign: Refuse, Do: "Resize", Where: InCloud, What: "resize it", Details: []string{"the cloud refused this: no", "asked again at noon"}}}, Then: Then{Phase: "Failed", Reason: "CloudRefused", Message: "no"}},
			{Kind: "PostgresDB", Namespace: "shop", Name: "bad", File: "db.yaml", Document: 3, New: true, Errors: []string{"no\nway"}},
			{Kind: "PostgresDB", Namespace: "shop", Name: "going", Steps: []Step{{Sign: End, Do: "Destroy", Where: InCloud, What: "destroy it", Why: "of the policy", Final: true, Interrupts: "all", Details: []string{"more"}}}, Then: Then{Gone: true}},
			{Kind: "PostgresDB", Namespace: "shop", Name: "wrong", Errors: []string{"no"}},
			{Kind: "PostgresDB", Namespace: "shop", Name: "refused", Errors: []string{"no"}, Fields: []Field{{Path: "spec.a", Before: "1", Refused: "never"}, {Path: "spec.b", After: "2", Effect: "restarts"}}},
			{Kind: "MyApp", Namespace: "shop", Name: "web", Steps: []Step{{Sign: Change, Do: "Apply Service", Where: InCluster, What: "Service web"}}, Notes: []string{"a word"}, Then: Then{Phase: "Running", Ready: true}},
		},
		Notes: []string{"of all"}, Errors: []string{"one more"},
	}
	f.Sum()
	const want = `PostgresDB shop/orders (db.yaml, document 2): buy
  + object PostgresDB/orders
  + buy it; CNY 0.01 an hour, 7.30 a month
  = Running
PostgresDB shop/old: nothing to do
PostgresDB shop/stuck: waits
  . wait: for it
  = Failed, Why: because
PostgresDB shop/updating: waits
  . wait: for the rollout
  = Running
PostgresDB shop/large: resize refused by the cloud
  ! resize it
      the cloud refused this: no
      asked again at noon
  = Failed, CloudRefused: no
PostgresDB shop/bad (db.yaml, document 3): refused
  ! no way
PostgresDB shop/going: destroy
  - destroy it
      because of the policy
      all
      cannot be undone
      more
  = gone
PostgresDB shop/wrong: cannot be told
  ! no
PostgresDB shop/refused: refused
  ~ spec.a: 1 becomes (none) - REFUSED: never
  ~ spec.b: (none) becomes 2 - restarts
  ! no
MyApp shop/web: change
  ~ Service web
  note: a word
  = Running
Note: of all.
Plan: 4 with changes, 1 with nothing to do, 2 waiting, 4 with errors. Price: CNY +0.01 an hour, +7.30 a month. Nothing was changed.
`
	var b bytes.Buffer
	f.WriteText(&b)
	if b.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", b.String(), want)
	}
}

func TestExplanationText(t *testing.T) {
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	until := now.Add(time.Minute)
	x := Explanation{Kind: "PostgresDB", Namespace: "shop", Name: "orders", Now: now, Decision: "Rest", Rule: "decideLife, Creating", By: "nobody: why", Because: "so", WaitsFor: "it", Until: &until,
		Intent: "buy", Seen: []Seen{{What: "object", State: "there", At: now, By: "read live"}, {What: "status", State: "old", At: now.Add(-time.Hour), By: "written"}},
		Conditions: []Said{{Type: "Ready", Status: "False", Reason: "Creating", Message: "m", Since: now.Add(-90 * time.Second)}},
		Events:     []Said{{Type: "Normal", Reason: "Ordered", Message: "n", Since: now.Add(-72 * time.Hour), Count: 3}}, Errors: []string{"e"}}
	const want = `PostgresDB shop/orders

Seen:
  object             there (read live)
  status             old (written, 60m ago)

Decision: Rest
  rule: decideLife, Creating
  by: nobody: why
  because: so
  waits for: it
  looks again: in 1m0s, at 2026-07-01T12:01:00Z, or when something changes

Last intent: buy
  outcome: not known

Conditions:
  Ready False            Creating, 1m30s ago: m

Events:
  Normal                 Ordered, 3d ago, 3 times: n

Could not see: e
`
	var b bytes.Buffer
	x.WriteText(&b)
	if b.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", b.String(), want)
	}
	// A sentence is told once.
	b.Reset()
	x.Because, x.WaitsFor = "a long sentence", "a long sentence"
	x.Conditions[0].Message, x.Events[0].Message = "a long sentence", "a long sentence"
	x.Seen[1].At = now.Add(-time.Millisecond)
	x.WriteText(&b)
	if s := b.String(); strings.Count(s, "a long sentence") != 1 || strings.Count(s, ": as above\n") != 2 || !strings.Contains(s, "waits for: a long sentence") || !strings.Contains(s, "(written)") {
		t.Errorf("printed\n%s", s)
	}
}
