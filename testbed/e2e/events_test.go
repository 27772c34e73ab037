package e2e

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// eventsOf are the Events about an object, with a reason or any ("").
func (s *site) eventsOf(uid, reason string) []unstructured.Unstructured {
	s.t.Helper()
	var out []unstructured.Unstructured
	for _, e := range s.list(eventsResource, "") {
		about, _, _ := unstructured.NestedString(e.Object, "regarding", "uid")
		why, _, _ := unstructured.NestedString(e.Object, "reason")
		if about == uid && (reason == "" || why == reason) {
			out = append(out, e)
		}
	}
	return out
}

// told waits for the one Event about an object with a reason that says the words.
func (s *site) told(uid, reason string, words ...string) *unstructured.Unstructured {
	s.t.Helper()
	var found unstructured.Unstructured
	s.eventually("Event "+reason, func() error {
		all := s.eventsOf(uid, reason)
		if len(all) == 0 {
			return errNone
		}
		if len(all) > 1 {
			return fatal{fmt.Errorf("%d Events instead of one that is counted: %v", len(all), notes(all))}
		}
		found = all[0]
		return says(notes(all)[0], words...)
	})
	return &found
}

func notes(events []unstructured.Unstructured) []string {
	var out []string
	for _, e := range events {
		note, _, _ := unstructured.NestedString(e.Object, "note")
		out = append(out, note)
	}
	return out
}

// seriesOf is how often an Event was counted; 0: it happened once.
func seriesOf(e *unstructured.Unstructured) int64 {
	n, _, _ := unstructured.NestedInt64(e.Object, "series", "count")
	return n
}
