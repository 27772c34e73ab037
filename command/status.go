package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"example.com/mote/look"
	"example.com/mote/overview"
	"example.com/mote/schema"
)

const statusArgs, statusWhat = "[KIND/NAME] [flags]", `Shows all objects with their phases and what they wait for, and sums them up by phase
and by site. With -w it goes on, and shows what changes.`

// statusCommand is mote status.
func statusCommand(ctx context.Context, args []string, s surroundings) int {
	return lookCommand(ctx, args, s, "status", statusArgs, statusWhat, exitUsage, (*looking).show)
}

// show is status once or, with --watch, until ctx ends.
func (l *looking) show(ctx context.Context, s surroundings) int {
	eyes, _, err := l.open(ctx, s.env)
	if err != nil {
		refuse(s.stderr, "status", err)
		return exitError
	}
	if l.watch {
		l.follow(ctx, eyes, s)
		return exitOK
	}
	return l.status(ctx, eyes, s)
}

// status prints all rows as they come, a page at a time.
func (l *looking) status(ctx context.Context, eyes *look.Look, s surroundings) int {
	var sums overview.Sums
	table := overview.Table{Out: s.stdout, Width: width(s)}
	rows, code := 0, exitOK
	for _, w := range l.which {
		err := eyes.Each(ctx, w, func(k *schema.Kind, u *unstructured.Unstructured) error {
			row := look.RowOf(k, u)
			sums.Add(row, 1)
			if l.output != "text" {
				return encodeRow(s.stdout, l.output, row)
			}
			rows++
			return table.Add(row, time.Now())
		})
		if err == nil {
			err = table.Flush()
		}
		if code, yes := cutShort(ctx); yes {
			return code
		}
		if err != nil {
			refuse(s.stderr, "status", fmt.Errorf("%s", naming(w, err)))
			code = exitError
		}
	}
	if code == exitOK && l.output == "text" {
		if rows > 0 {
			fmt.Fprintln(s.stdout)
		}
		sums.Write(s.stdout)
		if by := eyes.By(ctx, nil); by != "" && ctx.Err() == nil {
			fmt.Fprintf(s.stdout, "Mote: %s\n", by)
		}
	}
	return code
}

// terminal is the one that is printed to; nil: there is none.
func terminal(s surroundings) *os.File {
	if s.screen != nil && term.IsTerminal(int(s.screen.Fd())) {
		return s.screen
	}
	return nil
}

// width is how many characters a line of a terminal has; 0: there is no terminal.
func width(s surroundings) int {
	if f := terminal(s); f != nil {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil {
			return columns
		}
	}
	return 0
}

// encodeRow writes a row as a line of JSON, or as a document of YAML.
func encodeRow(w io.Writer, format string, r overview.Row) error {
	data, err := json.Marshal(r)
	data = append(data, '\n')
	if err == nil && format == "yaml" {
		data, err = yaml.JSONToYAML(data)
		data = append([]byte("---\n"), data...)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// redraw is how often a terminal is drawn anew at most.
const redraw = 500 * time.Millisecond

// follow shows what changes until ctx ends: drawn anew on a terminal, else a line for
// each change.
func (l *looking) follow(ctx context.Context, eyes *look.Look, s surroundings) {
	show := newDisplay(s, l.output)
	var all sync.WaitGroup
	for _, k := range schema.Kinds() {
		for _, w := range l.which {
			if w.Kind == nil || w.Kind == k {
				show.unlisted[k.Name] = true
			}
		}
	}
	for _, k := range schema.Kinds() {
		for _, w := range l.which {
			if w.Kind == nil || w.Kind == k {
				all.Go(func() { eyes.Follow(ctx, k, w, show) })
			}
		}
	}
	if show.screen != nil {
		all.Go(func() { show.draw(ctx) })
	}
	all.Wait()
}

// display is where followed rows go.
type display struct {
	out, complain io.Writer
	format        string
	screen        *os.File // nil: no terminal

	mu       sync.Mutex
	table    overview.Table
	unlisted map[string]bool // kinds of which no list was seen yet
	board    overview.Board
	trouble  map[string]string // by kind
	dirty    bool
	said     bool // that there are no objects
}

func newDisplay(s surroundings, format string) *display {
	d := &display{out: s.stdout, complain: s.stderr, format: format, trouble: map[string]string{}, unlisted: map[string]bool{}, table: overview.Table{Out: s.stdout, Times: true}}
	if format == "text" {
		d.screen = terminal(s)
	}
	return d
}

// Put is look.Seer's.
func (d *display) Put(r overview.Row) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.board.Put(r) {
		d.line(r)
	}
}

// Drop is look.Seer's.
func (d *display) Drop(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r, there := d.board.Drop(id); there {
		d.gone(r)
	}
}

// Listed is look.Seer's.
func (d *display) Listed(kind string, ids map[string]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.board.Keep(kind, ids) {
		d.gone(r)
	}
	delete(d.unlisted, kind)
	if d.screen != nil || d.format != "text" {
		return
	}
	_ = d.table.Flush() // as in line
	if len(d.unlisted) == 0 && d.board.Empty() && !d.said {
		d.said = true
		fmt.Fprintln(d.out, "There are no objects.")
	}
}

// Trouble is look.Seer's. It is told when it changes.
func (d *display) Trouble(kind string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text := ""
	if err != nil {
		text = kind + ": " + err.Error()
	}
	if d.trouble[kind] == text {
		return
	}
	d.trouble[kind], d.dirty = text, true
	if d.screen == nil && text != "" {
		fmt.Fprintf(d.complain, "mote: status: %s; trying again\n", text)
	}
}

func (d *display) gone(r overview.Row) {
	r.Phase, r.Ready, r.Deleting, r.Paused, r.WaitsFor = "Gone", false, false, false, ""
	d.line(r)
}

// line appends a row where there is no terminal.
func (d *display) line(r overview.Row) {
	d.dirty = true
	switch {
	case d.screen != nil:
	case d.format != "text":
		_ = encodeRow(d.out, d.format, r)
	default:
		// Who reads it may be gone; an interrupt ends the command.
		_ = d.table.Add(r, time.Now())
		if !d.unlisted[r.Kind] { // else the whole list comes first, in columns that fit
			_ = d.table.Flush()
		}
	}
}

// draw draws the screen anew until ctx ends.
func (d *display) draw(ctx context.Context) {
	ticker := time.NewTicker(redraw)
	defer ticker.Stop()
	for {
		d.mu.Lock()
		if d.dirty {
			d.dirty = false
			columns, lines, err := term.GetSize(int(d.screen.Fd()))
			if err != nil || lines < 10 {
				columns, lines = 0, 24
			}
			fmt.Fprint(d.screen, "\x1b[H\x1b[2J")
			for _, text := range d.trouble {
				if text != "" {
					fmt.Fprintf(d.screen, "cannot see %s; trying again\n", text)
				}
			}
			d.board.Write(d.screen, lines-1, columns, time.Now())
		}
		d.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
