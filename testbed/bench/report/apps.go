package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"example.com/mote/testbed/bench/result"
)

// appRow is one measure of all contenders that serve apps.
type appRow struct {
	name  string
	unit  func(float64) string
	value func(m result.AppsMeasured) float64
}

// appRows are all measures, in the order in which they are shown.
var appRows = []appRow{
	{"apps brought up a second", tenths, func(m result.AppsMeasured) float64 { return float64(m.Apps.Apps) / m.Seconds }},
	{"time until all run", seconds, func(m result.AppsMeasured) float64 { return m.Seconds }},
	{"requests for an app", tenths, func(m result.AppsMeasured) float64 { return each(m, float64(m.Taken.Requests)) }},
	{"of them writes", tenths, func(m result.AppsMeasured) float64 { return each(m, float64(writes(m))) }},
	{"bytes for an app", kb, func(m result.AppsMeasured) float64 { return each(m, float64(m.Taken.Bytes)) }},
	{"CPU for 1000 apps", seconds, func(m result.AppsMeasured) float64 { return each(m, m.CPU) * 1000 }},
	{"memory without apps", mib, func(m result.AppsMeasured) float64 { return float64(m.Before) }},
	{"peak memory", mib, func(m result.AppsMeasured) float64 { return float64(m.Peak) }},
	{"steady memory", mib, func(m result.AppsMeasured) float64 { return float64(m.Idle.RSS) }},
	{"steady memory for an app", kb, func(m result.AppsMeasured) float64 { return each(m, float64(max(0, m.Idle.RSS-m.Before))) }},
	{"steady requests a minute", count, func(m result.AppsMeasured) float64 { return perMinute(m.Idle.Taken.Requests, m.Idle.Seconds) }},
	{"steady CPU a minute", seconds, func(m result.AppsMeasured) float64 { return m.Idle.CPUPerMinute() }},
	{"start with all of them", seconds, func(m result.AppsMeasured) float64 { return m.Start.Settled }},
	{"requests of that start", count, func(m result.AppsMeasured) float64 { return float64(m.Start.Taken.Requests) }},
	{"peak memory of that start", mib, func(m result.AppsMeasured) float64 { return float64(m.Start.Peak) }},
}

func each(m result.AppsMeasured, v float64) float64 { return v / float64(max(1, m.Apps.Apps)) }

func tenths(v float64) string { return fmt.Sprintf("%.1f", v) }

// writes is how many of the requests were no reads.
func writes(m result.AppsMeasured) (n int64) {
	for what, times := range m.Taken.By {
		switch verb, _, _ := strings.Cut(what, " "); verb {
		case "post", "put", "patch", "delete":
			n += times
		}
	}
	return n
}

// appColumns are the contenders in the order in which they are shown.
var appColumns = []struct{ id, head string }{
	{"mote", "Mote"}, {"controller-runtime-usual", "controller-runtime usual"}, {"controller-runtime-tuned", "controller-runtime tuned"},
}

// AppsTable prints the apps for the terminal.
func AppsTable(w io.Writer, a result.Apps) {
	if len(a.Measured) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s; in parentheses: times Mote's value\n\n", appsTitle(a))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range appCells(a) {
		fmt.Fprintln(t, strings.Join(line, "\t")+"\t")
	}
	t.Flush()
}

func appsTitle(a result.Apps) string {
	return fmt.Sprintf("%d MyApps, each a Deployment, a Service and a ConfigMap", a.Objects)
}

// appCells are the table, its head first.
func appCells(a result.Apps) [][]string {
	table := [][]string{{""}}
	for _, c := range appColumns {
		if a.Get(c.id) != nil {
			table[0] = append(table[0], c.head)
		}
	}
	mote := a.Get("mote")
	for _, row := range appRows {
		line := []string{row.name}
		for _, c := range appColumns {
			if m := a.Get(c.id); m != nil {
				line = append(line, row.cell(m, mote))
			}
		}
		table = append(table, line)
	}
	return table
}

// cell is a value and, for others than Mote, how many times Mote's it is.
func (r appRow) cell(m, mote *result.AppsMeasured) string {
	text := r.unit(r.value(*m))
	if mote == nil || m == mote || r.value(*mote) == 0 {
		return text
	}
	return text + " (" + ratio(r.value(*m)/r.value(*mote)) + ")"
}

// asked says which requests an app cost each contender.
func asked(a result.Apps) string {
	var b strings.Builder
	for _, c := range appColumns {
		m := a.Get(c.id)
		if m == nil {
			continue
		}
		var parts []string
		for _, what := range byCount(m.Taken.By) {
			if n := each(*m, float64(m.Taken.By[what])); n >= 0.05 {
				parts = append(parts, fmt.Sprintf("%.1f %s", n, what))
			}
		}
		fmt.Fprintf(&b, "- %s: %s\n", c.head, strings.Join(parts, ", "))
	}
	return b.String()
}

// byCount are the keys of a map, the largest value first.
func byCount(m map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(cmp.Compare(m[b], m[a]), strings.Compare(a, b)) })
}
