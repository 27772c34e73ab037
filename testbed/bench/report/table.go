package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"example.com/mote/testbed/bench/result"
)

// Table prints a run for the terminal. In parentheses: how many times Mote's value
// it is; more than 1x means that Mote does better.
func Table(w io.Writer, r result.Run) {
	fmt.Fprintf(w, "\n%d objects of %d bytes; in parentheses: times Mote's value\n\n", r.Objects, r.Bytes)
	heads, all := shown(&r)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range cells(&r, heads, all) {
		fmt.Fprintln(t, strings.Join(line, "\t")+"\t")
	}
	t.Flush()
}

// cells are the table, its head first. Rows without any value are left out.
func cells(r *result.Run, heads []string, all []*result.Measured) [][]string {
	table := [][]string{append([]string{""}, heads...)}
	mote := r.Get("mote")
	for _, row := range rows {
		line, some := []string{row.name}, false
		for _, m := range all {
			c := row.cell(m, mote)
			line, some = append(line, c), some || c != ""
		}
		if some {
			table = append(table, line)
		}
	}
	return table
}

// CreationsTable prints the creations for the terminal.
func CreationsTable(w io.Writer, c result.Creations) {
	if len(c.Measured) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n\n", creationsTitle(c))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range creationCells(c) {
		fmt.Fprintln(t, strings.Join(line, "\t")+"\t")
	}
	t.Flush()
}

func creationsTitle(c result.Creations) string {
	first := c.Measured[0]
	return fmt.Sprintf("%d creations against a cloud where each call takes %g s, beside %d steady objects", first.Objects, first.Call, c.Objects)
}

func creationCells(c result.Creations) [][]string {
	table := [][]string{{"", "bought", "after", "other changes p50", "p99", "peak memory"}}
	for _, m := range c.Measured {
		table = append(table, []string{m.Name, fmt.Sprint(m.Bought), seconds(m.Seconds),
			answered(m.Probes.P50, m.Probes.Served), answered(m.Probes.P99, m.Probes.Served), mib(float64(m.Peak))})
	}
	return table
}

func answered(ms float64, served int) string {
	if served == 0 {
		return "none answered"
	}
	return milliseconds(ms)
}
