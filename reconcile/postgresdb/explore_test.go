package postgresdb

import (
	"fmt"
	"strings"
	"time"
)

// exploration is a search through all worlds that can come of one: a turn that
// goes in every way, time, or something that others do, at every moment. Unusual
// things (a fault, a crash, somebody's interference) are limited in number;
// nothing else is: worlds are told apart once, so the search comes to an end by
// itself when every life with so many unusual things is explored.
type exploration struct {
	m       machine
	start   world
	unusual int // unusual things in a life
	states  int // stop after so many

	seen    map[world]int32 // place in trail
	trail   []stepTaken
	queue   [][]int32      // by unusual things: worlds that are yet to be gone on from
	worlds  []world        // of trail
	settles map[world]bool // by itself, if nothing more goes wrong
	turns   int            // taken in all
	deepest int16          // the most steps
	whole   int            // every life with so many unusual things is explored; -1: not even those without
}

// stepTaken leads from an earlier world to a new one.
type stepTaken struct {
	from    int32
	depth   int16
	unusual int8
	done    bool // gone on from
	what    string
}

// violation is a rule broken, and how it came to it.
type violation struct{ rule, trace string }

func (x *exploration) run() *violation {
	x.seen, x.settles, x.whole = map[world]int32{}, map[world]bool{}, -1
	x.queue = make([][]int32, x.unusual+1)
	if v := x.arrive(x.start, -1, 0, "start"); v != nil {
		return v
	}
	for n := range x.queue {
		for len(x.queue[n]) > 0 {
			at := x.queue[n][0]
			x.queue[n] = x.queue[n][1:]
			if x.trail[at].done || int(x.trail[at].unusual) != n {
				continue
			}
			x.trail[at].done = true
			x.deepest = max(x.deepest, x.trail[at].depth)
			if v := x.expand(at, n); v != nil {
				return v
			}
			if len(x.trail) > x.states {
				return nil
			}
		}
		x.whole = n
	}
	return nil
}

// arrive notes a world, and the easiest way to it.
func (x *exploration) arrive(w world, from int32, unusual int, what string) *violation {
	step := stepTaken{from: from, unusual: int8(unusual), what: what}
	if from >= 0 {
		step.depth = x.trail[from].depth + 1
	}
	at, known := x.seen[w]
	if known {
		if unusual < int(x.trail[at].unusual) {
			x.trail[at] = step
			x.queue[unusual] = append(x.queue[unusual], at)
		}
		return nil
	}
	at = int32(len(x.trail))
	x.seen[w] = at
	x.trail, x.worlds = append(x.trail, step), append(x.worlds, w)
	x.queue[unusual] = append(x.queue[unusual], at)
	if rule := w.broken(); rule != "" {
		return x.violated(at, rule)
	}
	if rule, way := x.fair(w); rule != "" {
		v := x.violated(at, rule)
		v.trace += way
		return v
	}
	return nil
}

// expand takes every step from a world.
func (x *exploration) expand(at int32, unusual int) *violation {
	w := x.worlds[at]
	for _, e := range steps {
		if !e.can(&w) || unusual+e.unusual > x.unusual {
			continue
		}
		to := w
		e.do(&to)
		to.between()
		if v := x.arrive(to, at, unusual+e.unusual, e.name); v != nil {
			return v
		}
	}
	scripts := [][]uint8{nil}
	for len(scripts) > 0 {
		ch := &chooser{script: scripts[len(scripts)-1], limit: x.unusual - unusual}
		scripts = scripts[:len(scripts)-1]
		to := w
		out := x.m.turn(&to, ch)
		x.turns++
		scripts = append(scripts, ch.next()...)
		what := "turn"
		if len(ch.happened) > 0 {
			what += ": " + strings.Join(ch.happened, ", ")
		}
		if out.broken != "" {
			return &violation{out.broken, x.trace(at) + "  " + what + "\n" + to.String()}
		}
		if v := x.arrive(to, at, unusual+ch.unusual, what); v != nil {
			return v
		}
	}
	return nil
}

// fair runs on from w without any fault, the engine's way: turns when they are
// due, ticks between them. It must come to a world that is settled and silent. It
// returns the rule that is broken, or "", and the way there.
func (x *exploration) fair(w world) (rule, way string) {
	var path []world
	quiet := 0
	failed := func(rule string) (string, string) {
		var b strings.Builder
		for _, p := range path {
			said := p.Object.Status.Said.what()
			fmt.Fprintf(&b, "  then: %s, %s: %s\n", p.Object.Status.Phase, said.Reason, said.Message)
		}
		return rule, b.String()
	}
	for quiet <= old+1 {
		if x.settles[w] {
			break
		}
		if path = append(path, w); len(path) > patience {
			return failed("a fair run goes on and on")
		}
		if w.Proc.Turn == wakeNow {
			out := x.m.turn(&w, &chooser{})
			x.turns++
			if out.broken != "" {
				return failed("in a fair run: " + out.broken)
			}
		} else {
			w.tick()
			w.between()
			quiet++
		}
		if w.still() != path[len(path)-1].still() {
			quiet = 0
		}
		if rule := w.broken(); rule != "" {
			return failed("in a fair run: " + rule)
		}
		gone := w.Spent.SecretGone && !w.Secret.Exists
		changed := w.Spent.Password && w.Secret.Set != w.Secret.Password && !w.Secret.Pending
		if o := w.Object; quiet > old+1 && (gone || changed) && o.Status.ID != 0 && !o.Deleting {
			// Nobody watches the Secret: the turn that every object has now and then
			// finds what was done to it.
			w.Proc.Turn, w.Spent.SecretGone, w.Spent.Password, quiet = wakeNow, false, false, 0
		}
	}
	if quiet > old+1 { // nothing will happen any more
		if why := x.unsettled(w); why != "" {
			return failed("a fair run ends unsettled: " + why)
		}
	}
	for _, p := range path {
		x.settles[p] = true
	}
	return "", ""
}

// still is the world without what time alone changes.
func (w world) still() world {
	w.Proc = process{}
	o := &w.Object
	o.DeletingAge, o.Status.ChangedAge, o.Status.Intent.StartedAge, o.Status.Intent.Since = 0, 0, 0, 0
	for n := range w.Cloud {
		w.Cloud[n].Age = 0
	}
	return w
}

// patience is how many turns and ticks a fair run may take.
const patience = 60

func (x *exploration) violated(at int32, rule string) *violation {
	return &violation{rule, x.trace(at) + x.worlds[at].String()}
}

// trace is the shortest way to a world.
func (x *exploration) trace(at int32) string {
	var steps []string
	for ; at >= 0; at = x.trail[at].from {
		steps = append(steps, x.trail[at].what)
	}
	var b strings.Builder
	for n := len(steps) - 1; n >= 0; n-- {
		fmt.Fprintf(&b, "  %s\n", steps[n])
	}
	return b.String()
}

func (x *exploration) report(took time.Duration) string {
	return fmt.Sprintf("every life with up to %d unusual things: %d states, at most %d steps deep, %d turns of the real shell, in %s", x.whole, len(x.trail), x.deepest, x.turns, took.Round(time.Millisecond))
}
