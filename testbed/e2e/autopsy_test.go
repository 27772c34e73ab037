package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// autopsy shows what a site looks like whose test has failed.
func (s *site) autopsy(ctx context.Context) {
	show := func(what, text string) { s.t.Logf("---- %s\n%s", what, strings.TrimRight(text, "\n")) }
	for _, args := range [][]string{
		{"get", "pgdb,mapp", "-o", "yaml", "--show-managed-fields=false"},
		{"get", "deployments,replicasets,pods,services,configmaps,secrets,leases", "-o", "wide"},
		{"get", "events", "--sort-by=.metadata.creationTimestamp"},
	} {
		out, err := s.tryKubectl(ctx, "", args...)
		if err != nil {
			out += "\n" + err.Error()
		}
		show("kubectl "+strings.Join(args, " "), out)
	}
	if s.cloud != nil {
		ledger, err := s.cloud.Ledger(ctx)
		if b, _ := json.MarshalIndent(ledger, "", " "); err == nil {
			show("the cloud's ledger", string(b))
		} else {
			show("the cloud's ledger", err.Error())
		}
	}
	logs, _ := filepath.Glob(filepath.Join(s.bed.Dir, "*.log"))
	for _, file := range logs {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(b)), "\n")
		show("the end of "+filepath.Base(file), strings.Join(lines[max(0, len(lines)-80):], "\n"))
	}
}
