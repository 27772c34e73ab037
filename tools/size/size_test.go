package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestPackageOf(t *testing.T) {
	for symbol, want := range map[string]string{
		"main.main":                      "main",
		"net/http.(*Transport).dialConn": "net/http",
		"gopkg.in/inf%2ev0.(*Dec).Cmp":   "gopkg.in/inf.v0",
		"k8s.io/client-go/rest.init.0":   "k8s.io/client-go/rest",
		"slices.pdqsortCmpFunc[go.shape.struct { net/http.key string }]": "slices",
		"type:.eq.net/http.Cookie":                                       "generated",
		"go:func.*":                                                      "generated",
		"memeqbody":                                                      "generated",
		"crypto/internal/fips140/nistec.p256PrecomputedEmbed": "crypto/internal/fips140/nistec",
	} {
		if got := packageOf(symbol); got != want {
			t.Errorf("%s is of %q, want %q", symbol, got, want)
		}
	}
}

func TestGroupOf(t *testing.T) {
	for pkg, want := range map[string]string{
		"main":             "Mote itself",
		"net/http":         "HTTP, net/http and golang.org/x/net",
		"net":              "sockets, DNS, addresses",
		"netip":            "the rest of the standard library",
		"k8s.io/client-go": "k8s.io/client-go",
		"k8s.io/klog/v2":   "what these two bring: CBOR, YAML, JSON twice, logging",
	} {
		if got := groupOf(pkg); got != want {
			t.Errorf("%s belongs to %q, want %q", pkg, got, want)
		}
	}
}

// A Go program with symbols is told apart.
func TestMeasure(t *testing.T) {
	file := filepath.Join(t.TempDir(), "size")
	if out, err := exec.Command("go", "build", "-o", file, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m, err := measure(file)
	if err != nil {
		t.Fatal(err)
	}
	if m.sections[".text"] == 0 || m.sections[".gopclntab"] == 0 || m.packages["runtime"] < 100_000 || m.packages["debug/elf"] == 0 {
		t.Errorf("%v, runtime %d, debug/elf %d", m.sections, m.packages["runtime"], m.packages["debug/elf"])
	}
	var code uint64
	for _, n := range m.packages {
		code += n
	}
	var all uint64
	for _, n := range m.sections {
		all += n
	}
	if code > all {
		t.Errorf("the packages have %d bytes, the sections %d", code, all)
	}
	for _, want := range []string{"linux/amd64, 20,000,000 bytes", "| `runtime` | ", "| the Go runtime | "} {
		if !strings.Contains(m.tables(20_000_000), want) {
			t.Errorf("no %q in the tables", want)
		}
	}
	if _, err := measure("size_test.go"); err == nil {
		t.Error("a text passes for a program")
	}
}

func TestBetween(t *testing.T) {
	got, err := between("a\n"+begin+"old\n"+end+"b\n", "new\n")
	if want := "a\n" + begin + "new\n" + end + "b\n"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	for _, doc := range []string{"", begin, end + begin} {
		if _, err := between(doc, ""); err == nil {
			t.Errorf("%q has no pair of markers, and passes", doc)
		}
	}
}
