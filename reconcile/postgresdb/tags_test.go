package postgresdb

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

func tagged(tags map[string]string) func(*cloud.Instance) {
	return func(i *cloud.Instance) {
		i.Tags = maps.Clone(i.Tags)
		maps.Copy(i.Tags, tags)
	}
}

func specTags(tags map[string]databasev1.TagValue) tweak {
	return spec1(func(s *databasev1.PostgresDBSpec) { s.Tags = tags })
}

func applied(keys ...string) tweak {
	return func(v *View) { v.Object.Status.AppliedTags = keys }
}

func TestWantedTags(t *testing.T) {
	const uid, object = testUID, testNamespace + "/" + testName
	for name, c := range map[string]struct {
		spec    map[string]databasev1.TagValue
		applied []string
		adopted bool
		has     map[string]string
		set     map[string]string
		drop    []string
	}{
		"as they should be":          {spec: map[string]databasev1.TagValue{"a": "1"}, applied: []string{"a"}, has: map[string]string{"a": "1"}},
		"others' stay":               {has: map[string]string{"theirs": "x"}},
		"spaces do not count":        {spec: map[string]databasev1.TagValue{" a ": " 1 "}, applied: []string{"a"}, has: map[string]string{"a": "1"}},
		"nor do they in the cloud":   {spec: map[string]databasev1.TagValue{"a": "1"}, applied: []string{"a"}, has: map[string]string{"a": " 1"}},
		"a new one":                  {spec: map[string]databasev1.TagValue{"a": "1", "b": "2"}, has: map[string]string{"a": "1"}, set: map[string]string{"b": "2"}},
		"an empty one":               {spec: map[string]databasev1.TagValue{"a": ""}, set: map[string]string{"a": ""}},
		"another value":              {spec: map[string]databasev1.TagValue{"a": "2"}, has: map[string]string{"a": "1"}, set: map[string]string{"a": "2"}},
		"case counts":                {spec: map[string]databasev1.TagValue{"a": "X"}, has: map[string]string{"a": "x"}, set: map[string]string{"a": "X"}},
		"one that left the spec":     {applied: []string{"a", "b"}, has: map[string]string{"a": "1"}, drop: []string{"a"}},
		"both":                       {spec: map[string]databasev1.TagValue{"b": "2"}, applied: []string{"a", "b"}, has: map[string]string{"a": "1"}, set: map[string]string{"b": "2"}, drop: []string{"a"}},
		"the proof of ownership":     {has: map[string]string{TagUID: "u-2", TagObject: "x"}, set: map[string]string{TagUID: uid, TagObject: object}},
		"adopted: no proof is put":   {adopted: true, has: map[string]string{TagUID: "", TagObject: ""}},
		"adopted: the spec's are":    {adopted: true, spec: map[string]databasev1.TagValue{"a": "1"}, set: map[string]string{"a": "1"}},
		"the proof is never dropped": {applied: []string{TagUID}},
	} {
		v := see(ran, specTags(c.spec), applied(c.applied...))
		if c.adopted {
			adopts(&v)
		}
		got := wantedTags(v, dbOf(tagged(c.has)))
		if !maps.Equal(got.set, c.set) || !slices.Equal(got.drop, c.drop) || got.none() != (len(c.set)+len(c.drop) == 0) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestTags(t *testing.T) {
	a := specTags(map[string]databasev1.TagValue{"a": "1", "b": "2"})
	both := tagged(map[string]string{"a": "1", "b": "2"})
	untagged := func(i *cloud.Instance) { i.Tags = nil }
	changed := databasev1.CloudChange{Kind: "Tags", Target: wantedTags(see(a), dbOf()).target()}
	check(t, []ruling{
		{"the keys are written down first", see(ran, a, seenAs(), connected()), expected{do: RecordTags}},
		{"then they are set", see(ran, a, applied("a", "b"), seenAs(), connected()), expected{do: SetTags, phase: "Updating", reason: "UpdatingTags"}},
		{"they are there", see(ran, a, seenAs(both), connected()), expected{do: Rest, phase: "Running"}},
		{"one is dropped", see(ran, applied("a"), seenAs(both), connected()), expected{do: SetTags}},
		{"the cloud does not show them", see(askedFor(changed, "UpdatingTags", time.Hour), a, applied("a", "b"), seenAs(), connected()), expected{do: Rest, phase: "Failed", reason: "TagsNotTaken"}},
		{"just bought: not shown yet", see(bought("Provisioning"), a, seenAs(untagged), connected(), found()), expected{do: Rest, phase: "Running"}},
	})
	d := Decide(see(ran, applied("a"), a, seenAs(), connected()))
	if !slices.Equal(d.TagKeys, []string{"a", "b"}) {
		t.Errorf("%+v", d)
	}
	v := see(ran, applied("a", "gone"), a, seenAs(both), connected())
	if st := Status(v, *Decide(v).Show); !slices.Equal(st.AppliedTags, []string{"a", "b"}) {
		t.Errorf("answers for %v", st.AppliedTags)
	}
	d = Decide(see(ran, applied("a", "b", "c"), a, seenAs(tagged(map[string]string{"c": "secret value"})), connected()))
	if !strings.Contains(d.Show.Message, "set a, b; take off c") || strings.Contains(d.Show.Message, "value") {
		t.Error(d.Show.Message)
	}
}

func TestSecurityGroups(t *testing.T) {
	want := spec1(func(s *databasev1.PostgresDBSpec) { s.SecurityGroupIDs = []string{"sg-b", "sg-a"} })
	has := func(ids ...string) tweak { return func(v *View) { v.Groups = &ids } }
	check(t, []ruling{
		{"none named: not even read", see(ran, seenAs(), connected()), expected{do: Rest, phase: "Running"}},
		{"read", see(ran, want, seenAs(), connected()), expected{do: ReadGroups, id: "postgres-1"}},
		{"the same in another order and form", see(ran, want, has("SG-A ", "sg-b", "sg-b"), seenAs(), connected()), expected{do: Rest, phase: "Running"}},
		{"others", see(ran, want, has("sg-a"), seenAs(), connected()), expected{do: SetGroups, phase: "Updating", reason: "UpdatingSecurityGroups"}},
		{"the cloud does not take them", see(askedFor(databasev1.CloudChange{Kind: "SecurityGroups", Target: "sg-a,sg-b"}, "UpdatingSecurityGroups", time.Hour), want, has("sg-c"), seenAs(), connected()),
			expected{do: Rest, phase: "Failed", reason: "SecurityGroupsNotTaken"}},
	})
	d := Decide(see(ran, want, has(), seenAs(), connected()))
	if !slices.Equal(d.Groups, []string{"sg-a", "sg-b"}) || !strings.Contains(d.Show.Message, "none becomes sg-a, sg-b") {
		t.Errorf("%+v %s", d.Groups, d.Show.Message)
	}
}
