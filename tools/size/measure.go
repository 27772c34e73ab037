package main

import (
	"cmp"
	"debug/elf"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// measured is where a program's bytes are. All sizes are in bytes.
type measured struct {
	sections map[string]uint64 // what the file holds, by the ELF section's name
	packages map[string]uint64 // code and data by the Go package they belong to
}

// measure reads a program with a symbol table.
func measure(file string) (measured, error) {
	m := measured{sections: map[string]uint64{}, packages: map[string]uint64{}}
	f, err := elf.Open(file)
	if err != nil {
		return m, err
	}
	defer f.Close()
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && s.Type != elf.SHT_NOBITS {
			m.sections[s.Name] = s.Size
		}
	}
	symbols, err := f.Symbols()
	if err != nil {
		return m, fmt.Errorf("%s has no symbols, so nothing can be told apart: %w", file, err)
	}
	for _, s := range symbols {
		if int(s.Section) >= len(f.Sections) || s.Size == 0 {
			continue
		}
		section := f.Sections[s.Section]
		if section.Flags&elf.SHF_ALLOC == 0 || section.Type == elf.SHT_NOBITS || section.Name == ".gopclntab" {
			continue
		}
		m.packages[packageOf(s.Name)] += s.Size
	}
	return m, nil
}

// packageOf is the package in whose source a symbol is written: of an instance of a
// generic function, its definition's. What the compiler and the linker make is "generated".
func packageOf(symbol string) string {
	if strings.HasPrefix(symbol, "go:") || strings.HasPrefix(symbol, "type:") {
		return "generated"
	}
	// Type arguments and receivers have paths of their own in them.
	name := symbol
	if i := strings.IndexAny(name, "[("); i >= 0 {
		name = name[:i]
	}
	slash := strings.LastIndexByte(name, '/')
	dot := strings.IndexByte(name[slash+1:], '.')
	if dot < 0 {
		return "generated"
	}
	// The linker writes a dot in a path's last element as %2e.
	return strings.ReplaceAll(name[:slash+1+dot], "%2e", ".")
}

// groups are the table's lines: a package belongs to the first whose prefix it has.
var groups = []struct {
	name     string
	prefixes []string
}{
	{"Mote itself", []string{"main", "example.com/mote"}},
	{"TLS and cryptography", []string{"crypto", "vendor/golang.org/x/crypto", "encoding/asn1", "encoding/pem", "math/big"}},
	{"HTTP, net/http and golang.org/x/net", []string{"net/http", "golang.org/x/net", "vendor/golang.org/x/net", "vendor/golang.org/x/text", "golang.org/x/text", "mime", "net/textproto"}},
	{"sockets, DNS, addresses", []string{"net"}},
	{"k8s.io/apimachinery", []string{"k8s.io/apimachinery"}},
	{"k8s.io/client-go", []string{"k8s.io/client-go"}},
	{"what these two bring: CBOR, YAML, JSON twice, logging", []string{"k8s.io", "sigs.k8s.io", "go.yaml.in", "github.com/fxamacker", "github.com/json-iterator",
		"github.com/modern-go", "github.com/davecgh", "github.com/go-logr", "github.com/munnerz", "github.com/x448", "gopkg.in", "golang.org/x/oauth2", "golang.org/x/time", "golang.org/x/term", "github.com/spf13"}},
	{"Tencent's SDK", []string{"github.com/tencentcloud"}},
	{"automemlimit, automaxprocs", []string{"github.com/KimMachineGun", "go.uber.org", "github.com/pbnjay"}},
	{"the Go runtime", []string{"runtime", "internal", "sync", "syscall", "golang.org/x/sys", "unique", "weak"}},
	{"generated: types' equality, stack maps, tables", []string{"generated"}},
}

// groupOf is the line that a package belongs to.
func groupOf(pkg string) string {
	for _, g := range groups {
		for _, p := range g.prefixes {
			if pkg == p || strings.HasPrefix(pkg, p+"/") {
				return g.name
			}
		}
	}
	return "the rest of the standard library"
}

// shown is how many packages have a line of their own.
const shown = 40

// tables is Markdown; total is the size of the delivered file.
func (m measured) tables(total int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "linux/amd64, %s bytes:\n\n| part of the file | bytes |\n|---|---:|\n", grouped(uint64(total)))
	rest := uint64(total)
	for _, s := range []struct{ section, what string }{
		{".text", "machine code"}, {".gopclntab", "the function table: names, lines and stack sizes, for stack traces and the garbage collector"},
		{".rodata", "constants, strings and type descriptions"}, {".noptrdata", "tables of data"}, {".data", "variables"},
	} {
		fmt.Fprintf(&b, "| `%s`, %s | %s |\n", s.section, s.what, grouped(m.sections[s.section]))
		rest -= m.sections[s.section]
	}
	fmt.Fprintf(&b, "| everything else | %s |\n", grouped(rest))

	sums := map[string]uint64{}
	for p, n := range m.packages {
		sums[groupOf(p)] += n
	}
	b.WriteString("\nCode and data by where they come from, without the function table and the type descriptions:\n\n| from | bytes |\n|---|---:|\n")
	for _, name := range bySize(sums) {
		fmt.Fprintf(&b, "| %s | %s |\n", name, grouped(sums[name]))
	}
	fmt.Fprintf(&b, "\nThe %d largest packages:\n\n| package | bytes |\n|---|---:|\n", min(shown, len(m.packages)))
	for _, name := range bySize(m.packages)[:min(shown, len(m.packages))] {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, grouped(m.packages[name]))
	}
	return b.String()
}

// bySize are the names, the largest first.
func bySize(sizes map[string]uint64) []string {
	return slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), strings.Compare(a, b))
	})
}

// grouped writes a number with commas between thousands.
func grouped(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
