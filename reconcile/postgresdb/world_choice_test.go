package postgresdb

// chooser takes the choices of one turn: where things can go in several ways, a
// script says which way they go, and beyond the script they go the usual way, 0.
// It notes what else there was, so that every other way can be tried as well.
type chooser struct {
	script   []uint8
	limit    int // how many unusual things may still happen
	unusual  int // have happened
	taken    []uint8
	ways     []uint8
	happened []string // what was not the usual way, in words
}

// choose is one of the ways; ways[0] is the usual one, any other is unusual.
func (c *chooser) choose(ways ...string) int { return c.pick(1, ways...) }

func (c *chooser) pick(cost int, ways ...string) int {
	n, at, open := 0, len(c.taken), len(ways)
	if at < len(c.script) {
		n = int(c.script[at])
	}
	if c.unusual+cost > c.limit {
		open = 1
	}
	c.taken, c.ways = append(c.taken, uint8(n)), append(c.ways, uint8(open))
	if n > 0 {
		c.unusual += cost
		c.happened = append(c.happened, ways[n])
	}
	return n
}

// happens lets others do what they can, at this point of a turn.
func (c *chooser) happens(w *world, before string, all ...event) {
	for _, e := range all {
		if e.can(w) && c.pick(e.unusual, "", e.name+" before "+before) == 1 {
			e.do(w)
		}
	}
}

// next are the scripts that differ from what was taken in one more choice,
// beyond those that the script had fixed.
func (c *chooser) next() [][]uint8 {
	var more [][]uint8
	for at := len(c.script); at < len(c.taken); at++ {
		for n := uint8(1); n < c.ways[at]; n++ {
			more = append(more, append(append([]uint8(nil), c.taken[:at]...), n))
		}
	}
	return more
}

// crash is the panic of a process that dies.
type crash struct{}
