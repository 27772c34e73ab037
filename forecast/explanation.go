package forecast

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
)

// Seen is one thing that was looked at.
type Seen struct {
	What  string `json:"what"`
	State string `json:"state"`
	// At is when it was seen; of what was read just now that is now.
	At time.Time `json:"at"`
	// By says how, like "read live" or "the cloud's watch".
	By string `json:"by"`
}

// Said is what the object or an Event about it says.
type Said struct {
	Type    string    `json:"type"`
	Status  string    `json:"status,omitempty"`
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
	Since   time.Time `json:"since"`
	Count   int64     `json:"count,omitempty"`
}

// Explanation is why an object is as it is.
type Explanation struct {
	Kind      string    `json:"kind"`
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	Now       time.Time `json:"now"`
	Seen      []Seen    `json:"seen"`
	// Decision is what Mote does about that now, and Rule the part of the code and
	// the reason that gave it.
	Decision string `json:"decision"`
	Rule     string `json:"rule"`
	Because  string `json:"because,omitempty"`
	// By says who carries it out, or that nobody is there who does; "": not known.
	By string `json:"by,omitempty"`
	// WaitsFor says what has to happen; Until is when Mote looks again if it does not.
	WaitsFor string     `json:"waitsFor,omitempty"`
	Until    *time.Time `json:"until,omitempty"`
	// Intent is the last purchase or change that was asked for, and Outcome what came
	// of it.
	Intent  string `json:"intent,omitempty"`
	Outcome string `json:"outcome,omitempty"`

	Conditions []Said   `json:"conditions,omitempty"`
	Events     []Said   `json:"events,omitempty"`
	Errors     []string `json:"errors,omitempty"`
}

// WriteText prints an explanation for people.
func (x Explanation) WriteText(w io.Writer) {
	fmt.Fprintf(w, "%s %s/%s\n", x.Kind, x.Namespace, x.Name)
	fmt.Fprintln(w, "\nSeen:")
	for _, s := range x.Seen {
		how := s.By
		if age := x.Age(s.At); age != "0s" { // else it was seen for this explanation
			how += ", " + age + " ago"
		}
		fmt.Fprintf(w, "  %-18s %s (%s)\n", s.What, s.State, how)
	}
	fmt.Fprintf(w, "\nDecision: %s\n  rule: %s\n", x.Decision, x.Rule)
	if x.By != "" {
		fmt.Fprintf(w, "  by: %s\n", x.By)
	}
	if x.Because != "" && x.Because != x.WaitsFor {
		fmt.Fprintf(w, "  because: %s\n", x.Because)
	}
	if x.WaitsFor != "" {
		fmt.Fprintf(w, "  waits for: %s\n", x.WaitsFor)
	}
	if x.Until != nil {
		fmt.Fprintf(w, "  looks again: in %s, at %s, or when something changes\n", x.Until.Sub(x.Now).Round(time.Second), x.Until.UTC().Format(time.RFC3339))
	}
	if x.Intent != "" {
		fmt.Fprintf(w, "\nLast intent: %s\n  outcome: %s\n", x.Intent, cmp.Or(x.Outcome, "not known"))
	}
	told := map[string]bool{x.Because: true, x.WaitsFor: true}
	once := func(message string) string {
		if told[message] && message != "" {
			return "as above"
		}
		told[message] = true
		return message
	}
	said := func(title string, all []Said) {
		if len(all) > 0 {
			fmt.Fprintf(w, "\n%s:\n", title)
		}
		for _, s := range all {
			what := strings.TrimSpace(s.Type + " " + s.Status)
			times := ""
			if s.Count > 1 {
				times = fmt.Sprintf(", %d times", s.Count)
			}
			fmt.Fprintf(w, "  %-22s %s, %s ago%s: %s\n", what, s.Reason, x.Age(s.Since), times, once(s.Message))
		}
	}
	said("Conditions", x.Conditions)
	said("Events", x.Events)
	for _, e := range x.Errors {
		fmt.Fprintf(w, "\nCould not see: %s\n", e)
	}
}

// Age is how long ago something was, in a word.
func (x Explanation) Age(at time.Time) string { return Age(x.Now.Sub(at)) }

// Age is a span of time in its one or two largest units, as kubectl has it.
func Age(d time.Duration) string {
	switch d = max(d, 0).Truncate(time.Second); {
	case d < 2*time.Minute:
		return d.String()
	case d < 2*time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
