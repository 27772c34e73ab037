package cloud

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestWatchBacksOffAndHeals(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		for i := range 3 {
			id := fmt.Sprint(i)
			b.Track("r", id, id, b.sky.put("r", id, 10))
		}
		var down error = &Error{Class: NotSent, Action: "List", Region: "r", Code: "x", Message: "no route"}
		b.sky.fail(func(string, []string) error { return down })

		b.expect(10*time.Second, "[]")
		if _, _, bad := b.unreachable("r"); bad {
			t.Error("one failure is an outage")
		}
		b.expect(10*time.Second, "[]")
		since, err, bad := b.unreachable("r")
		if !bad || !errors.Is(err, down) || since.Sub(b.sky.start) != 10*time.Second {
			t.Errorf("unreachable since %s: %v, %t", since.Sub(b.sky.start), err, bad)
		}
		b.expect(3*time.Hour-20*time.Second, "[]")
		var at []string
		for _, c := range b.sky.during("r", 0, 5*time.Minute) {
			at = append(at, fmt.Sprint(c.after))
		}
		if got := strings.Join(at, " "); got != "10s 20s 40s 1m20s 2m20s 3m20s 4m20s" {
			t.Errorf("probes at %s", got)
		}
		if n := len(b.sky.during("r", time.Hour, 2*time.Hour)); n != 60 {
			t.Errorf("%d probes an hour, want one a minute", n)
		}

		b.sky.fail(nil)
		b.sky.put("r", "0", 20)
		b.expect(61*time.Second, "[0]")
		if _, _, bad := b.unreachable("r"); bad {
			t.Error("still bad after an answer")
		}
		b.sky.put("r", "1", 20)
		b.expect(11*time.Second, "[1]")
		if log := b.log.String(); strings.Count(log, "\n") != 2 ||
			!strings.Contains(log, `msg="the cloud does not answer" region=r`) ||
			!strings.Contains(log, `msg="the cloud answers again" region=r after=3h0m`) {
			t.Errorf("logged:\n%s", log)
		}
	})
}

func TestWatchOneLostCallIsNoNews(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		n := 0
		b.sky.fail(func(string, []string) error {
			if n++; n%3 == 0 {
				return &Error{Class: Ambiguous}
			}
			return nil
		})
		b.Track("r", "a", "A", b.sky.put("r", "a", 10))
		b.expect(10*time.Minute, "[]")
		if b.log.Len() > 0 {
			t.Errorf("logged:\n%s", b.log)
		}
	})
}

func TestWatchThrottledIsNotUnreachable(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		b.sky.fail(func(string, []string) error {
			return &Error{Class: Throttled, RetryAfter: 3 * time.Second}
		})
		b.Track("r", "a", "A", b.sky.put("r", "a", 10))
		b.expect(10*time.Minute, "[]")
		if _, _, bad := b.unreachable("r"); bad || b.log.Len() > 0 {
			t.Errorf("bad: %t, logged: %s", bad, b.log)
		}
		if n := len(b.sky.during("r", time.Minute, 2*time.Minute)); n != 20 {
			t.Errorf("%d calls in a minute, want one each 3 s, as told", n)
		}
	})
}

// One id that the cloud refuses does not hide the others in its page.
func TestWatchARefusedIDStandsAlone(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		b.sky.fail(func(_ string, ids []string) error {
			if slices.Contains(ids, "bad") {
				return &Error{Class: Refused, Code: "InvalidParameterValue"}
			}
			return nil
		})
		for i := range 150 {
			id := fmt.Sprint(i)
			b.Track("r", id, id, b.sky.put("r", id, 10))
			if i == 70 {
				b.Track("r", "bad", "bad", 7)
			}
		}
		b.expect(time.Minute, "[bad]")
		b.holds("bad", "absent")
		for i := range 150 {
			b.sky.put("r", fmt.Sprint(i), 20)
		}
		if woken := strings.Fields(b.after(30 * time.Second)); len(woken) != 150 {
			t.Errorf("%d of 150 changes were seen beside the bad one", len(woken))
		}
		if n := len(b.sky.during("r", time.Minute, 2*time.Minute)); n > 6*25 {
			t.Errorf("%d calls a minute", n)
		}
		if _, _, bad := b.unreachable("r"); bad || b.log.Len() > 0 {
			t.Errorf("bad: %t, logged: %s", bad, b.log)
		}
		b.Forget("r", "bad")
		b.after(2 * time.Minute)
		if n := len(b.sky.during("r", 3*time.Minute, 4*time.Minute)); n > 13 {
			t.Errorf("%d calls a minute after the bad one is gone, want 12", n)
		}
	})
}

func TestWatchDeniedIsShown(t *testing.T) {
	watching(t, WatchOptions{}, func(b *bench) {
		b.sky.fail(func(string, []string) error {
			return &Error{Class: Denied, Code: "AuthFailure.SecretIdNotFound"}
		})
		b.Track("r", "a", "A", 5)
		b.expect(10*time.Minute, "[]")
		if _, err, bad := b.unreachable("r"); !bad || ClassOf(err) != Denied {
			t.Errorf("%v, %t", err, bad)
		}
	})
}
