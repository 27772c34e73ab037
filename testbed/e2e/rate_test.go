package e2e

import (
	"fmt"
	"testing"
)

// TestFewerCallsThanDocumented: an account whose calls are used up by others as
// well gets what it asked for, only later, and once.
func TestFewerCallsThanDocumented(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	limits, err := s.cloud.Limits(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	limits.PerSecond = map[string]int{"CreateInstances": 1, "IsolateDBInstances": 2, "DestroyDBInstance": 2}
	if err := s.cloud.SetLimits(t.Context(), limits); err != nil {
		t.Fatal(err)
	}
	s.start()
	var names, objects []string
	for i := range 6 {
		name := fmt.Sprintf("db-%d", i)
		s.paused(name, nil)
		names, objects = append(names, name), append(objects, "pgdb/"+name)
	}
	s.unpause(names...)
	s.runs(databases, names...)
	s.remove(objects...)
	s.gone(databases, names...)
	throttled := 0
	for _, c := range s.calls(0) {
		if c.Outcome == "RequestLimitExceeded" {
			throttled++
		}
	}
	if throttled == 0 {
		t.Error("no call was one too many: this test shows nothing")
	}
	if n := len(s.ledger()); n != len(names) {
		t.Errorf("%d instances were bought for %d objects", n, len(names))
	}
	s.nothingBilled()
}
