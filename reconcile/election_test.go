package reconcile

import (
	"testing"
	"time"
)

const (
	tick = time.Second
	// The times of the elections below, in ticks.
	holds = 3 * tick // the lease's duration
	works = 2 * tick // what of it the holder works
)

func TestElectionChoices(t *testing.T) {
	held := lease{version: "7", holder: "other", duration: holds, transitions: 4}
	mine := lease{version: "7", holder: "me", duration: holds, transitions: 4}
	none := lease{}
	me := election{identity: "me", duration: holds}
	for _, c := range []struct {
		name string
		e    election
		now  time.Duration
		want choice
	}{
		{"before the first read", me, 100 * tick, wait},
		{"there is no Lease, and never was one to our knowledge", me.observed(none, 5*tick), 5 * tick, acquire},
		{"it is released", me.observed(lease{version: "7"}, 5*tick), 5 * tick, acquire},

		{"held by another, just seen", me.observed(held, 5*tick), 5 * tick, wait},
		{"held by another, not long enough unchanged", me.observed(held, 5*tick), 8*tick - 1, wait},
		{"held by another, long enough unchanged", me.observed(held, 5*tick), 8 * tick, acquire},
		{"seen again unchanged, the time goes on from when it was first seen", me.observed(held, 5*tick).observed(held, 7*tick), 8 * tick, acquire},
		{"seen renewed, the time begins again", me.observed(held, 5*tick).observed(lease{version: "8", holder: "other", duration: holds}, 7*tick), 9 * tick, wait},
		{"touched by somebody else, the time begins again", me.observed(held, 5*tick).observed(lease{version: "8", holder: "other", duration: holds}, 7*tick), 10 * tick, acquire},
		{"its holder wants longer than we would", me.observed(lease{version: "7", holder: "other", duration: 9 * tick}, 0), 9*tick - 1, wait},
		{"and that is over", me.observed(lease{version: "7", holder: "other", duration: 9 * tick}, 0), 9 * tick, acquire},
		{"its holder wants less", me.observed(lease{version: "7", holder: "other", duration: tick}, 0), tick, acquire},
		{"its holder does not say", me.observed(lease{version: "7", holder: "other"}, 0), 3*tick - 1, wait},
		{"its times tell of another year", me.observed(lease{version: "7", holder: "other", duration: holds, renewed: time.Unix(0, 0)}, 5*tick), 7 * tick, wait},

		{"the Lease is gone although somebody held it", me.observed(held, 0).observed(none, 9*tick), 12*tick - 1, wait},
		{"and stays away", me.observed(held, 0).observed(none, 9*tick).observed(none, 11*tick), 12 * tick, acquire},
		{"gone, of a holder that wanted longer", me.observed(lease{version: "7", holder: "other", duration: 9 * tick}, 0).observed(none, tick), 10*tick - 1, wait},
		{"gone after a release: another may have come and gone", me.observed(lease{version: "7"}, 0).observed(none, tick), 2 * tick, wait},

		{"ours, by a write whose answer was lost", me.observed(held, 0).observed(lease{version: "8", holder: "me", duration: holds}, 4*tick), 4 * tick, acquire},
		{"ours, by a creation whose answer was lost", me.observed(none, 0).observed(mine, 4*tick), 4 * tick, acquire},
		{"ours, by a namesake before us", me.observed(mine, 4*tick), 7*tick - 1, wait},

		{"we lead", me.written(mine, 5*tick), 5 * tick, renew},
		{"to the last moment", me.written(mine, 5*tick), 7*tick - 1, renew},
		{"and no longer", me.written(mine, 5*tick), 7 * tick, lost},
		{"we lead, and another took it", me.written(mine, 5*tick).observed(held.at("8"), 6*tick), 6 * tick, lost},
		{"we lead, and somebody emptied it", me.written(mine, 5*tick).observed(lease{version: "8"}, 6*tick), 6 * tick, lost},
		{"we lead, and somebody deleted it", me.written(mine, 5*tick).observed(none, 6*tick), 6 * tick, renew},
		{"we lead, and our write took effect though its answer was lost", me.written(mine, 5*tick).observed(mine.at("8"), 6*tick), 6 * tick, renew},
		{"that does not lengthen our time", me.written(mine, 5*tick).observed(mine.at("8"), 6*tick), 7 * tick, lost},

		{"we led, and nobody took it since", me.written(mine, 5*tick).ended(), 20 * tick, acquire},
		{"we led, and another took it since", me.written(mine, 5*tick).ended().observed(held.at("8"), 20*tick), 22 * tick, wait},
	} {
		if got := c.e.choose(c.now); got != c.want {
			t.Errorf("%s: chose %d, want %d", c.name, got, c.want)
		}
	}
}

func (l lease) at(version string) lease {
	l.version = version
	return l
}

func TestElectionBid(t *testing.T) {
	me := election{identity: "me", duration: holds}
	day := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	mine := lease{version: "7", holder: "me", duration: holds, acquired: day, renewed: day.Add(time.Hour), transitions: 4}
	for _, c := range []struct {
		name string
		e    election
		wall time.Time
		want lease
	}{
		{"the first of all", me.observed(lease{}, 0), day, lease{holder: "me", duration: holds, acquired: day, renewed: day}},
		{"after another", me.observed(lease{version: "7", holder: "other", acquired: day, renewed: day, transitions: 4}, 0), day.Add(time.Minute),
			lease{holder: "me", duration: holds, acquired: day.Add(time.Minute), renewed: day.Add(time.Minute), transitions: 5}},
		{"after a release", me.observed(lease{version: "7", acquired: day, transitions: 4}, 0), day.Add(time.Minute),
			lease{holder: "me", duration: holds, acquired: day.Add(time.Minute), renewed: day.Add(time.Minute), transitions: 5}},
		{"a renewal", me.written(mine, 0), day.Add(2 * time.Hour),
			lease{holder: "me", duration: holds, acquired: day, renewed: day.Add(2 * time.Hour), transitions: 4}},
		{"a renewal by a clock that stands still", me.written(mine, 0), day.Add(time.Hour),
			lease{holder: "me", duration: holds, acquired: day, renewed: day.Add(time.Hour + time.Microsecond), transitions: 4}},
		{"a renewal by a clock that was set back", me.written(mine, 0), day.Add(-time.Hour),
			lease{holder: "me", duration: holds, acquired: day, renewed: day.Add(time.Hour + time.Microsecond), transitions: 4}},
	} {
		if got := c.e.bid(c.wall); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
	want := lease{duration: holds, acquired: day, renewed: day.Add(2 * time.Hour), transitions: 4}
	if got := me.written(mine, 0).released(day.Add(2 * time.Hour)); got != want {
		t.Errorf("a release:\n got %+v\nwant %+v", got, want)
	}
}
