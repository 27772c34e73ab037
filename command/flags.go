package command

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"time"
)

// shortFor begins the text of a flag that is another's short form: its one dash is
// listed before the other's two.
const shortFor = "short for --"

// spelled is a flag as it is typed.
func spelled(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// invalidValue is how package flag tells of a value that it cannot read.
var invalidValue = regexp.MustCompile(`(?s)^invalid (?:boolean )?value (".*") for (?:flag )?-([^ :]+): .*$`)

// parsed reads a command line up to its first word that is no flag, and tells what is
// wrong with it in our words.
func parsed(f *flag.FlagSet, args []string) error {
	err := f.Parse(args)
	if err == nil {
		return nil
	}
	if errors.Is(err, flag.ErrHelp) {
		return errHelp
	}
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		text = "there is no flag " + spelled(name)
	} else if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		text = spelled(name) + " needs a value"
	} else if m := invalidValue.FindStringSubmatch(text); m != nil {
		text = spelled(m[2]) + " " + m[1] + ": it is " + expected(f.Lookup(m[2]))
	}
	return fmt.Errorf("%s (see %s %s --help)", text, program, f.Name())
}

// expected is what a flag's value has to be.
func expected(f *flag.Flag) string {
	if getter, ok := f.Value.(flag.Getter); ok {
		switch getter.Get().(type) {
		case bool:
			return "true or false"
		case int:
			return "a whole number"
		case time.Duration:
			return "a time like 30s or 5m"
		case *slog.Level:
			return "debug, info, warn or error"
		}
	}
	return "something else"
}

// listed are flags with what they are for: those of which first is true before those
// of which it is not, under a title. first may be nil.
func listed(flags *flag.FlagSet, first func(name string) bool, title string) string {
	short := map[string]string{}
	flags.VisitAll(func(f *flag.Flag) {
		if long, ok := strings.CutPrefix(f.Usage, shortFor); ok {
			short[long] = f.Name
		}
	})
	var before, after strings.Builder
	flags.VisitAll(func(f *flag.Flag) {
		if strings.HasPrefix(f.Usage, shortFor) {
			return
		}
		b := &before
		if first != nil && !first(f.Name) {
			b = &after
		}
		name, text := flag.UnquoteUsage(f)
		if name != "" {
			name = " " + name
		}
		if f.DefValue != "" && f.DefValue != "false" && !strings.Contains(text, "(default") {
			text += " (default: " + strings.ToLower(f.DefValue) + ")"
		}
		b.WriteString("  ")
		if s := short[f.Name]; s != "" {
			b.WriteString(spelled(s) + ", ")
		}
		b.WriteString(spelled(f.Name) + name + "\n" + wrapped(text, "        "))
	})
	if after.Len() == 0 {
		return before.String()
	}
	return before.String() + "\n" + title + "\n" + after.String()
}

// widest is the most columns of a line of help.
const widest = 100

// wrapped is a text in indented lines of at most widest columns.
func wrapped(text, indent string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
			b.WriteString(indent)
			column = len(indent)
		case column+1+len(word) > widest:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	b.WriteByte('\n')
	return b.String()
}
