package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// auditedNamespace holds the ServiceAccounts whose requests the API server writes
// down, all of them and no others.
const auditedNamespace = "audited"

func auditLog(dir string) string { return filepath.Join(dir, "audit.log") }

// auditPolicy writes the API server's policy into a file.
func auditPolicy(dir string) (file string, err error) {
	file = filepath.Join(dir, "audit-policy.yaml")
	return file, os.WriteFile(file, []byte(`apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
    userGroups: ["system:serviceaccounts:`+auditedNamespace+`"]
  - level: None
`), 0o644)
}

// request is one line of the audit log.
type request struct {
	Verb      string `json:"verb"`
	URI       string `json:"requestURI"`
	UserAgent string `json:"userAgent"`
	Stage     string `json:"stage"`
	User      struct {
		Username string `json:"username"`
	} `json:"user"`
	ObjectRef struct {
		Resource string `json:"resource"`
		Name     string `json:"name"`
	} `json:"objectRef"`
}

// requests are what a user has asked of the API server so far.
func requests(t *testing.T, user string) []request {
	t.Helper()
	data, err := os.ReadFile(auditLog(cluster.Dir))
	if err != nil {
		t.Fatal(err)
	}
	var out []request
	for line := range strings.Lines(string(data)) {
		var r request
		if !strings.HasSuffix(line, "\n") {
			break // it is being written
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v in audit line %s", err, line)
		}
		if r.User.Username == user {
			out = append(out, r)
		}
	}
	return out
}
