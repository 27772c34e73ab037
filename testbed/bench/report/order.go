package report

import "example.com/mote/testbed/bench/result"

// columns are the contenders in the order in which they are shown, with the head
// of their column and the colour of their line in the picture.
var columns = []struct{ id, head, colour string }{
	{"mote", "Mote", "#0b6e4f"},
	{"mote-alone", "Mote, sweep off", ""},
	{"mote-64m", "Mote, limit 64 MiB", ""},
	{"controller-runtime-usual", "controller-runtime usual", "#b3261e"},
	{"controller-runtime-tuned", "controller-runtime tuned", "#e58a83"},
	{"kube-rs-usual", "kube-rs usual", "#1f4e9c"},
	{"kube-rs-tuned", "kube-rs tuned", "#86a8dd"},
	{"list", "floor: bare list", "#777777"},
	{"empty", "floor: empty Go program", "#bbbbbb"},
}

// shown are a run's contenders in that order.
func shown(r *result.Run) (heads []string, all []*result.Measured) {
	for _, c := range columns {
		if m := r.Get(c.id); m != nil {
			heads, all = append(heads, c.head), append(all, m)
		}
	}
	return heads, all
}
