package postgresdb

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/forecast"
)

func TestExplain(t *testing.T) {
	shown := func(change func(*cloud.Instance)) *shopWindow {
		i := dbOf()
		change(&i)
		return &shopWindow{instances: map[string]cloud.Instance{i.ID: i}}
	}
	same := func(*cloud.Instance) {}
	for name, c := range map[string]struct {
		v     View
		cloud *shopWindow
		rule  string
		words []string // in the text
	}{
		"at rest": {see(ran), shown(same), "decideRunning, Running", []string{"Rest: nothing to do now", "instance", "is Running", "Last intent: have an instance"}},
		"being made": {see(bought(databasev1.PhaseProvisioning)), shown(func(i *cloud.Instance) { i.State = cloud.StateProvisioning }), "decideLife, Creating",
			[]string{"waits for: instance postgres-1, which is Provisioning", "looks again: in 1m0s"}},
		"a resize": {see(ran, spec1(func(s *databasev1.PostgresDBSpec) { s.StorageGB = 200 })), shown(same), "decideRunning, Resizing",
			[]string{"Decision: Resize: resize postgres-1", "because: resizing: 2C4G with 100 GB becomes 2C4G with 200 GB"}},
		"a resize that was refused": {see(ran, spec1(func(s *databasev1.PostgresDBSpec) { s.StorageGB = 200 }), refusedBefore("ModifyDBInstanceSpec")), shown(same), "decideRunning, Resizing",
			[]string{"Decision: Resize: resize postgres-1", "because: ModifyDBInstanceSpec in ap-guangzhou was refused", "waits for: somebody to put right what the cloud refuses", "looks again: in 9m0s"}},
		"an open intent": {see(openIntent(time.Minute, 1)), &shopWindow{}, "decideIntent, CreateOutcomeUnknown",
			[]string{"Last intent: buy mote-", "1 look-up found nothing", "by name", "0 instances named"}},
		"an order":     {see(openIntent(unmarked, 0, "order-1")), &shopWindow{}, "decideIntent, Creating", []string{"ordered as order-1", "waits for: the outcome of the purchase"}},
		"deleted":      {see(ran, deleted), shown(same), "decideDelete, Isolating", []string{"being deleted, kept by Mote's finalizer", "Decision: Isolate: stop postgres-1", "because: the object is being deleted"}},
		"no region":    {see(func(v *View) { v.Settings.Region = "" }), &shopWindow{}, "Decide, RegionMissing", []string{"somebody to put right"}},
		"gone":         {see(ran), &shopWindow{}, "decideLife, InstanceMissing", []string{"the cloud does not know it"}},
		"no answer":    {see(ran), &shopWindow{err: &cloud.Error{Class: cloud.NotSent, Action: "Describe", Code: "No"}}, "decideLife, ReadInstance", []string{"none: ReadInstance failed", "Could not see"}},
		"not for sale": {see(spec1(func(s *databasev1.PostgresDBSpec) { s.InstanceClass = "9C9G" })), &shopWindow{}, "decideCreate, ClassNotForSale", []string{"9C9G is not for sale"}},
	} {
		r := newRehearsal(c.v.Object, c.v.Settings, Sight{Now: c.v.Now, Cloud: c.cloud})
		r.secret = connectedSecret()
		x := r.explain(t.Context())
		var b strings.Builder
		x.WriteText(&b)
		for _, w := range c.words {
			if !strings.Contains(b.String(), w) {
				t.Errorf("%s: it does not say %q:\n%s", name, w, b.String())
			}
		}
		if x.Rule != c.rule {
			t.Errorf("%s: the rule is %q, want %q", name, x.Rule, c.rule)
		}
		if strings.Contains(b.String(), testPassword) {
			t.Errorf("%s: a password is explained", name)
		}
	}
}

// What a running controller's watch saw is told with its age.
func TestExplainWatch(t *testing.T) {
	v := see(ran)
	i := dbOf()
	r := newRehearsal(v.Object, v.Settings, Sight{Now: v.Now, Cloud: &shopWindow{instances: map[string]cloud.Instance{i.ID: i}},
		Watch: func(_, id string) (cloud.Instance, bool, time.Time, bool) {
			return i, true, v.Now.Add(-5 * time.Second), id == i.ID
		}})
	r.secret = connectedSecret()
	x := r.explain(t.Context())
	if !slices.ContainsFunc(x.Seen, func(s forecast.Seen) bool { return s.By == "the cloud's watch" && x.Age(s.At) == "5s" }) {
		t.Errorf("%+v", x.Seen)
	}
}

// Explanations are in a person's words, singular and plural included.
func TestExplainWords(t *testing.T) {
	for n, want := range map[int]string{0: "0 sizes", 1: "1 size", 2: "2 sizes"} {
		if got := counted(n, "size"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for kind, want := range map[string]string{databasev1.ChangeResize: "resize to x", databasev1.ChangeUpgrade: "upgrade to x", databasev1.ChangeRename: "rename to x",
		databasev1.ChangeTags: "set the tags to x", databasev1.ChangeSecurityGroups: "set the security groups to x"} {
		o := &databasev1.PostgresDB{Status: databasev1.PostgresDBStatus{Change: &databasev1.CloudChange{Kind: kind, Target: "x"}}}
		if got, _ := intentOf(o); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
