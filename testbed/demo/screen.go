package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"example.com/mote/testbed/artifact"
)

// screen shows the table: drawn over itself on a terminal, a line for each change
// elsewhere.
type screen struct {
	out   io.Writer
	live  bool
	drawn int               // lines of the table on the terminal
	said  map[string]string // by object, elsewhere
	noted string            // the last note
}

func newScreen(out io.Writer) *screen {
	return &screen{out: out, live: artifact.IsTerminal(out), said: map[string]string{}}
}

func (s *screen) show(rows []row) {
	if s.live {
		s.draw(rows)
	} else {
		s.tell(rows)
	}
}

// note tells of something beside the table, once: the table goes on below. An empty
// note is the end of the last.
func (s *screen) note(text string) {
	if text == s.noted {
		return
	}
	s.noted = text
	if text != "" {
		fmt.Fprintf(s.out, "%s\n", text)
		s.drawn = 0
	}
}

// mostRows keeps the table within a terminal of 24 lines.
const mostRows = 18

// colours of phases on a terminal.
var colours = map[string]string{"Running": "32", "Failed": "31", "Degraded": "31", "Deleting": "33", "-": "2"}

func (s *screen) draw(rows []row) {
	var b strings.Builder
	// Without line wrap a terminal of any width cuts a row off at its edge, so that
	// a row stays one line and the table is drawn over itself.
	b.WriteString("\033[?7l")
	if s.drawn > 0 {
		fmt.Fprintf(&b, "\033[%dA", s.drawn)
	}
	more := len(rows) - mostRows
	rows = rows[:min(len(rows), mostRows)]
	fmt.Fprintf(&b, "\033[K\033[1m  %-12s %-10s %-13s %5s  %s\033[0m\n", "KIND", "NAME", "PHASE", "AGE", "")
	for _, r := range rows {
		colour := colours[r.phase]
		if colour == "" {
			colour = "36"
		}
		fmt.Fprintf(&b, "\033[K  %-12s %-10s \033[%sm%-13s\033[0m %5s  %s\n", r.kind, r.name, colour, r.phase, age(r.age), clip(r.detail, 72))
	}
	lines := len(rows) + 1
	if more > 0 {
		fmt.Fprintf(&b, "\033[K  ... and %d more\n", more)
		lines++
	}
	for i := lines; i < s.drawn; i++ { // rows that went
		b.WriteString("\033[K\n")
	}
	b.WriteString("\033[?7h")
	s.drawn = max(s.drawn, lines)
	io.WriteString(s.out, b.String())
}

func (s *screen) tell(rows []row) {
	now := map[string]bool{}
	for _, r := range rows {
		id, line := r.kind+" "+r.name, r.phase+"  "+r.detail
		now[id] = true
		if s.said[id] != line {
			s.said[id] = line
			fmt.Fprintf(s.out, "  %5s  %-12s %-10s %-13s %s\n", age(r.age), r.kind, r.name, r.phase, r.detail)
		}
	}
	for id := range s.said {
		if !now[id] {
			delete(s.said, id)
			fmt.Fprintf(s.out, "  %5s  %s is gone\n", "", id)
		}
	}
}

func age(d time.Duration) string {
	if d = d.Round(time.Second); d < time.Minute {
		return fmt.Sprintf("%ds", int(max(d, 0).Seconds()))
	}
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
