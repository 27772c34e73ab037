package postgresdb

import (
	"fmt"
	"slices"
	"strings"

	"example.com/mote/cloud"
)

// versionChange is the upgrade that an instance needs, or why there is none that
// leads to what the spec asks for. All three are zero when it runs what is asked for.
type versionChange struct {
	to    *cloud.Version
	major bool
	why   string
}

// wantedVersion finds the newest version that fulfils the wish and that the cloud
// can upgrade the instance to. Minors are those that the running kernel names as its
// targets; for a later major, of which the API does not promise that they are
// named there, any kernel that is not deprecated will do when none is named.
func wantedVersion(all []cloud.Version, i cloud.Instance, wish string) versionChange {
	runsMajor, _, _ := strings.Cut(i.Version, ".")
	major, _, _ := strings.Cut(wish, ".")
	switch {
	case Satisfies(i.Version, wish):
		return versionChange{}
	case atoi(runsMajor) == 0:
		return versionChange{why: fmt.Sprintf("the cloud does not say which version of PostgreSQL instance %s runs", i.ID)}
	case atoi(major) < atoi(runsMajor):
		return versionChange{why: fmt.Sprintf("PostgreSQL %s runs, and there is no way back to %s: set spec.engineVersion to %s or later", i.Version, wish, runsMajor)}
	}
	var targets []string
	for _, x := range all {
		if x.Kernel == i.Kernel {
			targets = x.Targets
		}
	}
	ofMajor := func(x cloud.Version) bool { return x.Major == major && !x.Withdrawn && x.Kernel != "" }
	named := func(x cloud.Version) bool { return slices.Contains(targets, x.Kernel) && ofMajor(x) }
	reachable := named
	if major != runsMajor && !slices.ContainsFunc(all, named) {
		reachable = ofMajor
	}
	c := versionChange{major: major != runsMajor}
	var possible []string
	for n := range all {
		x := &all[n]
		if !reachable(*x) {
			continue
		}
		possible = append(possible, x.Minor)
		if Satisfies(x.Minor, wish) && (c.to == nil || newer(*x, *c.to)) {
			c.to = x
		}
	}
	if c.to == nil {
		c.why = fmt.Sprintf("PostgreSQL %s runs, and the cloud offers no upgrade to %s; %s", i.Version, wish, possibleAre(possible))
	}
	return c
}

// newer tells whether a is a later minor than b, or a later kernel of the same one.
func newer(a, b cloud.Version) bool {
	if x, y := minorOf(a), minorOf(b); x != y {
		return x > y
	}
	return kernelRevision(a.Kernel) > kernelRevision(b.Kernel)
}

func minorOf(v cloud.Version) int {
	_, minor, _ := strings.Cut(v.Minor, ".")
	return atoi(minor)
}

// kernelRevision is 108 for "v14.11_r1.8" and 110 for "v14.11_r1.10".
func kernelRevision(kernel string) int {
	_, revision, _ := strings.Cut(kernel, "_r")
	first, second, _ := strings.Cut(revision, ".")
	return atoi(first)*10000 + atoi(second)
}

func possibleAre(minors []string) string {
	if len(minors) == 0 {
		return "none of that major version is possible"
	}
	slices.SortFunc(minors, func(a, b string) int { return minorOf(cloud.Version{Minor: a}) - minorOf(cloud.Version{Minor: b}) })
	return "possible are " + strings.Join(slices.Compact(minors), ", ")
}
