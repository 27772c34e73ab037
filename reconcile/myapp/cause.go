package myapp

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// cause is why an app's pods do not get on: the first thing that stands in the
// way, in the cluster's words. The zero cause is none that is known.
type cause struct {
	reason, message string
	// suspect is a pod about which only its Events may tell more; "": none.
	suspect string
	// weak means that the Events may know better.
	weak bool
}

// unreadyWait is how long a pod may be up without being ready, or be prepared,
// before that needs an explanation.
const unreadyWait = 20 * time.Second

// causeOf finds what stands in the way of pods. What a pod says of itself comes
// before what only a second look at its Events can tell. Of several it is that of
// the oldest pod, so that the answer stays the same while nothing changes; its
// words have no counts and no times for the same reason.
func causeOf(pods []unstructured.Unstructured, now time.Time) cause {
	slices.SortFunc(pods, func(a, b unstructured.Unstructured) int {
		if c := a.GetCreationTimestamp().Compare(b.GetCreationTimestamp().Time); c != 0 {
			return c
		}
		return strings.Compare(a.GetName(), b.GetName())
	})
	var weak, evicted cause
	for i := range pods {
		p := readPod(&pods[i])
		switch {
		case p.leaving || p.ready || p.phase == "Succeeded":
		case p.phase == "Failed":
			if evicted.reason == "" && p.reason != "" {
				evicted = cause{reason: p.reason, message: p.of(p.message)}
			}
		case p.unscheduled != "":
			return cause{reason: p.unscheduled, message: p.of(p.message)}
		default:
			for _, c := range p.containers {
				if c.reason != "" {
					return cause{reason: c.reason, message: p.of(fmt.Sprintf("container %q: %s", c.name, c.message))}
				}
			}
			if weak.reason == "" && weak.suspect == "" && now.Sub(p.since) >= unreadyWait {
				weak = cause{suspect: p.name, weak: true}
				if p.phase == "Running" {
					weak.reason, weak.message = reasonProbeFailed, p.of("it runs, but is not ready: its probe does not succeed")
				}
			}
		}
	}
	if weak.weak {
		return weak
	}
	return evicted
}

// pod is what is read of one.
type pod struct {
	name, phase, reason, message string
	// unscheduled is why no node has it yet, in a word; "": one has.
	unscheduled    string
	leaving, ready bool
	since          time.Time // of its last change of readiness, or its creation
	containers     []container
}

// container is one that does not run as it should; without a reason nothing is
// known against it.
type container struct{ name, reason, message string }

func (p pod) of(message string) string {
	if message == "" {
		return "pod " + p.name
	}
	return "pod " + p.name + ": " + message
}

func readPod(u *unstructured.Unstructured) pod {
	text := func(m map[string]any, field string) string { s, _ := m[field].(string); return s }
	status := at(u.Object, "status")
	p := pod{
		name: u.GetName(), phase: text(status, "phase"), reason: text(status, "reason"), message: text(status, "message"),
		leaving: u.GetDeletionTimestamp() != nil, since: u.GetCreationTimestamp().Time,
	}
	conditions, _ := status["conditions"].([]any)
	for _, c := range conditions {
		c, _ := c.(map[string]any)
		yes := text(c, "status") == "True"
		switch text(c, "type") {
		case "Ready":
			p.ready = yes
			if t, err := time.Parse(time.RFC3339, text(c, "lastTransitionTime")); err == nil {
				p.since = t
			}
		case "PodScheduled":
			if !yes {
				p.unscheduled, p.message = text(c, "reason"), text(c, "message")
			}
		}
	}
	for _, field := range []string{"initContainerStatuses", "containerStatuses"} {
		list, _ := status[field].([]any)
		for _, c := range list {
			c, _ := c.(map[string]any)
			p.containers = append(p.containers, readContainer(c))
		}
	}
	return p
}

// passingWords are reasons to wait that end by themselves.
var passingWords = []string{"", "ContainerCreating", "PodInitializing"}

// sameWords are reasons that alternate with another while one thing is wrong.
var sameWords = map[string]string{"ErrImagePull": reasonImagePull, "Error": reasonCrashing}

func readContainer(c map[string]any) container {
	out := container{}
	out.name, _ = c["name"].(string)
	state := at(c, "state")
	waiting := at(state, "waiting")
	out.reason, _ = waiting["reason"].(string)
	out.message, _ = waiting["message"].(string)
	if same := sameWords[out.reason]; same != "" {
		out.reason = same
	}
	if slices.Contains(passingWords, out.reason) {
		out.reason, out.message = "", ""
	}
	ended := at(state, "terminated")
	if ended == nil {
		ended = at(c, "lastState", "terminated")
	}
	code, _ := number(ended["exitCode"])
	ready, _ := c["ready"].(bool)
	// Between two ends it waits, runs for a moment, or has just ended: it is one cause.
	if ended != nil && !ready && (out.reason == reasonCrashing || out.reason == "" && (code != 0 || at(state, "running") != nil)) {
		out.reason = reasonCrashing
		word, _ := ended["reason"].(string)
		last, _ := ended["message"].(string)
		out.message = fmt.Sprintf("it ends again and again, last with exit code %v (%s)", code, word)
		if last = strings.TrimSpace(last); last != "" {
			out.message += ": " + last
		}
	}
	return out
}

// sharper is a cause with what the Events about its pod say, if they say more.
func (c cause) sharper(events []unstructured.Unstructured) cause {
	var newest time.Time
	for _, e := range events {
		reason, _ := e.Object["reason"].(string)
		message, _ := e.Object["message"].(string)
		if kind, _ := e.Object["type"].(string); kind != "Warning" || reason == "" {
			continue
		}
		when := timeOf(&e)
		if when.Before(newest) {
			continue
		}
		newest = when
		if reason == "Unhealthy" {
			reason = reasonProbeFailed
		}
		c.reason, c.message = reason, pod{name: c.suspect}.of(message)
	}
	return c
}

// timeOf is when an Event happened last.
func timeOf(e *unstructured.Unstructured) time.Time {
	for _, path := range [][]string{{"series", "lastObservedTime"}, {"lastTimestamp"}, {"eventTime"}} {
		text, _, _ := unstructured.NestedString(e.Object, path...)
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			return t
		}
	}
	return e.GetCreationTimestamp().Time
}
