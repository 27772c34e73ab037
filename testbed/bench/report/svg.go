package report

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"example.com/mote/testbed/bench/result"
)

// line is one contender's memory over the number of objects.
type line struct {
	head, colour string
	points       []point
}

type point struct {
	objects int
	bytes   float64
}

// Sizes of the picture, in its own units.
const (
	width, height = 1160, 470
	panelWidth    = 300
	panelStep     = 560 // from one panel to the next: its labels and the next one's axis
	panelTop      = 70
	panelHeight   = 330
	labelGap      = 15
)

// svg draws two panels, peak and steady memory, on logarithmic axes.
func svg(runs []result.Run) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text x="20" y="28" font-size="17" font-weight="600" fill="#222">Memory over the number of objects (resident set, less is better)</text>`+"\n")
	peak := lines(runs, func(m *result.Measured) float64 { return float64(m.Start.Peak) })
	steady := lines(runs, func(m *result.Measured) float64 {
		if m.Idle == nil {
			return 0
		}
		return float64(m.Idle.RSS)
	})
	s := scaleOf(runs, append(slices.Clone(peak), steady...))
	panel(&b, 60, "peak through the start", peak, s)
	panel(&b, 60+panelStep, "steady, when nothing changes", steady, s)
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// lines are the contenders that have a colour and a value.
func lines(runs []result.Run, value func(*result.Measured) float64) []line {
	var all []line
	for _, c := range columns {
		l := line{head: c.head, colour: c.colour}
		for _, r := range runs {
			if m := r.Get(c.id); m != nil && c.colour != "" && value(m) > 0 {
				l.points = append(l.points, point{r.Objects, value(m)})
			}
		}
		if len(l.points) > 0 {
			all = append(all, l)
		}
	}
	return all
}

// scale maps numbers of objects and bytes to places in a panel.
type scale struct{ minX, maxX, minY, maxY float64 } // logarithms to base 10

func scaleOf(runs []result.Run, all []line) scale {
	s := scale{math.Inf(1), math.Inf(-1), 6, 8}
	for _, r := range runs {
		x := math.Log10(float64(r.Objects))
		s.minX, s.maxX = math.Min(s.minX, x), math.Max(s.maxX, x)
	}
	for _, l := range all {
		for _, p := range l.points {
			y := math.Log10(p.bytes)
			s.minY, s.maxY = math.Min(s.minY, y), math.Max(s.maxY, y)
		}
	}
	if s.maxX == s.minX { // a single size stands in the middle
		s.minX, s.maxX = s.minX-0.5, s.maxX+0.5
	}
	s.minY, s.maxY = s.minY-0.1, s.maxY+0.1
	return s
}

func (s scale) x(left float64, objects int) float64 {
	return left + (math.Log10(float64(objects))-s.minX)/(s.maxX-s.minX)*panelWidth
}

func (s scale) y(bytes float64) float64 {
	return panelTop + panelHeight - (math.Log10(bytes)-s.minY)/(s.maxY-s.minY)*panelHeight
}

// panel draws one panel, each line with its name at its end.
func panel(b *bytes.Buffer, left float64, title string, all []line, s scale) {
	fmt.Fprintf(b, `<text x="%.0f" y="56" font-weight="600" fill="#444">%s</text>`+"\n", left, title)
	grid(b, left, s)
	var names []label
	for _, l := range all {
		fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="2.5" points="`, l.colour)
		for _, p := range l.points {
			fmt.Fprintf(b, "%.1f,%.1f ", s.x(left, p.objects), s.y(p.bytes))
		}
		b.WriteString(`"/>` + "\n")
		for _, p := range l.points {
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"><title>%s, %d objects: %s</title></circle>`+"\n",
				s.x(left, p.objects), s.y(p.bytes), l.colour, l.head, p.objects, mib(p.bytes))
		}
		last := l.points[len(l.points)-1]
		names = append(names, label{x: s.x(left, last.objects) + 8, y: s.y(last.bytes) + 4, colour: l.colour, text: l.head + ", " + mib(last.bytes)})
	}
	for _, n := range spread(names) {
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="%s" font-size="11">%s</text>`+"\n", n.x, n.y, n.colour, n.text)
	}
}

// grid draws the axes: a line for each power of four of a MiB, and the sizes.
func grid(b *bytes.Buffer, left float64, s scale) {
	for mega := 1.0; mega <= 1<<14; mega *= 4 {
		bytes := mega * (1 << 20)
		if math.Log10(bytes) < s.minY || math.Log10(bytes) > s.maxY {
			continue
		}
		fmt.Fprintf(b, `<line x1="%.0f" x2="%.0f" y1="%.1f" y2="%.1f" stroke="#e6e6e6"/>`+"\n", left, left+panelWidth, s.y(bytes), s.y(bytes))
		fmt.Fprintf(b, `<text x="%.0f" y="%.1f" text-anchor="end" fill="#666">%s</text>`+"\n", left-6, s.y(bytes)+4, mebi(mega))
	}
	for n := 1; n <= 1_000_000; n *= 10 {
		if x := math.Log10(float64(n)); x < s.minX || x > s.maxX {
			continue
		}
		fmt.Fprintf(b, `<line x1="%[1]f" x2="%[1]f" y1="%d" y2="%d" stroke="#e6e6e6"/>`+"\n", s.x(left, n), panelTop, panelTop+panelHeight)
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#666">%d</text>`+"\n", s.x(left, n), panelTop+panelHeight+18, n)
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#666">objects</text>`+"\n", left+panelWidth/2, panelTop+panelHeight+38)
}

func mebi(mega float64) string {
	if mega >= 1024 {
		return fmt.Sprintf("%.0f GiB", mega/1024)
	}
	return fmt.Sprintf("%.0f MiB", mega)
}
