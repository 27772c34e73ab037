package postgresdb

import (
	"slices"
	"strings"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

// decideGroups brings the security groups to what the spec says, as a set; ok when
// they are, or when it names none. They are read only where it does, once in a turn.
func decideGroups(v View, i cloud.Instance) (Decision, bool) {
	want := groupSet(v.Object.Spec.SecurityGroupIDs)
	switch {
	case len(want) == 0:
		return Decision{}, true
	case v.Groups == nil:
		return Decision{Do: ReadGroups, InstanceID: i.ID}, false
	}
	have := groupSet(*v.Groups)
	if slices.Equal(have, want) {
		return Decision{}, true
	}
	return ask(v, i, asking{d: Decision{Do: SetGroups, Groups: want}, kind: databasev1.ChangeSecurityGroups, target: strings.Join(want, ","),
		what:    "security groups: " + named(have) + " becomes " + named(want),
		ongoing: "UpdatingSecurityGroups", failed: "SecurityGroupsNotTaken"}), false
}

// groupSet is a set of ids in one form and order.
func groupSet(ids []string) []string {
	var out []string
	for _, id := range ids {
		out = append(out, strings.ToLower(strings.TrimSpace(id)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func named(ids []string) string {
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}
