package killtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// all is how many rounds there are.
const all = 200

// TestKilled: whenever mote is killed, what comes after it buys nothing twice,
// leaves nothing behind, and brings each object to where it belongs.
func TestKilled(t *testing.T) {
	progress(fmt.Sprintf("random moments come from -seed %d", *seed))
	t.Logf("-seed %d makes the same choices again, if not the same moments", *seed)
	rnd := rand.New(rand.NewPCG(*seed, 0))
	rec := &record{of: all, kills: map[string]int{}}
	whole, early := wholeLives(rnd), earlyLives(rnd)
	random := make([]*life, max(0, all-len(whole)-len(early)))
	for i := range random {
		random[i] = &life{}
	}
	t.Run("rounds", func(t *testing.T) {
		for i, lives := range sites(whole) {
			run(t, fmt.Sprintf("whole-%d", i+1), lives, []string{"--linger-time=100ms"}, func(s *site) { s.named(lives, rec.done) })
		}
		for i, lives := range sites(early) {
			run(t, fmt.Sprintf("early-%d", i+1), lives, nil, func(s *site) { s.named(lives, rec.done) })
		}
		for i, lives := range sites(random) {
			rnd := rand.New(rand.NewPCG(*seed, uint64(i+1)))
			run(t, fmt.Sprintf("random-%d", i+1), lives, []string{"--latency=20ms"}, func(s *site) { s.atRandom(lives, rnd, i%2 == 0, rec.done) })
		}
	})
	t.Log(rec.table())
	if t.Failed() {
		return
	}
	if rec.rounds < all {
		t.Logf("%d rounds of %d were asked for", rec.rounds, all)
		return
	}
	for _, m := range slices.Concat(creation, changes, deletion) {
		if rec.kills[m.name] == 0 {
			t.Errorf("nothing was killed %s", m.name)
		}
	}
}

// sites shares lives out to sites of ten.
func sites(lives []*life) [][]*life {
	return slices.Collect(slices.Chunk(lives, 10))
}

// run runs one site's script beside others.
func run(t *testing.T, name string, lives []*life, flags []string, script func(*site)) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		s := newSite(t, name, cluster.Paths.Mote, nil, append([]string{"--linger-time=1h"}, flags...)...)
		for i, l := range lives {
			l.s, l.name = s, fmt.Sprintf("db-%d", i+1)
		}
		if err := verdict(s.run(func() { script(s) })); err != nil {
			t.Error(err)
		}
	})
}
