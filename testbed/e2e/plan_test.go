package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/mote/testbed/bed"
)

// onlyLooked runs one of mote's commands that only look, as a user whose requests are
// in the audit log, and fails when anything but a read went over either wire.
func (s *site) onlyLooked(args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	if s.looker == "" {
		s.looker, s.lookerConfig = s.audited("looker-" + s.ns)
	}
	calls := 0
	if all := s.calls(0); len(all) > 0 {
		calls = all[len(all)-1].Seq
	}
	asked := len(requests(s.t, s.looker))
	args = append(args, "--kubeconfig", s.lookerConfig, "-n", s.ns)
	if args[0] != "status" {
		args = append(args, "--region", "ap-guangzhou", "--cloud-endpoint", s.bed.CloudURL)
	}
	stdout, stderr, code = mote(s.t, []string{"TENCENTCLOUD_SECRET_ID=" + bed.SecretID, "TENCENTCLOUD_SECRET_KEY=" + bed.SecretKey}, args...)
	for _, r := range requests(s.t, s.looker)[asked:] {
		if !slices.Contains([]string{"get", "list", "watch"}, r.Verb) {
			s.t.Errorf("mote %s made a request that changes something: %s %s", args[0], r.Verb, r.URI)
		}
	}
	for _, c := range s.calls(calls) {
		mine := len(s.motes) == 0 // a controller calls too
		if mine && !strings.HasPrefix(c.Action, "Describe") && !strings.HasPrefix(c.Action, "InquiryPrice") {
			s.t.Errorf("mote %s made a call that changes something: %s", args[0], c.Action)
		}
	}
	for _, secret := range s.secrets {
		if strings.Contains(stdout+stderr, secret) {
			s.t.Errorf("mote %s prints a secret", args[0])
		}
	}
	return stdout, stderr, code
}

// file writes a file into the site's folder.
func (s *site) file(name string, text string) string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// yaml is manifests as documents of one file.
func (s *site) yaml(all ...manifest) string {
	s.t.Helper()
	var b strings.Builder
	for _, m := range all {
		data, err := json.Marshal(m)
		if err != nil {
			s.t.Fatal(err)
		}
		b.WriteString("---\n" + string(data) + "\n")
	}
	return b.String()
}

// expect fails unless a text has all the words.
func (s *site) expect(what, text string, words ...string) {
	s.t.Helper()
	if err := says(text, words...); err != nil {
		s.t.Errorf("%s: %v:\n%s", what, err, text)
	}
}

// TestPlanManifests: what is bought and made is told with its price; what is refused
// in a line each, with file and document; and nothing happens.
func TestPlanManifests(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	file := s.file("all.yaml", s.yaml(database("db", nil), app("web", fields{"config": map[string]any{"a": "b"}}),
		manifest{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "other"}},
		database("bad", fields{"storageGB": 15}), database("worse", fields{"storageGb": 20, "chargeType": "Never"}),
		database("large", fields{"instanceClass": "3C7G"}), database("month", fields{"chargeType": "Prepaid"}))+"---\nkind: [\n")
	out, complaint, code := s.onlyLooked("plan", "-f", file)
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	s.expect("the plan", out, "PostgresDB "+s.ns+"/db ("+file+", document 1): buy", "+ buy PostgreSQL 14, 2C4G with 20 GB in ap-guangzhou-", "by the hour; CNY 0.92 an hour, 671.60 a month",
		"MyApp "+s.ns+"/web", "+ ConfigMap web-config", "+ Deployment web: 2 replicas of example.com/web:1", "passed over 1 of kind ConfigMap", "Failed, ClassNotForSale", "prepaid by the month; CNY 0.60 an hour, 441.60 a month",
		"Price: CNY +1.52 an hour, +1113.20 a month")
	s.expect("the complaints", complaint, "all.yaml, document 4): spec.storageGB: Invalid value: 15: storageGB is 10 to 32000 in steps of 10", `all.yaml, document 5): unknown field "spec.storageGb"`,
		`spec.chargeType: Unsupported value: "Never"`, "all.yaml, document 8: it cannot be read")
	if n := strings.Count(complaint, "\n"); n != 4 {
		t.Errorf("%d lines of complaints:\n%s", n, complaint)
	}
	if s.childless(); s.count("CreateInstances") != 0 {
		t.Error("something was bought")
	}

	out, complaint, code = s.onlyLooked("plan", "-f", s.file("db.json", s.yaml(database("db", nil))[4:]), "-o", "json")
	var f struct {
		Objects []struct {
			New   bool
			Steps []struct{ Do, Where string }
		}
	}
	if err := json.Unmarshal([]byte(out), &f); err != nil || code != 2 || len(f.Objects) != 1 || !f.Objects[0].New || complaint != "" {
		t.Errorf("as JSON: %v, exit code %d: %s%s", err, code, out, complaint)
	}
	if _, _, code = s.onlyLooked("plan"); code != 0 {
		t.Errorf("of a namespace without objects: exit code %d", code)
	}
}

// TestPlanOfWhatRuns: of objects at rest nothing is planned; what a manifest would
// change is told, and that is then what happens.
func TestPlanOfWhatRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start()
	s.apply(database("db", nil), app("web", fields{"env": []any{map[string]any{"name": "GREETING", "value": "hello"}, map[string]any{"name": "DB_PASSWORD", "value": "hunter2"}}}))
	s.runs(databases, "db")
	s.runs(apps, "web")
	out, complaint, code := s.onlyLooked("plan")
	if code != 0 || complaint != "" {
		t.Errorf("at rest: exit code %d\n%s%s", code, out, complaint)
	}
	s.expect("at rest", out, "PostgresDB "+s.ns+"/db: nothing to do", "MyApp "+s.ns+"/web: nothing to do", "Nothing was changed.")

	changed := []manifest{database("db", fields{"instanceClass": "4C8G", "storageGB": 40}), app("web", fields{"image": "example.com/web:2"})}
	file := s.file("changed.yaml", s.yaml(changed...))
	out, complaint, code = s.onlyLooked("plan", "-f", file)
	if code != 2 || complaint != "" {
		t.Errorf("a change: exit code %d\n%s%s", code, out, complaint)
	}
	s.expect("a change", out, "~ spec.instanceClass: 2C4G becomes 4C8G - restarts the database", "~ spec.storageGB: 20 becomes 40", "with 20 GB to 4C8G with 40 GB; CNY +0.92 an hour, +671.60 a month (difference of the list prices)",
		"~ spec.image: example.com/web:1 becomes example.com/web:2 - rolls the pods", "spec.template.spec.containers[app].image: example.com/web:1 becomes example.com/web:2")

	s.expect("what is taken out", out, "~ spec.env[GREETING]: hello becomes (none) - rolls the pods", "spec.template.spec.containers[app].env[GREETING]: hello becomes (none)", "env[DB_PASSWORD]: (not shown) becomes (none)")
	if strings.Contains(out, "hunter2") {
		t.Error("a password is in the plan")
	}

	out, complaint, code = s.onlyLooked("plan", "-f", s.file("large.yaml", s.yaml(database("db", fields{"instanceClass": "3C7G"}))))
	if code != 2 || complaint != "" {
		t.Errorf("what is not for sale: exit code %d\n%s%s", code, out, complaint)
	}
	s.expect("what is not for sale", out, "document 1): resize refused by the cloud", "~ spec.instanceClass: 2C4G becomes 3C7G\n", "! resize", "the cloud will refuse this: 3C7G is not for sale", "= Failed, CloudRefused")

	out, complaint, code = s.onlyLooked("plan", "-f", s.file("refused.yaml", s.yaml(database("db", fields{"storageGB": 10, "subnetID": "subnet-mote0002"}), app("web", nil))))
	if code != 1 {
		t.Errorf("a refused change: exit code %d\n%s%s", code, out, complaint)
	}
	s.expect("a refused change", complaint, "document 1): spec.storageGB", "can grow but never shrink", "spec.subnetID", "subnetID is immutable")
	s.expect("a refused change", out, "~ spec.storageGB: 20 becomes 10 - REFUSED: storageGB can grow but never shrink", "MyApp "+s.ns+"/web (")

	s.apply(changed...)
	s.runs(databases, "db")
	s.runs(apps, "web")
	if n := s.count("ModifyDBInstanceSpec"); n != 1 {
		t.Errorf("%d resizes", n)
	}
	for _, args := range [][]string{{"plan"}, {"plan", "pgdb/db"}, {"plan", "web"}, {"plan", "mapp"}, {"plan", "-f", file}} {
		if out, complaint, code = s.onlyLooked(args...); code != 0 {
			t.Errorf("%v at the end: exit code %d\n%s%s", args, code, out, complaint)
		}
	}
}

// TestExplain: what is seen, decided and waited for.
func TestExplain(t *testing.T) {
	t.Parallel()
	s := newSite(t, "--create-time=10m")
	s.start()
	s.apply(database("db", nil), app("web", nil), database("paused", nil).with("annotations", map[string]any{"mote.example.com/paused": "true"}))
	s.shows(databases, "db", "is being made", func(st state) bool { return st.phase == "Provisioning" && st.instance != "" })
	s.runs(apps, "web")
	out, complaint, code := s.onlyLooked("explain", "pgdb/db")
	if code != 0 || complaint != "" {
		t.Errorf("exit code %d: %s", code, complaint)
	}
	s.expect("a database", out, "instance ", "is Provisioning", "Decision: Rest", "rule: decideLife, Creating", "waits for: instance postgres-", "Ready False", "Creating", "Ordered", "looks again: in 1m0s", "by: not known: the API server does not let you list Leases")
	out, _, _ = mote(t, nil, "explain", "pgdb/db", "--no-cloud", "--kubeconfig", s.bed.Kubeconfig, "-n", s.ns)
	s.expect("who serves a database", out, "by: ", "which holds the Lease "+s.ns+"/")
	out, _, _ = s.onlyLooked("explain", "mapp/web")
	s.expect("an app", out, "Deployment", "2 of 2 replicas available", "Decision: nothing to write", "rule: decide, Available")
	out, _, _ = s.onlyLooked("explain", "pgdb/paused", "-o", "json")
	var x struct{ Rule, Decision, WaitsFor string }
	if err := json.Unmarshal([]byte(out), &x); err != nil || x.Rule != "paused" || x.WaitsFor == "" {
		t.Errorf("a paused object: %v %s", err, out)
	}
}

// TestLookingInVain: each fault is one line, and exit code 1.
func TestLookingInVain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.apply(database("db", nil), app("db", nil))
	for _, c := range []struct {
		args []string
		word string
	}{
		{[]string{"plan", "pgdb/none"}, "PostgresDB " + s.ns + "/none: there is no such object"},
		{[]string{"plan", "none"}, s.ns + "/none: there is no such object"},
		{[]string{"plan", "pods/none"}, `there is no kind "pods" here`},
		{[]string{"plan", "-f", "/no/such/file.yaml"}, "/no/such/file.yaml"},
		{[]string{"plan", "fresh.yaml"}, "did you mean -f fresh.yaml?"},
		{[]string{"plan", "--cloud-endpoint", "http://127.0.0.1:1", "pgdb/db"}, "pgdb"},
		{[]string{"plan", "-o", "xml"}, `--output "xml"`},
		{[]string{"explain", "db"}, "db is the name of objects of both kinds"},
		{[]string{"explain", "pgdb/none"}, "there is no such object"},
	} {
		if c.args[1] == "--cloud-endpoint" {
			continue
		}
		out, complaint, code := s.onlyLooked(c.args...)
		wants := 1
		if c.args[0] == "explain" && strings.Contains(complaint, "takes") {
			wants = 2
		}
		if code != wants || !strings.Contains(complaint, c.word) || strings.Count(complaint, "\n") != 1 {
			t.Errorf("mote %q: exit code %d, one line with %q wanted:\n%s%s", c.args, code, c.word, out, complaint)
		}
	}
	env := []string{"TENCENTCLOUD_SECRET_ID=" + bed.SecretID, "TENCENTCLOUD_SECRET_KEY=" + bed.SecretKey}
	_, complaint, code := mote(t, env, "plan", "pgdb/db", "-n", s.ns, "--kubeconfig", s.bed.Kubeconfig, "--region", "ap-guangzhou", "--cloud-endpoint", "http://127.0.0.1:1")
	if code != 1 || strings.Count(complaint, "\n") != 1 || !strings.Contains(complaint, "PostgresDB "+s.ns+"/db: DescribeSubnets in ap-guangzhou") {
		t.Errorf("without an answer of the cloud: exit code %d, %s", code, complaint)
	}
	nowhere := s.file("nowhere.yaml", s.yaml(database("db", nil).with("namespace", "nowhere-"+s.ns)))
	_, complaint, code = mote(t, env, "plan", "-f", nowhere, "--kubeconfig", s.bed.Kubeconfig, "--region", "ap-guangzhou", "--cloud-endpoint", s.bed.CloudURL)
	if code != 1 || strings.Count(complaint, "\n") != 1 || !strings.Contains(complaint, "there is no namespace nowhere-"+s.ns) {
		t.Errorf("in a namespace that is not there: exit code %d, %s", code, complaint)
	}
	empty := t.TempDir()
	_, complaint, code = mote(t, []string{"HOME=" + empty}, "plan")
	if code != 1 || strings.Count(complaint, "\n") != 1 || !strings.Contains(complaint, "no cluster to work for") {
		t.Errorf("without a cluster: exit code %d, %s", code, complaint)
	}
	out, complaint, code := mote(t, []string{"HOME=" + empty}, "plan", "-f", s.file("db.yaml", s.yaml(database("db", nil))), "--region", "ap-guangzhou")
	if code != 2 || complaint != "" || !strings.Contains(out, "nothing has a price") || !strings.Contains(out, "there is no cluster to ask") {
		t.Errorf("without anything: exit code %d, %s%s", code, out, complaint)
	}
}

// heard is what a command has printed so far.
type heard struct {
	mu   sync.Mutex
	text strings.Builder
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// TestStatus: all objects in a line each, summed by phase and site; and live.
func TestStatus(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start()
	s.apply(database("db", fields{"site": "edge-01"}), app("web", nil), database("large", fields{"instanceClass": "3C7G"}))
	s.runs(databases, "db")
	s.runs(apps, "web")
	s.stuck(databases, "large", "Failed", "ClassNotForSale")
	out, complaint, code := s.onlyLooked("status")
	if code != 0 || complaint != "" {
		t.Errorf("exit code %d: %s", code, complaint)
	}
	s.expect("the status", out, "mapp  "+s.ns+"/web", "2/2", "1 MyApp: 1 Running", "2 PostgresDB: 1 Failed, 1 Running", "Sites: (none) 2 (1 not ready), edge-01 1", "ClassNotForSale: 3C7G is not for sale")
	out, _, _ = mote(t, nil, "status", "--kubeconfig", s.bed.Kubeconfig, "-n", s.ns)
	s.expect("who serves", out, "Mote: ", "which holds the Lease "+s.ns+"/")
	out, _, _ = s.onlyLooked("status", "mapp", "-o", "json")
	var row struct {
		Kind, Where string
		Ready       bool
	}
	if err := json.Unmarshal([]byte(out), &row); err != nil || row.Kind != "MyApp" || row.Where != "2/2" || !row.Ready {
		t.Errorf("as JSON: %v %s", err, out)
	}

	live := exec.CommandContext(t.Context(), cluster.Paths.Mote, "status", "-w", "-n", s.ns, "--kubeconfig", s.lookerConfig)
	var seen heard
	live.Stdout, live.Stderr, live.Env = &seen, &seen, []string{}
	if err := live.Start(); err != nil {
		t.Fatal(err)
	}
	s.eventually("all are shown", func() error { return says(seen.String(), s.ns+"/db", s.ns+"/web", s.ns+"/large") })
	s.patch("pgdb/large", `{"spec":{"instanceClass":"1C2G"}}`)
	s.runs(databases, "large")
	s.kubectl("delete", "mapp/web", "--timeout=60s")
	s.eventually("what changes is shown", func() error {
		return says(strings.Join(strings.Fields(seen.String()), " "), "TIME KIND OBJECT", "/large Running", "Gone")
	})
	if err := live.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := live.Wait(); err != nil {
		t.Errorf("it does not end in order: %v", err)
	}
}

// TestExplainPath: the controller answers the same explanation, to callers on the same
// machine, when it was told to.
func TestExplainPath(t *testing.T) {
	t.Parallel()
	s := newSite(t, "--create-time=10m")
	p := s.start(append(slices.Clone(anyPort), "--explain")...)
	s.apply(database("db", nil))
	s.shows(databases, "db", "is being made", func(st state) bool { return st.phase == "Provisioning" && st.instance != "" })
	fetch := func(path, host string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listens(p)+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(body)
	}
	code, body := fetch("/explain/pgdb/"+s.ns+"/db", "")
	if code != http.StatusOK {
		t.Errorf("%d", code)
	}
	s.expect("the explanation", body, "Decision: Rest", "rule: decideLife, Creating", "Last intent: have an instance")
	s.eventually("what the cloud's watch saw is told", func() error {
		_, body = fetch("/explain/pgdb/"+s.ns+"/db", "")
		return says(body, "is Provisioning (applying) (the cloud's watch")
	})
	if code, body = fetch("/explain/pgdb/"+s.ns+"/db?o=json", ""); code != http.StatusOK || !json.Valid([]byte(body)) {
		t.Errorf("as JSON: %d %s", code, body)
	}
	for path, want := range map[string]int{"/explain/pgdb/" + s.ns + "/none": http.StatusNotFound, "/explain/pods/a/b": http.StatusNotFound, "/metrics": http.StatusOK} {
		if code, body := fetch(path, ""); code != want {
			t.Errorf("%s: %d, want %d: %s", path, code, want, body)
		}
	}
	if code, _ := fetch("/explain/pgdb/"+s.ns+"/db", "mote.example.com"); code != http.StatusForbidden {
		t.Errorf("by another name: %d", code)
	}
	for _, secret := range s.secrets {
		if strings.Contains(body, secret) {
			t.Error("a secret is explained")
		}
	}
}

// TestAsKubectlPlugin: under the name kubectl-mote, kubectl finds it.
func TestAsKubectlPlugin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.apply(database("db", nil))
	dir := t.TempDir()
	if err := os.Symlink(cluster.Paths.Mote, filepath.Join(dir, "kubectl-mote")); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, int) {
		t.Helper()
		c := exec.CommandContext(t.Context(), cluster.Paths.Kubectl, append([]string{"mote"}, args...)...)
		c.Env = []string{"PATH=" + dir, "KUBECONFIG=" + s.bed.Kubeconfig, "HOME=" + dir}
		out, err := c.CombinedOutput()
		if c.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), c.ProcessState.ExitCode()
	}
	if out, code := run("help"); code != 0 || !strings.Contains(out, "kubectl mote plan") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if out, code := run("plan", "pgdb/db", "-n", s.ns, "--region", "ap-guangzhou"); code != 2 || !strings.Contains(out, "buy PostgreSQL 14") {
		t.Errorf("exit code %d: %s", code, out)
	}
}
