package postgresdb

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

// tagChange is what has to change about an instance's tags.
type tagChange struct {
	set  map[string]string
	drop []string
}

// wantedTags compares tags as the cloud means them: without the spaces around them,
// in no order. Only those that the spec speaks of count, those that it has spoken
// of before (status.appliedTags), and the proof of ownership on what Mote bought;
// tags that others have put on stay.
func wantedTags(v View, i cloud.Instance) tagChange {
	have := map[string]string{}
	for k, x := range i.Tags {
		have[strings.TrimSpace(k)] = strings.TrimSpace(x)
	}
	want := map[string]string{}
	for k, x := range v.Object.Spec.Tags {
		want[strings.TrimSpace(k)] = strings.TrimSpace(string(x))
	}
	if !v.adopted() {
		want[TagUID], want[TagObject] = string(v.Object.UID), objectTag(v.Object)
	}
	c := tagChange{set: map[string]string{}}
	for k, x := range want {
		if was, there := have[k]; !there || was != x {
			c.set[k] = x
		}
	}
	for _, k := range v.Object.Status.AppliedTags {
		if _, wanted := want[k]; wanted {
			continue
		}
		if _, there := have[k]; there {
			c.drop = append(c.drop, k)
		}
	}
	slices.Sort(c.drop)
	return c
}

func (c tagChange) none() bool { return len(c.set)+len(c.drop) == 0 }

// String says what changes, without values, which may be long.
func (c tagChange) String() string {
	var parts []string
	if len(c.set) > 0 {
		parts = append(parts, "set "+strings.Join(slices.Sorted(maps.Keys(c.set)), ", "))
	}
	if len(c.drop) > 0 {
		parts = append(parts, "take off "+strings.Join(c.drop, ", "))
	}
	return "tags: " + strings.Join(parts, "; ")
}

// target tells one change from another.
func (c tagChange) target() string {
	h := fnv.New64a()
	for _, k := range slices.Sorted(maps.Keys(c.set)) {
		fmt.Fprintf(h, "%q=%q ", k, c.set[k])
	}
	fmt.Fprintf(h, "%q", c.drop)
	return fmt.Sprintf("%016x", h.Sum64())
}

// tagKeys are the keys that spec.tags speaks of, in order.
func tagKeys(s databasev1.PostgresDBSpec) []string {
	var keys []string
	for k := range s.Tags {
		keys = append(keys, strings.TrimSpace(k))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// objectTag is the value of TagObject.
func objectTag(o *databasev1.PostgresDB) string { return o.Namespace + "/" + o.Name }

// decideTags brings the tags to what the spec says; ok when they are. The keys of
// those that are about to be set are written down before: whatever dies when, none
// is left on the instance that nobody answers for.
func decideTags(v View, i cloud.Instance) (Decision, bool) {
	if v.Object.Status.Phase == databasev1.PhaseProvisioning && owner(i) == "" && !v.adopted() {
		return Decision{}, true // it was bought with its tags; the cloud does not show them yet
	}
	c := wantedTags(v, i)
	if c.none() {
		return Decision{}, true
	}
	answersFor := slices.Concat(v.Object.Status.AppliedTags, tagKeys(v.Object.Spec))
	slices.Sort(answersFor)
	if answersFor = slices.Compact(answersFor); len(answersFor) > len(v.Object.Status.AppliedTags) {
		return Decision{Do: RecordTags, TagKeys: answersFor}, false
	}
	return ask(v, i, asking{d: Decision{Do: SetTags, Tags: c.set, DropTags: c.drop}, kind: databasev1.ChangeTags, target: c.target(),
		what: c.String(), ongoing: "UpdatingTags", failed: "TagsNotTaken"}), false
}
