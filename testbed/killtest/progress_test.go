package killtest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var began = time.Now()

// progress tells whoever watches how far it is.
func progress(what string) {
	if testing.Verbose() {
		fmt.Fprintf(os.Stderr, "%6s  %s\n", time.Since(began).Round(100*time.Millisecond), what)
	}
}

// record counts the rounds, and how often a process was killed at which moment.
type record struct {
	of int

	mu     sync.Mutex
	rounds int
	kills  map[string]int // by moment
}

// done notes that a round came to a good end.
func (r *record) done(l *life) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rounds++
	for _, m := range l.killed {
		r.kills[m]++
	}
	how := "killed " + strings.Join(l.killed, ", then ")
	if l.random {
		r.kills[atRandom] += l.kills
		how = fmt.Sprintf("killed %d times at random", l.kills)
	}
	progress(fmt.Sprintf("round %d of %d: %s: %s", r.rounds, r.of, how, l.end))
}

// atRandom is the line for kills at random moments.
const atRandom = "at a random moment"

// table shows the kills by moment, in the order of a life.
func (r *record) table() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%d rounds. Objects whose process was killed\n", r.rounds)
	for _, m := range slices.Concat(creation, changes, deletion) {
		fmt.Fprintf(&b, "%6d  %s\n", r.kills[m.name], m.name)
	}
	fmt.Fprintf(&b, "%6d  %s\n", r.kills[atRandom], atRandom)
	return b.String()
}
