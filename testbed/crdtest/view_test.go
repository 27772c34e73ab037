package crdtest

import (
	"strings"
	"testing"
)

func TestExplainDescribes(t *testing.T) {
	for _, c := range []struct{ field, words string }{
		{"pgdb", "PostgresDB is one TencentDB for PostgreSQL instance"},
		{"pgdb.spec.storageGB", "10 to 32000 in steps of 10"},
		{"pgdb.spec.deletionPolicy", "recycle"},
		{"pgdb.status.phase", "sums the state up"},
		{"mapp", "MyApp is an app"},
		{"mapp.spec.config", "mounted at /etc/config"},
		{"mapp.spec.resources.limits", "64Mi"},
	} {
		out := accepted(t, "", "explain", c.field)
		if !strings.Contains(strings.Join(strings.Fields(out), " "), c.words) {
			t.Errorf("kubectl explain %s does not say %q:\n%s", c.field, c.words, out)
		}
	}
}

func TestGetShowsColumns(t *testing.T) {
	created(t, postgresDB, "shown", postgresDB.full)
	created(t, myApp, "shown", myApp.full)
	const ready = `"conditions":[{"type":"Ready","status":"True","reason":"Fine","message":"all is well","lastTransitionTime":"2024-09-01T16:00:45Z"}]`
	withStatus(t, postgresDB, "shown", `{"phase":"Running","instanceID":"postgres-1","region":"ap-guangzhou","endpoint":"10.0.0.1:5432",`+ready+`}`)
	withStatus(t, myApp, "shown", `{"phase":"Degraded","replicas":3,"readyReplicas":2,"availableReplicas":2,`+ready+`}`)

	for _, c := range []struct {
		args []string
		rows []string // of words, one space between them
	}{
		{[]string{"get", "pgdb,mapp"}, []string{
			"NAME PHASE READY VERSION CLASS STORAGE ENDPOINT AGE",
			"postgresdb.database.example.com/shown Running True 14 64C512G 32000 10.0.0.1:5432",
			"NAME PHASE READY DESIRED AVAILABLE IMAGE AGE",
			"myapp.example.com/shown Degraded True 0 2 registry.example.com:5000/team/app",
		}},
		{[]string{"get", "pgdb", "-o", "wide"}, []string{"ENDPOINT AGE INSTANCE REGION SITE MESSAGE", "postgres-1 ap-guangzhou edge-01 all is well"}},
		{[]string{"get", "mapp", "-o", "wide"}, []string{"IMAGE AGE PORT SERVICE SITE MESSAGE", "65535 None edge-01 all is well"}},
		{[]string{"get", "mote"}, []string{"postgresdb.database.example.com/shown", "myapp.example.com/shown"}},
		{[]string{"get", "databases"}, []string{"shown Running True"}},
	} {
		out := accepted(t, "", c.args...)
		t.Logf("kubectl %s\n%s", strings.Join(c.args, " "), out)
		words := strings.Join(strings.Fields(out), " ")
		for _, row := range c.rows {
			if !strings.Contains(words, row) {
				t.Errorf("kubectl %s does not show %q", strings.Join(c.args, " "), row)
			}
		}
	}
}

func TestFieldSelectors(t *testing.T) {
	for _, k := range []kind{postgresDB, myApp} {
		created(t, k, "here", k.minimal.with(fields{"site": "edge-01"}))
		created(t, k, "there", k.minimal.with(fields{"site": "edge-02"}))
		created(t, k, "nowhere", k.minimal)
		withStatus(t, k, "here", `{"phase":"Running"}`)
		withStatus(t, k, "there", `{"phase":"Failed"}`)
		for _, c := range []struct{ selector, want string }{
			{"spec.site=edge-01", "here"},
			{"spec.site!=edge-01", "nowhere there"},
			{"spec.site=", "nowhere"},
			{"status.phase=Running", "here"},
			{"status.phase!=Running,spec.site!=", "there"},
			{"metadata.name=there", "there"},
		} {
			got := accepted(t, "", "get", k.resource, "--field-selector", c.selector, "-o", "jsonpath={.items[*].metadata.name}")
			if got != c.want {
				t.Errorf("%s --field-selector %s: %q, want %q", k.resource, c.selector, got, c.want)
			}
		}
		refused(t, []string{"field label not supported"}, "", "get", k.resource, "--field-selector", "spec.nonesuch=1")
	}
}
