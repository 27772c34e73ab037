package killtest

import (
	"fmt"
	"slices"
	"testing"
)

// bug is one that is put in on purpose, and a round that must find it.
type bug struct {
	mutant string // as postgresdb.Mutants names it
	moment string
	want   offence
}

var bugs = []bug{
	{"skip-look-up", "after CreateInstances' effect, before its answer", boughtTwice},
	{"drop-finalizer-early", "isolation in flight, before its answer", abandoned},
	{"retry-ambiguous-create", "after CreateInstances' effect, listed only when looked for", boughtTwice},
}

// life is one that is killed at the bug's moment.
func (b bug) life(t *testing.T, s *site) *life {
	t.Helper()
	of := func(m moment) bool { return m.name == b.moment }
	l := &life{s: s, name: "db-" + b.mutant}
	if i := slices.IndexFunc(creation, of); i >= 0 {
		l.create = &creation[i]
	} else if i := slices.IndexFunc(deletion, of); i >= 0 {
		l.delete = &deletion[i]
	} else {
		t.Fatalf("there is no moment %q", b.moment)
	}
	return l
}

func ignore(*life) {}

// TestMutants: the killing finds the bugs that are put in on purpose. Were one not
// found, it would prove little.
func TestMutants(t *testing.T) {
	for _, b := range bugs {
		t.Run(b.mutant, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, b.mutant, mutants, []string{"MOTE_MUTANT=" + b.mutant}, "--linger-time=1h")
			lives := []*life{b.life(t, s)}
			found := s.run(func() { s.named(lives, ignore) })
			if len(found) != 1 || found[0].offence != b.want {
				t.Errorf("found %v, want: %s", verdict(found), b.want)
				return
			}
			progress(fmt.Sprintf("%s is found: %s: %s", b.mutant, found[0].offence, found[0].what))
		})
	}
}

// TestMutantsWithoutBug: it is the bugs that are found, and not how they are built.
func TestMutantsWithoutBug(t *testing.T) {
	t.Parallel()
	s := newSite(t, "no-bug", mutants, nil, "--linger-time=1h")
	var lives []*life
	for _, b := range bugs {
		lives = append(lives, b.life(t, s))
	}
	if err := verdict(s.run(func() { s.named(lives, ignore) })); err != nil {
		t.Error(err)
	}
}
