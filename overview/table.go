package overview

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/mote/forecast"
)

// Bounds of a table.
const (
	// pageRows is how many rows are held to find the widths of columns.
	pageRows = 500
	// waitLimit is how much of a message is shown where there is no width to keep to,
	// and leastWait how much always is.
	waitLimit = 100
	leastWait = 16
)

// The columns; the last is as long as its text.
var titles = []string{"TIME", "KIND", "OBJECT", "PHASE", "READY", "WHERE", "SITE", "AGE", "WAITS FOR"}

// Table prints rows in columns as wide as what is in them; a column with nothing in it
// is left out. Rows are held until there is a page of them or Flush is called. Columns
// never become narrower; where one comes in that was left out, the titles are printed
// again.
type Table struct {
	Out io.Writer
	// Width is that of a terminal, in characters, that WAITS FOR is cut to; 0: none.
	Width int
	// Times puts before each row when it was added.
	Times bool

	held   [][]string
	widths [9]int // 0: left out so far
}

// Add takes in a row, as it is now.
func (t *Table) Add(r Row, now time.Time) error {
	ready, at := "no", ""
	if r.Ready {
		ready = "yes"
	}
	if t.Times {
		at = now.UTC().Format(time.TimeOnly)
	}
	t.held = append(t.held, []string{at, cmp.Or(r.Short, r.Kind), r.Namespace + "/" + r.Name, r.Stage(), ready, r.Where, r.Site,
		forecast.Age(now.Sub(r.Created)), strings.Join(strings.Fields(r.WaitsFor), " ")})
	if len(t.held) < pageRows {
		return nil
	}
	return t.Flush()
}

// Flush prints what is held.
func (t *Table) Flush() error {
	more := false
	for _, cells := range t.held {
		for n, c := range cells {
			if c == "" {
				continue
			}
			if t.widths[n] == 0 {
				t.widths[n], more = len(titles[n]), true
			}
			t.widths[n] = max(t.widths[n], utf8.RuneCountInString(c))
		}
	}
	if more {
		t.held = append([][]string{titles}, t.held...)
	}
	var b strings.Builder
	for _, cells := range t.held {
		t.line(&b, cells)
	}
	t.held = t.held[:0]
	_, err := io.WriteString(t.Out, b.String())
	return err
}

func (t *Table) line(b *strings.Builder, cells []string) {
	last := len(cells) - 1
	var line strings.Builder
	room := t.Width
	for n, c := range cells[:last] {
		if w := t.widths[n]; w > 0 {
			fmt.Fprintf(&line, "%-*s  ", w, cmp.Or(c, "-"))
			room -= w + 2
		}
	}
	if t.widths[last] > 0 {
		if t.Width == 0 {
			room = waitLimit
		}
		line.WriteString(shortened(cmp.Or(cells[last], "-"), max(room, leastWait)))
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

// shortened is s in at most so many characters.
func shortened(s string, most int) string {
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most-1]) + "…"
	}
	return s
}
