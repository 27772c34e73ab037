package postgresdb

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.com/mote/cloud"
)

func cloudError(c cloud.Class) *cloud.Error {
	return &cloud.Error{Class: c, Action: "CreateInstances", Region: "ap-guangzhou", Code: "Some.Code", Message: "the words of the cloud",
		RequestID: "req-8f14e45f", RetryAfter: 7 * time.Second}
}

func TestOnFailure(t *testing.T) {
	const minute = time.Minute
	inPhase := func(p string) tweak { return func(v *View) { v.Object.Status.Phase = p } }
	newSpec := func(v *View) { v.Object.Generation++ }
	for _, c := range []struct {
		name          string
		class         cloud.Class
		v             View
		phase, reason string // "": nothing is shown
		after         time.Duration
		retry, tells  bool
	}{
		{"denied, new", cloud.Denied, see(), "Pending", "CredentialsRefused", minute, false, true},
		{"denied, failed before", cloud.Denied, see(inPhase("Failed")), "Pending", "CredentialsRefused", minute, false, true},
		{"denied, being made", cloud.Denied, see(bought("Provisioning")), "Provisioning", "CredentialsRefused", minute, false, true},
		{"denied, runs", cloud.Denied, see(ran), "Updating", "CredentialsRefused", minute, false, true},
		{"denied, deleted", cloud.Denied, see(ran, deleted), "Deleting", "CredentialsRefused", minute, false, true},
		{"refused, new", cloud.Refused, see(), "Failed", "CloudRefused", 10 * minute, false, true},
		{"refused, runs", cloud.Refused, see(ran), "Failed", "CloudRefused", 10 * minute, false, true},
		{"refused, deleted", cloud.Refused, see(ran, deleted), "Deleting", "CloudRefused", 10 * minute, false, true},
		{"gone", cloud.Gone, see(ran), "Failed", "CloudRefused", 10 * minute, false, true},
		{"sold out", cloud.SoldOut, see(), "Failed", "SoldOut", 10 * minute, false, true},
		{"busy, runs", cloud.Busy, see(ran), "Updating", "InstanceBusy", 15 * time.Second, false, false},
		{"busy, without an instance", cloud.Busy, see(), "Pending", "InstanceBusy", 15 * time.Second, false, false},
		{"busy, deleted", cloud.Busy, see(ran, deleted), "Deleting", "InstanceBusy", 15 * time.Second, false, false},
		{"throttled", cloud.Throttled, see(ran), "", "", 7 * time.Second, true, false},
		{"throttled, deleted", cloud.Throttled, see(ran, deleted), "", "", 7 * time.Second, true, false},
		{"not sent, new", cloud.NotSent, see(), "Pending", "CloudUnreachable", 0, true, false},
		{"lost, new", cloud.Ambiguous, see(), "Pending", "CloudUnreachable", 0, true, false},
		{"lost, runs: nothing is asked of it", cloud.Ambiguous, see(ran), "", "", 0, true, false},
		{"lost, runs, another spec", cloud.Ambiguous, see(ran, newSpec), "Updating", "CloudUnreachable", 0, true, false},
		{"lost, failed", cloud.Ambiguous, see(bought("Failed")), "Failed", "CloudUnreachable", 0, true, false},
		{"lost, deleted", cloud.Ambiguous, see(ran, deleted), "Deleting", "CloudUnreachable", 0, true, false},
		{"a class that nobody knows", "Strange", see(), "Pending", "CloudUnreachable", 0, true, false},
	} {
		f := onFailure(c.v, cloudError(c.class))
		var phase, reason string
		if f.Show != nil {
			phase, reason = f.Show.Phase, f.Show.Reason
			if f.Show.Ready {
				t.Errorf("%s: ready", c.name)
			}
		}
		if phase != c.phase || reason != c.reason || f.After != c.after || f.Retry != c.retry || (f.Event != nil) != c.tells {
			t.Errorf("%s: %s %s after %s, retry %t, tells %+v", c.name, phase, reason, f.After, f.Retry, f.Event)
		}
	}
}

// What is said of a failure says the same at each try, so that one that lasts
// writes the status once.
func TestFailuresAreToldInWordsThatStay(t *testing.T) {
	for _, class := range []cloud.Class{cloud.NotSent, cloud.Throttled, cloud.Ambiguous, cloud.Busy, cloud.Denied, cloud.Refused, cloud.SoldOut, cloud.Gone} {
		v := see(bought("Provisioning"))
		first := onFailure(v, cloudError(class))
		if first.Show == nil {
			continue
		}
		if strings.Contains(first.Show.Message, "8f14e45f") {
			t.Errorf("%s: %s", class, first.Show.Message)
		}
		v.Object.Status = Status(v, *first.Show)
		again := cloudError(class)
		again.RequestID = "req-other"
		if second := onFailure(v, again); second.Show.Message != first.Show.Message {
			t.Errorf("%s: first %q\nthen %q", class, first.Show.Message, second.Show.Message)
		}
	}
}

func TestNumbersInTheCloudsWordsChangeNothing(t *testing.T) {
	say := func(v View, message string) string {
		e := cloudError(cloud.Denied)
		e.Message = message
		return onFailure(v, e).Show.Message
	}
	v := see(bought("Provisioning"))
	first := say(v, "signature expired 301s ago (request 5c1e-a)")
	readyCondition("CredentialsRefused", first)(&v)
	if then := say(v, "signature expired 355s ago (request 99f0-b)"); then != first {
		t.Errorf("%q, then %q", first, then)
	}
	if then := say(v, "no permission for this"); !strings.Contains(then, "no permission") {
		t.Errorf("something else was said and not shown: %q", then)
	}
	v.Object.Generation++
	if then := say(v, "signature expired 355s ago (request 99f0-b)"); then == first {
		t.Error("what is said of another spec is not news")
	}
}

func TestSameButForNumbers(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"", "", true}, {"a b", "a b", true}, {"a  b", "a b", true}, {"a 1", "a 2", true}, {"a x1", "a y2", true},
		{"a 1", "a b", false}, {"a", "b", false}, {"a 1", "a 1 b", false}, {"1 a", "a 1", false},
	} {
		if got := sameButForNumbers(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %t", c.a, c.b, got)
		}
	}
}

func TestDefinite(t *testing.T) {
	for class, want := range map[cloud.Class]bool{
		cloud.NotSent: true, cloud.Throttled: true, cloud.Busy: true, cloud.Denied: true, cloud.Refused: true, cloud.SoldOut: true, cloud.Gone: true,
		cloud.Ambiguous: false, "": false,
	} {
		if definite(class) != want {
			t.Errorf("%q: %t", class, !want)
		}
	}
}

// A call that has to wait for the rate is no news; what else goes wrong is.
func TestFailuresInTheLog(t *testing.T) {
	for class, want := range map[cloud.Class]bool{cloud.Throttled: false, cloud.Denied: true, cloud.Ambiguous: true} {
		var out bytes.Buffer
		warn(turn{log: slog.New(slog.NewTextHandler(&out, nil))}, &cloud.Error{Class: class, Code: "X"}, Failure{})
		if got := out.Len() > 0; got != want {
			t.Errorf("%s: in the log %v, want %v", class, got, want)
		}
	}
}
