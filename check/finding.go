package check

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Level is how bad a finding is.
type Level string

// The levels. Error is what Mote cannot work with; Unknown is what could not be
// looked at, mostly because of an Error elsewhere.
const (
	OK      Level = "ok"
	Warning Level = "warning"
	Error   Level = "error"
	Unknown Level = "unknown"
)

// Finding is one line of the report.
type Finding struct {
	Check   string `json:"check"` // "rights", "schema of postgresdbs"
	Level   Level  `json:"level"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"` // what helps
}

// Passed tells whether Mote can work.
func Passed(all []Finding) bool {
	return !slices.ContainsFunc(all, func(f Finding) bool { return f.Level == Error })
}

// Text writes one line for each finding.
func Text(w io.Writer, all []Finding) {
	wide := 0
	for _, f := range all {
		wide = max(wide, len(f.Check))
	}
	for _, f := range all {
		line := fmt.Sprintf("%-7s  %-*s  %s", f.Level, wide, f.Check, oneLine(f.Message))
		if f.Fix != "" {
			line += " -> " + oneLine(f.Fix)
		}
		fmt.Fprintln(w, line)
	}
}

// JSON writes {"passed": ..., "findings": [...]}.
func JSON(w io.Writer, all []Finding) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(map[string]any{"passed": Passed(all), "findings": all})
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
