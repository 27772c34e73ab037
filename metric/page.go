package metric

import (
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ContentType is that of a Page.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Page is one answer to a scrape. What is put on it may come in any order: the
// samples of a family are kept together, as the format asks. Labels are names and
// values in turn. It is for one goroutine.
type Page struct{ families map[string]*family }

// family is all samples of one name.
type family struct {
	help, kind string
	samples    []string // whole series, each its lines
}

// Counter puts a counter on the page; its name ends in _total.
func (p *Page) Counter(name, help string, value float64, labels ...string) {
	p.add("counter", name, help, line(name, value, labels))
}

// Gauge puts a number on the page that goes up and down.
func (p *Page) Gauge(name, help string, value float64, labels ...string) {
	p.add("gauge", name, help, line(name, value, labels))
}

// Flag puts a gauge on the page that is 1 for yes and 0 for no.
func (p *Page) Flag(name, help string, value bool, labels ...string) {
	n := 0.0
	if value {
		n = 1
	}
	p.Gauge(name, help, n, labels...)
}

// Histogram puts a histogram on the page, in seconds.
func (p *Page) Histogram(name, help string, h *Histogram, labels ...string) {
	var b strings.Builder
	var n uint64
	bucket := func(bound float64) {
		b.WriteString(line(name+"_bucket", float64(n), append(labels[:len(labels):len(labels)], "le", number(bound))))
	}
	for i, bound := range bounds {
		n += h.counts[i].Load()
		bucket(bound.Seconds())
	}
	n += h.counts[len(bounds)].Load()
	bucket(math.Inf(1))
	b.WriteString(line(name+"_sum", float64(h.sum.Load())/1e9, labels))
	b.WriteString(line(name+"_count", float64(n), labels))
	p.add("histogram", name, help, b.String())
}

func (p *Page) add(kind, name, help, sample string) {
	if p.families == nil {
		p.families = map[string]*family{}
	}
	f := p.families[name]
	if f == nil {
		f = &family{help: help, kind: kind}
		p.families[name] = f
	}
	f.samples = append(f.samples, sample)
}

// WriteTo writes the page, sorted, so that two of them can be compared.
func (p *Page) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.families)) {
		f := p.families[name]
		b.WriteString("# HELP " + name + " " + helpEscapes.Replace(f.help) + "\n# TYPE " + name + " " + f.kind + "\n")
		slices.Sort(f.samples)
		for _, s := range f.samples {
			b.WriteString(s)
		}
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	valueEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// line is one sample.
func line(name string, value float64, labels []string) string {
	var b strings.Builder
	b.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(labels[i] + `="` + valueEscapes.Replace(strings.ToValidUTF8(labels[i+1], "\uFFFD")) + `"`)
	}
	if len(labels) > 0 {
		b.WriteByte('}')
	}
	b.WriteString(" " + number(value) + "\n")
	return b.String()
}

// number is a value as the format spells it.
func number(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "+Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
