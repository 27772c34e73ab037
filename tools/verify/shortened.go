package main

import (
	"fmt"
	"strings"
)

// shown is how many lines of one check's findings are printed.
const shown = 40

// shortened is the lines of a failure, the findings cut to the first few; how
// to fix them is never cut.
func shortened(failure string) []string {
	var lines []string
	found, cut := 0, 0
	for _, line := range strings.Split(strings.TrimSpace(failure), "\n") {
		fix := strings.HasPrefix(line, "fix:")
		if found++; found > shown && !fix {
			cut++
			continue
		}
		if fix && cut > 0 {
			lines = append(lines, fmt.Sprintf("... and %d lines more", cut))
			cut = 0
		}
		lines = append(lines, line)
	}
	if cut > 0 {
		lines = append(lines, fmt.Sprintf("... and %d lines more", cut))
	}
	return lines
}
