package postgresdb

import (
	"io"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/cloud"
	"example.com/mote/metric"
	"example.com/mote/reconcile"
)

func TestMarks(t *testing.T) {
	type m = map[string]any
	synced := func(reason string) m {
		return m{"conditions": []any{m{"type": "Ready", "reason": reasonDrifted}, "nonsense", m{"type": ConditionSynced, "reason": reason}}}
	}
	for _, c := range []struct {
		name   string
		status any
		want   uint8
	}{
		{"no status", nil, 0},
		{"nonsense", "Running", 0},
		{"a purchase", m{"create": m{"name": "a"}}, markIntent},
		{"an ambiguous one", m{"create": m{"name": "a", "ambiguousSince": "2030-01-01T00:00:00Z"}}, markIntent | markUnknown},
		{"drifted", synced(reasonDrifted), markDrifted},
		{"updating", synced(reasonUpdating), 0},
		{"as specified", synced(reasonAsSpecified), 0},
	} {
		if got := marksOf(&unstructured.Unstructured{Object: m{"status": c.status}}); got != c.want {
			t.Errorf("%s: %b, want %b", c.name, got, c.want)
		}
	}
}

func TestMarksAreCounted(t *testing.T) {
	r := New(nil, cloud.WatchOptions{}, DefaultSettings, io.LimitReader(nil, 0))
	key := func(name string) reconcile.Key { return reconcile.Key{Namespace: "ns", Name: name} }
	for _, name := range []string{"a", "b", "c"} {
		r.paces.index.See(key(name), reconcile.Glimpse{})
	}
	r.mark(key("a"), 0, markDrifted)
	r.mark(key("a"), markDrifted, markDrifted)
	r.mark(key("a"), markDrifted, 0)
	r.mark(key("a"), 0, markDrifted)
	r.mark(key("b"), 0, markIntent)
	r.mark(key("c"), markIntent, markIntent|markUnknown)
	r.mark(key("gone"), 0, markIntent)
	var page metric.Page
	r.Metrics(&page)
	var text strings.Builder
	page.WriteTo(&text)
	for _, line := range []string{`mote_drift_total{kind="PostgresDB"} 2`, `mote_objects_drifted{kind="PostgresDB"} 1`,
		`mote_purchase_intents_open{outcome="awaited"} 1`, `mote_purchase_intents_open{outcome="unknown"} 1`} {
		if !strings.Contains(text.String(), line+"\n") {
			t.Errorf("no %s in\n%s", line, text.String())
		}
	}
}
