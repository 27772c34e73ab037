package report

import (
	"fmt"
	"slices"
	"strings"

	"example.com/mote/testbed/bench/result"
)

// markdown is the whole report, the largest run first.
func markdown(runs []result.Run, c result.Creations, a result.Apps) string {
	var b strings.Builder
	fmt.Fprintf(&b, "![Memory over the number of objects](%s)\n\n", picture)
	for _, r := range slices.Backward(runs) {
		fmt.Fprintf(&b, "### %d objects of %d bytes\n\n", r.Objects, r.Bytes)
		heads, all := shown(&r)
		writeTable(&b, cells(&r, heads, all))
		writeSetting(&b, r.Setting)
	}
	if len(c.Measured) > 0 {
		fmt.Fprintf(&b, "### %s\n\n", creationsTitle(c))
		writeTable(&b, creationCells(c))
		writeSetting(&b, c.Setting)
	}
	if len(a.Measured) > 0 {
		fmt.Fprintf(&b, "### %s\n\n", appsTitle(a))
		writeTable(&b, appCells(a))
		fmt.Fprintf(&b, "Requests for an app, until it runs and the contender has come to rest:\n\n%s\n", asked(a))
		writeSetting(&b, a.Setting)
	}
	return b.String()
}

func writeTable(b *strings.Builder, table [][]string) {
	for i, line := range table {
		fmt.Fprintf(b, "| %s |\n", strings.Join(line, " | "))
		if i == 0 {
			fmt.Fprintf(b, "|---|%s\n", strings.Repeat("---:|", len(line)-1))
		}
	}
	b.WriteString("\n")
}

func writeSetting(b *strings.Builder, s result.Setting) {
	fmt.Fprintf(b, "Measured %s on %s. %s.\n\n", s.Date, s.Machine, strings.Join(s.Versions, "; "))
}
