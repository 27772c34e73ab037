package killtest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"

	"example.com/mote/cloud/standin"
)

// calls are those that the cloud has had.
func (s *site) calls() []standin.Call {
	c, err := s.cloud.Calls(s.ctx, 0)
	s.must(err)
	return c.Recent
}

// named takes lives from creation to their end, with a kill at the moments of
// each: all lives are at theirs when the process dies.
func (s *site) named(lives []*life, done func(*life)) {
	for _, l := range lives {
		l.begin()
	}
	early := func(l *life) bool { return l.early }
	s.killAt(lives, func(l *life) *moment { return l.create }, s.start, func() {
		for _, l := range lives {
			if l.early {
				l.remove()
			}
		}
	})
	s.settled(lives, early)
	s.killAt(lives, func(l *life) *moment { return l.change }, func() {
		for _, l := range lives {
			if l.change != nil {
				l.change.begin(l)
			}
		}
	}, nil)
	s.settled(lives, early)
	s.killAt(lives, func(l *life) *moment { return l.delete }, func() {
		for _, l := range lives {
			if !l.early {
				l.remove()
			}
		}
	}, nil)
	s.settled(lives, func(*life) bool { return true })
	s.clean()
	for _, l := range lives {
		l.over()
		done(l)
	}
}

// settled waits until each life is over, if it should be, or runs.
func (s *site) settled(lives []*life, over func(*life) bool) {
	for _, l := range lives {
		if over(l) {
			s.until(l.name+" is gone, "+strings.Join(l.killed, ", "), l.isGone)
		} else {
			s.until(l.name+" runs, "+strings.Join(l.killed, ", "), l.runs)
		}
	}
}

// killAt kills the process when each life has come to its moment, and starts
// another. begin sets the lives on their way; dead is done while no process runs.
func (s *site) killAt(lives []*life, of func(*life) *moment, begin, dead func()) {
	stops := map[*life]stop{}
	before := len(s.calls())
	for _, l := range lives {
		if m := of(l); m != nil {
			stops[l] = m.arm(l)
		}
	}
	begin()
	if len(stops) == 0 {
		return
	}
	s.until("all have come to their moment", func() error {
		calls := s.calls()
		var missing []string
		for l, stop := range stops {
			if !stop.there(calls[before:]) {
				missing = append(missing, l.name+": "+of(l).name)
			}
		}
		if missing != nil {
			return fmt.Errorf("not yet: %s", strings.Join(missing, "; "))
		}
		return nil
	})
	s.kill()
	progress(fmt.Sprintf("%s: killed with %d objects at their moments", s.ns, len(stops)))
	s.must(s.cloud.ClearFaults(s.ctx))
	s.proxy.DropHolds()
	for l, stop := range stops {
		l.killed = append(l.killed, of(l).name)
		if stop.dead != nil {
			stop.dead()
		}
	}
	if dead != nil {
		dead()
	}
	s.start()
	for _, stop := range stops {
		if stop.back != nil {
			stop.back()
		}
	}
}

// wholeLives are lives to the end, each with three kills; every moment comes up
// at least twice.
func wholeLives(rnd *rand.Rand) []*life {
	var out []*life
	for range 2 {
		for i := range creation {
			l := &life{create: &creation[i]}
			l.change = &changes[len(out)%len(changes)]
			l.delete = &deletion[len(out)%len(deletion)]
			l.spec = fields{}
			maps.Copy(l.spec, l.create.spec)
			maps.Copy(l.spec, l.delete.spec)
			out = append(out, l)
		}
	}
	rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// earlyLives are lives of objects that are deleted while no process runs.
func earlyLives(rnd *rand.Rand) []*life {
	var out []*life
	for i := range creation {
		out = append(out, &life{create: &creation[i], early: true, spec: maps.Clone(creation[i].spec)})
	}
	rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
