package overview

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

var now = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func row(name, phase, site string, ready bool) Row {
	r := Row{Kind: "PostgresDB", Short: "pgdb", Namespace: "shop", Name: name, Phase: phase, Site: site, Ready: ready, Where: "10.0.0.1:5432", Created: now.Add(-3 * time.Hour)}
	if !ready {
		r.WaitsFor, r.Where = "Creating: the cloud\nis making it "+strings.Repeat("x", 200), ""
	}
	return r
}

func TestSums(t *testing.T) {
	var b bytes.Buffer
	var sums Sums
	for _, r := range []Row{row("orders", "Running", "edge-01", true), row("new", "Provisioning", "", false)} {
		sums.Add(r, 1)
	}
	sums.Write(&b)
	if want := "2 PostgresDB: 1 Provisioning, 1 Running\nSites: (none) 1 (1 not ready), edge-01 1\n"; b.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	(&Sums{}).Write(&b)
	if b.String() != "There are no objects.\n" {
		t.Error(b.String())
	}
}

func TestBoard(t *testing.T) {
	var b Board
	if !b.Put(row("a", "Running", "x", true)) || b.Put(row("a", "Running", "x", true)) || !b.Put(row("a", "Updating", "x", false)) {
		t.Error("what shows is not told from what does not")
	}
	b.Put(row("b", "Running", "y", true))
	b.Put(row("c", "Running", "y", true))
	var out bytes.Buffer
	b.Write(&out, 7, 0, now)
	if s := out.String(); !strings.Contains(s, "3 PostgresDB: 2 Running, 1 Updating\n") || strings.Index(s, "shop/a") > strings.Index(s, "shop/b") || !strings.HasSuffix(s, "and 1 more\n") {
		t.Errorf("the board is\n%s", s)
	}
	if _, there := b.Drop("PostgresDB shop/none"); there {
		t.Error("dropped what is not there")
	}
	b.Drop("PostgresDB shop/a")
	if dropped := b.Keep("PostgresDB", map[string]bool{"PostgresDB shop/b": true}); len(dropped) != 1 || dropped[0].Name != "c" {
		t.Errorf("dropped %v", dropped)
	}
	b.Keep("PostgresDB", nil)
	out.Reset()
	b.Write(&out, 20, 0, now)
	if !strings.Contains(out.String(), "There are no objects.") {
		t.Errorf("an empty board is\n%s", out.String())
	}
}
