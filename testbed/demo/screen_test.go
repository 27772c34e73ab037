package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestTells: away from a terminal each change is a line, and nothing is said twice.
func TestTells(t *testing.T) {
	var out bytes.Buffer
	s := newScreen(&out)
	db := row{kind: "PostgresDB", name: "orders", phase: "Pending", detail: "nothing yet"}
	app := row{kind: "MyApp", name: "shop", phase: "Running", age: 61 * time.Second}
	s.show([]row{db, app})
	db.age += time.Second // no change
	s.show([]row{db, app})
	db.phase = "Running"
	s.show([]row{db, app})
	s.show([]row{db})
	want := []string{
		"0s  PostgresDB   orders     Pending       nothing yet",
		"1m01s  MyApp        shop       Running       ",
		"1s  PostgresDB   orders     Running       nothing yet",
		"MyApp shop is gone",
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), out.String())
	}
	for i := range want {
		if strings.TrimSpace(lines[i]) != strings.TrimSpace(want[i]) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want[i])
		}
	}
}

// TestDraws: on a terminal the table is drawn over itself, also when rows go.
func TestDraws(t *testing.T) {
	var out bytes.Buffer
	s := newScreen(&out)
	s.live = true
	rows := []row{{kind: "PostgresDB", name: "orders", phase: "Running"}, {kind: "MyApp", name: "shop", phase: "Degraded", detail: strings.Repeat("x", 200)}}
	s.show(rows)
	if text := out.String(); strings.Contains(text, "\033[3A") || strings.Count(text, "\n") != 3 {
		t.Errorf("the first drawing: %q", text)
	}
	for line := range strings.Lines(out.String()) {
		if n := len([]rune(line)); n > 140 { // 120 of text, and the colours
			t.Errorf("a line has %d characters: %q", n, line)
		}
	}
	out.Reset()
	s.show(rows[:1])
	if text := out.String(); !strings.HasPrefix(text, "\033[?7l\033[3A") || strings.Count(text, "\n") != 3 || strings.Contains(text, "shop") {
		t.Errorf("the second drawing goes up 3 lines, and clears the row that went: %q", text)
	}
	out.Reset()
	s.show(make([]row, 40))
	if text := out.String(); strings.Count(text, "\n") != mostRows+2 || !strings.Contains(text, "... and 22 more") {
		t.Errorf("40 rows, more than a terminal has lines: %q", text)
	}
	if text := out.String(); !strings.HasPrefix(text, "\033[?7l") || !strings.HasSuffix(text, "\033[?7h") {
		t.Errorf("line wrap is not off for the table, and on again behind it: %q", text)
	}
}

func TestAgeAndClip(t *testing.T) {
	for d, want := range map[time.Duration]string{-time.Second: "0s", 59 * time.Second: "59s", 60 * time.Second: "1m00s", 3605 * time.Second: "60m05s"} {
		if is := age(d); is != want {
			t.Errorf("age(%s) is %s, want %s", d, is, want)
		}
	}
	if is := clip("grüße", 4); is != "grü…" {
		t.Errorf("clip: %s", is)
	}
	if is := clip("ab", 2); is != "ab" {
		t.Errorf("clip: %s", is)
	}
	if is := lastLines("a\nb\nc\n", 2); is != "  b\n  c" {
		t.Errorf("lastLines: %q", is)
	}
}

// TestNotes: a note is told once, and again when it has come back; the table is not
// drawn over it.
func TestNotes(t *testing.T) {
	var out bytes.Buffer
	s := newScreen(&out)
	for _, text := range []string{"", "gone", "gone", "", "gone"} {
		s.drawn = 3
		s.note(text)
	}
	if out.String() != "gone\ngone\n" || s.drawn != 0 {
		t.Errorf("%q, %d", out.String(), s.drawn)
	}
}
