package metric

import (
	"math"
	"strings"
	"testing"
	"time"
)

// Every corner of the text format that this package speaks.
func TestPage(t *testing.T) {
	for _, c := range []struct {
		name string
		put  func(p *Page)
		want string
	}{
		{"nothing", func(*Page) {}, ""},
		{"a counter without labels", func(p *Page) { p.Counter("a_total", "All a.", 3) },
			"# HELP a_total All a.\n# TYPE a_total counter\na_total 3\n"},
		{"families and series are sorted, and kept together", func(p *Page) {
			p.Gauge("b", "B.", 1, "x", "2")
			p.Gauge("a", "A.", 1)
			p.Gauge("b", "B.", 2, "x", "1")
		}, "# HELP a A.\n# TYPE a gauge\na 1\n# HELP b B.\n# TYPE b gauge\nb{x=\"1\"} 2\nb{x=\"2\"} 1\n"},
		{"labels keep their order", func(p *Page) { p.Gauge("a", "A.", 1, "z", "1", "b", "2") },
			"# HELP a A.\n# TYPE a gauge\na{z=\"1\",b=\"2\"} 1\n"},
		{"values of labels are escaped", func(p *Page) { p.Gauge("a", "A.", 1, "x", "back\\slash \"quote\"\nline é{},=#") },
			"# HELP a A.\n# TYPE a gauge\na{x=\"back\\\\slash \\\"quote\\\"\\nline é{},=#\"} 1\n"},
		{"what is no UTF-8 is replaced", func(p *Page) { p.Gauge("a", "A.", 1, "x", "a\xff\xfeb") },
			"# HELP a A.\n# TYPE a gauge\na{x=\"a\uFFFDb\"} 1\n"},
		{"help is escaped, but not its quotes", func(p *Page) { p.Gauge("a", "A \"b\" \\ c\nd.", 1) },
			"# HELP a A \"b\" \\\\ c\\nd.\n# TYPE a gauge\na 1\n"},
		{"special values", func(p *Page) {
			p.Gauge("a", "A.", math.Inf(1), "n", "1")
			p.Gauge("a", "A.", math.Inf(-1), "n", "2")
			p.Gauge("a", "A.", math.NaN(), "n", "3")
			p.Gauge("a", "A.", 1e21, "n", "4")
			p.Gauge("a", "A.", -0.25, "n", "5")
			p.Gauge("a", "A.", 1<<53, "n", "6")
		}, "# HELP a A.\n# TYPE a gauge\na{n=\"1\"} +Inf\na{n=\"2\"} -Inf\na{n=\"3\"} NaN\na{n=\"4\"} 1e+21\na{n=\"5\"} -0.25\na{n=\"6\"} 9.007199254740992e+15\n"},
		{"flags", func(p *Page) {
			p.Flag("a", "A.", true, "n", "1")
			p.Flag("a", "A.", false, "n", "2")
		}, "# HELP a A.\n# TYPE a gauge\na{n=\"1\"} 1\na{n=\"2\"} 0\n"},
		{"a histogram is cumulative", func(p *Page) {
			var h Histogram
			for _, d := range []time.Duration{-1, time.Millisecond, time.Millisecond + 1, 2 * time.Second, time.Hour} {
				h.Observe(d)
			}
			p.Histogram("a_seconds", "A.", &h, "n", "1")
		}, `# HELP a_seconds A.
# TYPE a_seconds histogram
a_seconds_bucket{n="1",le="0.001"} 2
a_seconds_bucket{n="1",le="0.005"} 3
a_seconds_bucket{n="1",le="0.025"} 3
a_seconds_bucket{n="1",le="0.1"} 3
a_seconds_bucket{n="1",le="0.25"} 3
a_seconds_bucket{n="1",le="0.5"} 3
a_seconds_bucket{n="1",le="1"} 3
a_seconds_bucket{n="1",le="2.5"} 4
a_seconds_bucket{n="1",le="5"} 4
a_seconds_bucket{n="1",le="10"} 4
a_seconds_bucket{n="1",le="30"} 4
a_seconds_bucket{n="1",le="60"} 4
a_seconds_bucket{n="1",le="300"} 4
a_seconds_bucket{n="1",le="+Inf"} 5
a_seconds_sum{n="1"} 3602.002000001
a_seconds_count{n="1"} 5
`},
	} {
		var p Page
		c.put(&p)
		var b strings.Builder
		if n, err := p.WriteTo(&b); err != nil || n != int64(b.Len()) || b.String() != c.want {
			t.Errorf("%s: %d bytes, %v:\n%s\nwant:\n%s", c.name, n, err, b.String(), c.want)
		}
	}
}

// A histogram of which others have put on series does not change theirs.
func TestHistogramKeepsLabels(t *testing.T) {
	labels := append(make([]string, 0, 8), "n", "1")
	var p Page
	p.Histogram("a", "A.", &Histogram{}, labels...)
	p.Gauge("b", "B.", 1, labels...)
	if s := p.families["b"].samples[0]; s != "b{n=\"1\"} 1\n" {
		t.Errorf("%q", s)
	}
}
