package postgresdb

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/mote/cloud"
	"example.com/mote/reconcile"
)

// noted is a watch that writes down what it is told.
type noted struct {
	told []string
	rest bool
}

func (n *noted) Track(region, id string, k reconcile.Key, seen uint64, urgent bool) {
	what := "seen"
	switch seen {
	case 0:
		what = "unknown"
	case cloud.Absent:
		what = "absent"
	case dbOf().Fingerprint():
		what = "as it should be"
	}
	n.told = append(n.told, fmt.Sprintf("track %s/%s for %s: %s, urgent %t", region, id, k, what, urgent))
}

func (n *noted) Forget(region, id string) { n.told = append(n.told, "forget "+region+"/"+id) }

func (n *noted) Left(reconcile.Key) {}

func (n *noted) AtRest(reconcile.Key) bool { return n.rest }

func (n *noted) Latest(string, string) (cloud.Instance, bool, time.Time, bool) {
	return cloud.Instance{}, false, time.Time{}, false
}

func (n *noted) want(t *testing.T, what string, told ...string) {
	t.Helper()
	if !slices.Equal(n.told, told) {
		t.Errorf("%s: told %q, want %q", what, n.told, told)
	}
	n.told = nil
}

func TestWhatIsFollowedAfterATurn(t *testing.T) {
	noAddress := func(i *cloud.Instance) { i.Host = "" }
	const at = "track ap-guangzhou/postgres-1 for shop/orders: "
	for name, c := range map[string]struct {
		v    View
		told []string
	}{
		"nothing bought":   {see(seenAs()), nil},
		"nothing looked":   {see(ran), nil},
		"runs":             {see(ran, seenAs()), []string{at + "as it should be, urgent false"}},
		"limited":          {see(ran, seenAs(inState(cloud.StateLimited))), []string{at + "seen, urgent false"}},
		"isolated":         {see(ran, seenAs(inState(cloud.StateIsolated), noAddress)), []string{at + "seen, urgent false"}},
		"being made":       {see(ran, seenAs(inState(cloud.StateProvisioning))), []string{at + "seen, urgent true"}},
		"busy":             {see(ran, seenAs(inState(cloud.StateBusy))), []string{at + "seen, urgent true"}},
		"without address":  {see(ran, seenAs(noAddress)), []string{at + "seen, urgent true"}},
		"gone":             {see(ran, unknown), []string{at + "absent, urgent false"}},
		"runs, is deleted": {see(ran, deleted, seenAs()), []string{at + "as it should be, urgent false"}},
	} {
		n := &noted{}
		(&follows{watch: n}).after(testKey, c.v)
		n.want(t, name, c.told...)
	}
}

func TestOneInstanceIsFollowedForAnObject(t *testing.T) {
	n := &noted{}
	f := &follows{watch: n}
	f.track(testKey, "r", "a", 0, true)
	f.track(testKey, "r", "b", 0, true)
	n.want(t, "another instance", "track r/a for shop/orders: unknown, urgent true", "forget r/a", "track r/b for shop/orders: unknown, urgent true")
	f.drop(testKey)
	f.drop(testKey)
	n.want(t, "the object left", "forget r/b")
}

// A start follows what is steady from what it says, and leaves the rest to its turns.
func TestFollowedFromTheStart(t *testing.T) {
	status := func(v *View) { v.Object.Status = Status(*v, *Decide(see(ran, seenAs(), connected())).Show) }
	for name, c := range map[string]struct {
		v    View
		told []string
	}{
		"runs":          {see(ran, status), []string{"track ap-guangzhou/postgres-1 for shop/orders: as it should be, urgent false"}},
		"is deleted":    {see(ran, status, deleted), nil},
		"is being made": {see(bought("Provisioning")), nil},
		"is new":        {see(), nil},
	} {
		n := &noted{}
		u, err := runtime.DefaultUnstructuredConverter.ToUnstructured(c.v.Object)
		if err != nil {
			t.Fatal(err)
		}
		(&follows{watch: n}).seen(testKey, &unstructured.Unstructured{Object: u})
		n.want(t, name, c.told...)
	}
	u, err := runtime.DefaultUnstructuredConverter.ToUnstructured(see(ran, status).Object)
	if err != nil {
		t.Fatal(err)
	}
	steady := &unstructured.Unstructured{Object: u}
	n := &noted{}
	f := &follows{watch: n}
	f.track(testKey, "ap-guangzhou", "postgres-1", 0, true)
	n.told = nil
	f.seen(testKey, steady)
	n.want(t, "one in transition stays so")
	// The status that a turn has written comes back as an event: it is not all that
	// the turn saw, an instance that is limited runs, too.
	n = &noted{rest: true}
	(&follows{watch: n}).seen(testKey, steady)
	n.want(t, "one at rest stays as its turn left it")
}

func TestPacesKnowWhatIsAtRest(t *testing.T) {
	p, x := testPaces()
	if p.AtRest(testKey) {
		t.Error("an object that is not there")
	}
	x.See(testKey, reconcile.Glimpse{Interest: 1})
	if p.AtRest(testKey) {
		t.Error("nothing was told yet")
	}
	p.Track("r", "postgres-dnlizio3", testKey, 5, false)
	if !p.AtRest(testKey) {
		t.Error("at rest, and not known")
	}
	p.Track("r", "postgres-dnlizio3", testKey, 5, true)
	if p.AtRest(testKey) {
		t.Error("urgent is not at rest")
	}
	p.Track("r", "postgres-dnlizio3", testKey, 5, false)
	x.Leave(testKey)
	if p.AtRest(testKey) {
		t.Error("the object has left")
	}
}
