package killtest

import (
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"example.com/mote/cloud/standin"
	"example.com/mote/testbed/watchtest/faulty"
)

// randomKills is how often a site's process is killed at most; then what is left
// comes to its end.
const randomKills = 20

// mishaps befall calls now and then while processes die.
var mishaps = []standin.Fault{
	{Action: "CreateInstances", Kind: standin.Cut, Probability: 0.15},
	{Action: "CreateInstances", Kind: standin.Cut, After: true, Probability: 0.15},
	{Action: "ModifyDBInstanceSpec", Kind: standin.Cut, After: true, Probability: 0.2},
	{Action: "IsolateDBInstances", Kind: standin.Cut, After: true, Probability: 0.2},
	{Action: "DescribeDBInstances", Kind: standin.ErrorCode, Code: "InternalError", Probability: 0.05},
}

// atRandom takes lives from creation to their end while the process is killed at
// random moments.
func (s *site) atRandom(lives []*life, rnd *rand.Rand, faults bool, done func(*life)) {
	if faults {
		_, err := s.cloud.AddFaults(s.ctx, mishaps...)
		s.must(err)
	}
	var over atomic.Int32
	var kills atomic.Int32
	var scripts []func()
	for _, l := range lives {
		rnd := rand.New(rand.NewPCG(rnd.Uint64(), rnd.Uint64()))
		scripts = append(scripts, func() {
			defer over.Add(1)
			pause(rnd, 3*time.Second)
			first := kills.Load()
			l.begin()
			l.live(rnd)
			l.kills = int(kills.Load() - first)
		})
	}
	scripts = append(scripts, func() {
		s.start()
		for range randomKills {
			s.some(rnd, func() bool { return int(over.Load()) == len(lives) })
			if int(over.Load()) == len(lives) {
				return
			}
			s.kill()
			kills.Add(1)
			s.start()
		}
		s.must(s.cloud.ClearFaults(s.ctx))
	})
	s.together(scripts...)
	if s.ctx.Err() != nil {
		return
	}
	s.clean()
	for _, l := range lives {
		l.over()
		done(l)
	}
}

// live is an object's life, which now and then ends early.
func (l *life) live(rnd *rand.Rand) {
	l.random, l.early = true, rnd.IntN(4) == 0
	if l.early {
		pause(rnd, 4*time.Second)
	} else {
		l.s.until(l.name+" runs", l.runs)
		if rnd.IntN(3) > 0 {
			resize(l)
			l.s.until(l.name+" runs with its new size", l.runs)
		}
	}
	l.remove()
	l.s.until(l.name+" is gone", l.isGone)
}

// some waits until the process has sent some more requests to the API server, and
// a little more; a moment that does not depend on how busy the machine is.
func (s *site) some(rnd *rand.Rand, over func() bool) {
	count := func() int {
		return s.proxy.Count(func(r *http.Request) bool { return !faulty.Watches(r) })
	}
	enough := count() + 1 + rnd.IntN(60)
	for limit := time.Now().Add(2 * time.Second); count() < enough && time.Now().Before(limit) && !over() && s.ctx.Err() == nil; {
		time.Sleep(5 * time.Millisecond)
	}
	pause(rnd, 100*time.Millisecond)
}

// pause waits for a random time.
func pause(rnd *rand.Rand, limit time.Duration) { time.Sleep(time.Duration(rnd.Int64N(int64(limit)))) }
