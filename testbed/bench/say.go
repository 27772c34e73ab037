package main

import (
	"fmt"
	"io"
	"time"

	"example.com/mote/testbed/artifact"
)

// teller tells what goes on: a line that changes on a terminal, and elsewhere a
// line for each new thing but none for mere progress within quiet.
type teller struct {
	out  io.Writer
	live bool
	last time.Time
}

const quiet = 20 * time.Second

func newTeller(out io.Writer) *teller { return &teller{out: out, live: artifact.IsTerminal(out)} }

// say tells of something new.
func (t *teller) say(format string, a ...any) {
	if t.live {
		fmt.Fprint(t.out, "\r\033[K")
	}
	fmt.Fprintf(t.out, format+"\n", a...)
	t.last = time.Now()
}

// progress tells how far something is.
func (t *teller) progress(what string) {
	if !t.live && time.Since(t.last) < quiet {
		return
	}
	if t.live {
		fmt.Fprintf(t.out, "\r\033[K%.79s", what)
	} else {
		fmt.Fprintln(t.out, what)
	}
	t.last = time.Now()
}
