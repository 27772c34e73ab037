package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// TestRightsTakenAway: rights for one kind that are taken away show in readiness,
// in a metric and in the log; the other kind goes on; and what is given back is
// used without a restart.
func TestRightsTakenAway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	user := "system:serviceaccount:" + s.ns + ":mote"
	s.kubectl("create", "serviceaccount", "mote")
	s.kubectlWith(role("all-but-databases", "", "apps", "example.com", "coordination.k8s.io", "events.k8s.io")+role("databases", "database.example.com"), "apply", "-f", "-")
	s.kubectl("create", "rolebinding", "all-but-databases", "--role=all-but-databases", "--serviceaccount="+s.ns+":mote")
	grant := func() {
		s.kubectl("create", "rolebinding", "databases", "--role=databases", "--serviceaccount="+s.ns+":mote")
	}
	grant()
	s.may(user, "yes")
	way, kubeconfig := s.relayed(s.kubeconfigWith(s.token("mote", s.ns)))
	p := s.start(append(anyPort, "--kubeconfig", kubeconfig)...)
	s.answers(p, "/readyz?verbose", 200, "[+]PostgresDB/postgresdbs ok")
	s.leads(p)

	s.kubectl("delete", "rolebinding", "databases")
	s.may(user, "no")
	way.cut()
	s.answers(p, "/readyz", 503, "[-]PostgresDB/postgresdbs failed since 20", "not allowed to list or watch this kind", "[+]MyApp/myapps ok", "readyz check failed")
	s.answers(p, "/healthz", 200, "ok") // no restart helps against that
	m := s.scrape(p)
	for resource, want := range map[string]float64{"postgresdbs": 1, "myapps": 0} {
		if got := m.value("mote_watch_trouble", "resource", resource, "reason", "Forbidden"); got != want {
			t.Errorf("mote_watch_trouble of %s is %v, want %v", resource, got, want)
		}
	}
	if m.value("rest_client_requests_total", "code", "403") < 1 {
		t.Error("no refused request was counted")
	}
	said := false
	for line := range strings.Lines(p.Output()) {
		said = said || says(line, `"level":"WARN"`, "watch: not allowed to list or watch this kind: check the ServiceAccount's RBAC", `"resource":"postgresdbs"`) == nil
	}
	if !said {
		t.Error("the log does not say which rights are missing")
	}
	s.apply(app("web", nil))
	s.runs(apps, "web")

	grant()
	s.may(user, "yes")
	s.answers(p, "/readyz", 200, "ok")
	if got := s.scrape(p).value("mote_watch_trouble", "resource", "postgresdbs", "reason", "Forbidden"); got != 0 {
		t.Errorf("mote_watch_trouble is %v at last", got)
	}
	s.logged(p, "watch: in order again")
	s.apply(database("db", nil))
	s.runs(databases, "db")
}

// role is a Role that allows everything in some API groups.
func role(name string, groups ...string) string {
	return fmt.Sprintf(`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":%q},
 "rules":[{"apiGroups":["%s"],"resources":["*"],"verbs":["*"]}]}
`, name, strings.Join(groups, `","`))
}

// may waits until the API server answers yes or no to whether somebody may watch
// databases: it takes a moment to notice new rules.
func (s *site) may(user, answer string) {
	s.t.Helper()
	s.eventually("may "+user+" watch databases: "+answer, func() error {
		out, err := s.tryKubectl(s.t.Context(), "", "auth", "can-i", "watch", "postgresdbs.database.example.com", "--namespace", s.ns, "--as", user)
		if got := strings.TrimSpace(out); got != answer && !strings.HasPrefix(got, answer+" ") {
			return fmt.Errorf("%q, %v", out, err)
		}
		return nil
	})
}
