package myapp

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// podNamed is a pod of some age with a status.
func podNamed(t *testing.T, name string, age time.Duration, status string) unstructured.Unstructured {
	t.Helper()
	made := noon.Add(-age).Format(time.RFC3339)
	return unstructured.Unstructured{Object: fromJSON(t, `{"metadata":{"name":"`+name+`","creationTimestamp":"`+made+`"},"status":`+status+`}`)}
}

func TestCauseOf(t *testing.T) {
	const (
		ready       = `{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"app","ready":true,"state":{"running":{}}}]}`
		creating    = `{"phase":"Pending","containerStatuses":[{"name":"app","state":{"waiting":{"reason":"ContainerCreating"}}}]}`
		unready     = `{"phase":"Running","conditions":[{"type":"Ready","status":"False"}],"containerStatuses":[{"name":"app","state":{"running":{}}}]}`
		pull        = `{"phase":"Pending","containerStatuses":[{"name":"app","state":{"waiting":{"reason":"ErrImagePull","message":"x: not found"}}}]}`
		backOff     = `{"phase":"Pending","containerStatuses":[{"name":"app","state":{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image"}}}]}`
		configError = `{"phase":"Pending","containerStatuses":[{"name":"app","state":{"waiting":{"reason":"CreateContainerConfigError","message":"secret \"db\" not found"}}}]}`
		crashWaits  = `{"phase":"Running","containerStatuses":[{"name":"app","restartCount":3,"state":{"waiting":{"reason":"CrashLoopBackOff","message":"back-off 40s"}},"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]}`
		crashRuns   = `{"phase":"Running","containerStatuses":[{"name":"app","restartCount":3,"ready":false,"state":{"running":{}},"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]}`
		crashEnded  = `{"phase":"Running","containerStatuses":[{"name":"app","restartCount":3,"state":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]}`
		crashWords  = `{"phase":"Running","containerStatuses":[{"name":"app","restartCount":3,"state":{"terminated":{"exitCode":1,"reason":"Error","message":"no such file\n"}}}]}`
		onceCrashed = `{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"app","ready":true,"state":{"running":{}},"lastState":{"terminated":{"exitCode":1,"reason":"Error"}}}]}`
		initWaits   = `{"phase":"Pending","initContainerStatuses":[{"name":"proxy","state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":2,"reason":"Error"}}}],"containerStatuses":[{"name":"app","state":{"waiting":{"reason":"PodInitializing"}}}]}`
		initDone    = `{"phase":"Pending","initContainerStatuses":[{"name":"proxy","state":{"terminated":{"exitCode":0,"reason":"Completed"}}}],"containerStatuses":[{"name":"app","state":{"waiting":{"reason":"ContainerCreating"}}}]}`
		noNode      = `{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/1 nodes are available: 1 Insufficient memory."}]}`
		evicted     = `{"phase":"Failed","reason":"Evicted","message":"The node was low on resource: memory."}`
	)
	crash := func(pod string) cause {
		return cause{reason: "CrashLoopBackOff", message: "pod " + pod + `: container "app": it ends again and again, last with exit code 137 (OOMKilled)`}
	}
	one := func(status string) []unstructured.Unstructured {
		return []unstructured.Unstructured{podNamed(t, "a", time.Minute, status)}
	}
	leaving := podNamed(t, "a", time.Hour, backOff)
	deleted(&leaving)
	for name, c := range map[string]struct {
		pods []unstructured.Unstructured
		want cause
	}{
		"no pods":                 {nil, cause{}},
		"ready":                   {one(ready), cause{}},
		"ready again":             {one(onceCrashed), cause{}},
		"image":                   {one(backOff), cause{reason: "ImagePullBackOff", message: `pod a: container "app": Back-off pulling image`}},
		"image, the other word":   {one(pull), cause{reason: "ImagePullBackOff", message: `pod a: container "app": x: not found`}},
		"a Secret":                {one(configError), cause{reason: "CreateContainerConfigError", message: `pod a: container "app": secret "db" not found`}},
		"crashing, waits":         {one(crashWaits), crash("a")},
		"crashing, runs":          {one(crashRuns), crash("a")},
		"crashing, has ended":     {one(crashEnded), crash("a")},
		"crashing, last words":    {one(crashWords), cause{reason: "CrashLoopBackOff", message: `pod a: container "app": it ends again and again, last with exit code 1 (Error): no such file`}},
		"a sidecar's start":       {one(initWaits), cause{reason: "CrashLoopBackOff", message: `pod a: container "proxy": it ends again and again, last with exit code 2 (Error)`}},
		"no node":                 {one(noNode), cause{reason: "Unschedulable", message: "pod a: 0/1 nodes are available: 1 Insufficient memory."}},
		"evicted":                 {one(evicted), cause{reason: "Evicted", message: "pod a: The node was low on resource: memory."}},
		"not ready":               {one(unready), cause{reason: "ProbeFailed", message: "pod a: it runs, but is not ready: its probe does not succeed", suspect: "a", weak: true}},
		"being made for long":     {one(creating), cause{suspect: "a", weak: true}},
		"made after a start":      {one(initDone), cause{suspect: "a", weak: true}},
		"being made":              {[]unstructured.Unstructured{podNamed(t, "a", 19*time.Second, creating)}, cause{}},
		"not ready yet":           {[]unstructured.Unstructured{podNamed(t, "a", 19*time.Second, unready)}, cause{}},
		"leaving":                 {[]unstructured.Unstructured{leaving}, cause{}},
		"the oldest":              {[]unstructured.Unstructured{podNamed(t, "b", time.Minute, backOff), podNamed(t, "a", time.Hour, crashRuns)}, crash("a")},
		"of one age, by name":     {[]unstructured.Unstructured{podNamed(t, "b", time.Hour, backOff), podNamed(t, "a", time.Hour, crashRuns)}, crash("a")},
		"what is known is better": {[]unstructured.Unstructured{podNamed(t, "a", time.Hour, unready), podNamed(t, "b", time.Minute, crashWaits)}, crash("b")},
		"who lives is better":     {[]unstructured.Unstructured{podNamed(t, "a", time.Hour, evicted), podNamed(t, "b", time.Minute, crashWaits)}, crash("b")},
	} {
		if got := causeOf(c.pods, noon); got != c.want {
			t.Errorf("%s: %+v\nwant %+v", name, got, c.want)
		}
	}
}

func TestSharperCause(t *testing.T) {
	event := func(kind, reason, message, last string) unstructured.Unstructured {
		return unstructured.Unstructured{Object: fromJSON(t, `{"type":"`+kind+`","reason":"`+reason+`","message":"`+message+`","lastTimestamp":"`+last+`"}`)}
	}
	weak := cause{reason: "ProbeFailed", message: "as it was", suspect: "a", weak: true}
	mount := event("Warning", "FailedMount", "secret db not found", "2026-01-02T11:00:00Z")
	probe := event("Warning", "Unhealthy", "Readiness probe failed: 503", "2026-01-02T11:30:00Z")
	series := unstructured.Unstructured{Object: fromJSON(t, `{"type":"Warning","reason":"FailedMount","message":"still","eventTime":"2026-01-02T10:00:00.000000Z","series":{"lastObservedTime":"2026-01-02T11:45:00.000000Z"}}`)}
	for name, c := range map[string]struct {
		events          []unstructured.Unstructured
		reason, message string
	}{
		"nothing":     {nil, "ProbeFailed", "as it was"},
		"no warning":  {[]unstructured.Unstructured{event("Normal", "Pulled", "x", "2026-01-02T11:30:00Z")}, "ProbeFailed", "as it was"},
		"a mount":     {[]unstructured.Unstructured{mount}, "FailedMount", "pod a: secret db not found"},
		"the newest":  {[]unstructured.Unstructured{probe, mount}, "ProbeFailed", "pod a: Readiness probe failed: 503"},
		"of a series": {[]unstructured.Unstructured{series, probe}, "FailedMount", "pod a: still"},
	} {
		if got := weak.sharper(c.events); got.reason != c.reason || got.message != c.message {
			t.Errorf("%s: %+v, want %s: %s", name, got, c.reason, c.message)
		}
	}
}
