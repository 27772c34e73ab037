package overview

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Row is one object.
type Row struct {
	Kind      string    `json:"kind"`
	Short     string    `json:"-"` // the kind as it is typed, "pgdb"
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	Phase     string    `json:"phase"` // "New" before Mote has said anything
	Deleting  bool      `json:"deleting,omitempty"`
	Paused    bool      `json:"paused,omitempty"`
	Ready     bool      `json:"ready"`
	Site      string    `json:"site,omitempty"`
	Where     string    `json:"where,omitempty"` // endpoint, or replicas as "2/3"
	WaitsFor  string    `json:"waitsFor,omitempty"`
	Created   time.Time `json:"created"`
}

// ID tells rows apart.
func (r Row) ID() string { return r.Kind + " " + r.Namespace + "/" + r.Name }

// Stage is the phase with what overrides it: "Running, deleting, paused".
func (r Row) Stage() string {
	stage := r.Phase
	if r.Deleting && r.Phase != "Deleting" {
		stage += ", deleting"
	}
	if r.Paused {
		stage += ", paused"
	}
	return stage
}

// Sums are how many objects there are; they hold no objects.
type Sums struct {
	Phases map[string]map[string]int `json:"phases"` // by kind
	Sites  map[string]Site           `json:"sites"`  // "": of no site
}

// Site is how many objects a site has.
type Site struct {
	Objects  int `json:"objects"`
	NotReady int `json:"notReady"`
}

// Add counts a row, or with n -1 takes it back.
func (s *Sums) Add(r Row, n int) {
	if s.Phases == nil {
		s.Phases, s.Sites = map[string]map[string]int{}, map[string]Site{}
	}
	if s.Phases[r.Kind] == nil {
		s.Phases[r.Kind] = map[string]int{}
	}
	if s.Phases[r.Kind][r.Phase] += n; s.Phases[r.Kind][r.Phase] == 0 {
		delete(s.Phases[r.Kind], r.Phase)
	}
	site := s.Sites[r.Site]
	site.Objects += n
	if !r.Ready {
		site.NotReady += n
	}
	s.Sites[r.Site] = site
	if site.Objects == 0 {
		delete(s.Sites, r.Site)
	}
}

// Write prints the sums in a line for each kind and one for the sites.
func (s *Sums) Write(w io.Writer) {
	for _, kind := range slices.Sorted(maps.Keys(s.Phases)) {
		phases, total := s.Phases[kind], 0
		var parts []string
		for _, p := range slices.SortedFunc(maps.Keys(phases), func(a, b string) int { return cmp.Or(phases[b]-phases[a], cmp.Compare(a, b)) }) {
			parts = append(parts, fmt.Sprintf("%d %s", phases[p], p))
			total += phases[p]
		}
		if total > 0 {
			fmt.Fprintf(w, "%d %s: %s\n", total, kind, strings.Join(parts, ", "))
		}
	}
	var sites []string
	for _, name := range slices.Sorted(maps.Keys(s.Sites)) {
		site := s.Sites[name]
		text := fmt.Sprintf("%s %d", cmp.Or(name, "(none)"), site.Objects)
		if site.NotReady > 0 {
			text += fmt.Sprintf(" (%d not ready)", site.NotReady)
		}
		sites = append(sites, text)
	}
	if len(sites) == 0 {
		fmt.Fprintln(w, "There are no objects.")
		return
	}
	fmt.Fprintf(w, "Sites: %s\n", strings.Join(sites, ", "))
}

// Board is all rows, for a display that goes on.
type Board struct {
	rows map[string]Row
	sums Sums
}

// Put takes in a row as it is now; it tells whether that shows.
func (b *Board) Put(r Row) (shows bool) {
	old, there := b.rows[r.ID()]
	if there && old == r {
		return false
	}
	if b.rows == nil {
		b.rows = map[string]Row{}
	}
	if there {
		b.sums.Add(old, -1)
	}
	b.rows[r.ID()] = r
	b.sums.Add(r, 1)
	return true
}

// Drop takes out a row.
func (b *Board) Drop(id string) (dropped Row, there bool) {
	r, there := b.rows[id]
	if there {
		b.sums.Add(r, -1)
		delete(b.rows, id)
	}
	return r, there
}

// Keep drops all rows of a kind that are not among these.
func (b *Board) Keep(kind string, ids map[string]bool) (dropped []Row) {
	for id, r := range b.rows {
		if r.Kind == kind && !ids[id] {
			dropped = append(dropped, r)
		}
	}
	for _, r := range dropped {
		b.Drop(r.ID())
	}
	return dropped
}

// Empty tells whether there are no rows.
func (b *Board) Empty() bool { return len(b.rows) == 0 }

// Write prints the sums and as many rows as fit into so many lines of so many
// characters (0: of any length): those that are not ready first.
func (b *Board) Write(w io.Writer, lines, width int, now time.Time) {
	b.sums.Write(w)
	if b.Empty() {
		return
	}
	fmt.Fprintln(w)
	all := slices.SortedFunc(maps.Values(b.rows), func(x, y Row) int {
		ready := func(r Row) int { return map[bool]int{true: 1}[r.Ready] }
		return cmp.Or(ready(x)-ready(y), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Name, y.Name))
	})
	room := max(lines-len(b.sums.Phases)-4, 1)
	table := Table{Out: w, Width: width}
	for _, r := range all[:min(room, len(all))] {
		_ = table.Add(r, now) // a terminal that is gone ends the command
	}
	_ = table.Flush()
	if len(all) > room {
		fmt.Fprintf(w, "and %d more\n", len(all)-room)
	}
}
