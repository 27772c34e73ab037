package forecast

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// WriteText prints a forecast for people: a line for each object, what is ahead of
// it below, and a summary.
func (f Forecast) WriteText(w io.Writer) {
	for _, o := range f.Objects {
		o.writeText(w)
	}
	for _, n := range f.Notes {
		fmt.Fprintf(w, "Note: %s.\n", n)
	}
	fmt.Fprintln(w, f.summary())
}

// Title is how an object is named: with its manifest, where it is of one.
func (o Object) Title() string {
	s := fmt.Sprintf("%s %s/%s", o.Kind, o.Namespace, o.Name)
	if o.File != "" {
		s += fmt.Sprintf(" (%s, document %d)", o.File, o.Document)
	}
	return s
}

func (o Object) writeText(w io.Writer) {
	fmt.Fprintf(w, "%s: %s\n", o.Title(), o.verdict())
	if o.New && len(o.Errors) == 0 {
		fmt.Fprintf(w, "  + object %s/%s\n", o.Kind, o.Name)
	}
	for _, x := range o.Fields {
		fmt.Fprintf(w, "  ~ %s: %s becomes %s", x.Path, cmp.Or(x.Before, "(none)"), cmp.Or(x.After, "(none)"))
		switch {
		case x.Refused != "":
			fmt.Fprintf(w, " - REFUSED: %s", x.Refused)
		case x.Effect != "":
			fmt.Fprintf(w, " - %s", x.Effect)
		}
		fmt.Fprintln(w)
	}
	for _, e := range o.Errors {
		if !o.told(e) {
			fmt.Fprintf(w, "  ! %s\n", strings.ReplaceAll(e, "\n", " "))
		}
	}
	for _, s := range o.Steps {
		if s.Where != InStatus || s.Sign == Wait {
			s.writeText(w)
		}
	}
	for _, n := range o.Notes {
		fmt.Fprintf(w, "  note: %s\n", n)
	}
	if t := o.Then.String(); t != "" && (o.Pending() || o.waits()) && len(o.Errors) == 0 {
		fmt.Fprintf(w, "  = %s\n", t)
	}
}

// told tells whether an error is told with a field already.
func (o Object) told(e string) bool {
	for _, f := range o.Fields {
		if f.Refused != "" && strings.Contains(e, f.Refused) {
			return true
		}
	}
	return false
}

// waits tells whether something is waited for, although nothing is to be done.
func (o Object) waits() bool {
	for _, s := range o.Steps {
		if s.Sign == Wait {
			return true
		}
	}
	return !o.Then.Ready
}

// verdict is the object's line in a few words.
func (o Object) verdict() string {
	var doing []string
	for _, s := range o.Steps {
		if s.Where == InCloud && s.Sign != Wait {
			do := strings.ToLower(s.Do)
			if s.Sign == Refuse {
				do += " refused by the cloud"
			}
			doing = append(doing, do)
		}
	}
	switch {
	case len(o.Errors) > 0 && o.File == "" && len(o.Fields) == 0:
		return "cannot be told"
	case len(o.Errors) > 0:
		return "refused"
	case len(doing) > 0:
		return strings.Join(doing, ", ")
	case o.New:
		return "make"
	case o.Pending():
		return "change"
	case !o.waits():
		return "nothing to do"
	}
	return "waits"
}

func (s Step) writeText(w io.Writer) {
	line := fmt.Sprintf("  %s %s", s.Sign, s.What)
	if s.Cost != nil {
		line += "; " + s.Cost.String()
		if s.Cost.Difference {
			line += " (difference of the list prices)"
		}
	}
	fmt.Fprintln(w, line)
	if s.Why != "" {
		fmt.Fprintf(w, "      because %s\n", s.Why)
	}
	if s.Interrupts != "" {
		fmt.Fprintf(w, "      %s\n", s.Interrupts)
	}
	if s.Final {
		fmt.Fprintln(w, "      cannot be undone")
	}
	for _, d := range s.Details {
		fmt.Fprintf(w, "      %s\n", d)
	}
}

// String is the state in a line.
func (t Then) String() string {
	switch {
	case t.Gone:
		return "gone"
	case t.Ready:
		return t.Phase
	case t.Phase == "":
		return ""
	}
	s := t.Phase
	if t.Reason != "" {
		s += ", " + t.Reason
	}
	if t.Message != "" {
		s += ": " + t.Message
	}
	return s
}

func (f Forecast) summary() string {
	pending, quiet, refused, waiting := 0, 0, 0, 0
	for _, o := range f.Objects {
		switch {
		case len(o.Errors) > 0:
			refused++
		case o.Pending():
			pending++
		case !o.waits():
			quiet++
		default:
			waiting++
		}
	}
	s := fmt.Sprintf("Plan: %d with changes, %d with nothing to do", pending, quiet)
	if waiting > 0 {
		s += fmt.Sprintf(", %d waiting", waiting)
	}
	if n := refused + len(f.Errors); n > 0 {
		s += fmt.Sprintf(", %d with errors", n)
	}
	s += "."
	for _, t := range f.Total {
		s += " Price: " + t.String() + "."
	}
	return s + " Nothing was changed."
}
