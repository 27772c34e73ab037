package report

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/mote/testbed/bench/measure"
	"example.com/mote/testbed/bench/result"
)

func run(objects int, mote, peer int64) result.Run {
	r := result.Run{Objects: objects, Bytes: 3000}
	r.Put(result.Measured{ID: "mote", Binary: 10_000_000, Start: measure.Start{Synced: 2, Peak: mote}, Idle: &measure.Idle{Seconds: 60, RSS: mote}})
	r.Put(result.Measured{ID: "kube-rs-usual", Binary: 5_000_000, Start: measure.Start{Synced: 1, Peak: peer}, Idle: &measure.Idle{Seconds: 60, RSS: peer}})
	return r
}

// TestWrite: the report comes from the kept results and replaces only what is
// between the markers.
func TestWrite(t *testing.T) {
	results, docs := t.TempDir(), t.TempDir()
	for _, r := range []result.Run{run(1000, 20<<20, 30<<20), run(100_000, 30<<20, 600<<20)} {
		if err := r.Save(results); err != nil {
			t.Fatal(err)
		}
	}
	page := filepath.Join(docs, "benchmarks.md")
	if err := os.WriteFile(page, []byte("# Ours\n"+begin+"\nold\n"+end+"\nafter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(results, docs); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Ours\n", "\nafter\n", "600.0 MiB (20x)", "5.0 MB (0.5x)", "### 100000 objects"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(string(got), "old") {
		t.Error("what was between the markers is still there")
	}
	drawn, err := os.ReadFile(filepath.Join(docs, picture))
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(string(drawn))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the picture is no XML: %v", err)
		}
	}
}

// TestApps: the apps have their table, Mote first, with what each request was.
func TestApps(t *testing.T) {
	var a result.Apps
	a.Objects = 100
	put := func(id string, seconds float64, by map[string]int64) {
		m := result.AppsMeasured{ID: id, Name: id, Apps: measure.Apps{Apps: 100, Seconds: seconds, Before: 10 << 20}, Idle: measure.Idle{Seconds: 30, RSS: 11 << 20}}
		for _, n := range by {
			m.Taken.Requests += n
		}
		m.Taken.By = by
		a.Put(m)
	}
	put("controller-runtime-usual", 5, map[string]int64{"post services": 100, "put myapps/status": 200, "list myapps": 1})
	put("mote", 10, map[string]int64{"patch services": 100, "get myapps": 500})
	put("mote", 10, map[string]int64{"patch services": 100, "get myapps": 200}) // in place of the one before
	page := markdown(nil, result.Creations{}, a)
	for _, want := range []string{
		"### 100 MyApps, each a Deployment, a Service and a ConfigMap", "| Mote | controller-runtime usual |",
		"| apps brought up a second | 10.0 | 20.0 (2.0x) |", "| requests for an app | 3.0 | 3.0 (1.0x) |", "| of them writes | 1.0 | 3.0 (3.0x) |",
		"| steady memory for an app | 10.5 kB |", "- Mote: 2.0 get myapps, 1.0 patch services\n", "- controller-runtime usual: 2.0 put myapps/status, 1.0 post services\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	var terminal strings.Builder
	AppsTable(&terminal, a)
	if !strings.Contains(terminal.String(), "times Mote's value") {
		t.Errorf("the terminal's table is %q", terminal.String())
	}
}

func TestMarkersMissing(t *testing.T) {
	if _, err := between("# A page without markers\n", "text"); err == nil {
		t.Error("a page without markers was written over")
	}
}

func TestRatio(t *testing.T) {
	for x, want := range map[float64]string{25.4: "25x", 3.14: "3.1x", 0.5: "0.5x", 0.04: "0.04x", 0.001: "<0.01x"} {
		if got := ratio(x); got != want {
			t.Errorf("ratio(%v) = %s, want %s", x, got, want)
		}
	}
}

// TestSpread: no label covers another, and none leaves the panel.
func TestSpread(t *testing.T) {
	var all []label
	for range 8 {
		all = append(all, label{y: panelTop + panelHeight - 3})
	}
	all = spread(append(all, label{y: panelTop}))
	for i := 1; i < len(all); i++ {
		if all[i].y-all[i-1].y < labelGap-0.01 {
			t.Errorf("labels %d and %d are at %v and %v", i-1, i, all[i-1].y, all[i].y)
		}
	}
	if last := all[len(all)-1].y; last > panelTop+panelHeight+4 {
		t.Errorf("the last label is at %v, below the panel", last)
	}
}
