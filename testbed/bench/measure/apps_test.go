package measure

import (
	"testing"
	"time"
)

// TestRuns: an app counts once, and only for its present generation.
func TestRuns(t *testing.T) {
	r := &runs{seen: map[string]bool{}}
	for _, e := range []struct {
		uid, phase           string
		generation, observed int64
		want                 int
	}{
		{"a", "Progressing", 1, 1, 0}, {"a", "Running", 2, 1, 0}, {"a", "Running", 2, 2, 1},
		{"a", "Running", 2, 2, 1}, {"b", "Running", 1, 1, 2}, {"c", "", 1, 0, 2},
	} {
		o := event(e.uid, e.generation, e.observed)
		o.Status.Phase = e.phase
		r.see(o, time.Now())
		if r.count() != e.want {
			t.Errorf("after %+v: %d", e, r.count())
		}
	}
}
