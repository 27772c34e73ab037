package look

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"example.com/mote/cloud"
)

// turnstile turns so many calls away.
type turnstile struct {
	cloud.Reader
	away int
	err  *cloud.Error
}

func (t *turnstile) Versions(context.Context, string) ([]cloud.Version, error) {
	if t.away--; t.away >= 0 {
		return nil, t.err
	}
	return []cloud.Version{{Major: "14"}}, nil
}

func TestPatient(t *testing.T) {
	throttled := &cloud.Error{Class: cloud.Throttled, Action: "DescribeDBVersions", RetryAfter: 2 * time.Second}
	for name, c := range map[string]struct {
		away  int
		err   *cloud.Error
		ok    bool
		after time.Duration
	}{
		"at once":        {0, throttled, true, 0},
		"after a while":  {3, throttled, true, 6 * time.Second},
		"without a time": {2, &cloud.Error{Class: cloud.Throttled}, true, 2 * shortestWait},
		"never":          {1000, throttled, false, tries * 2 * time.Second},
		"another error":  {1, &cloud.Error{Class: cloud.Denied}, false, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			all, err := Patient{Reader: &turnstile{away: c.away, err: c.err}}.Versions(t.Context(), "r")
			if (err == nil) != c.ok || c.ok && len(all) != 1 || !c.ok && !errors.Is(err, c.err) {
				t.Errorf("%s: %v, %v", name, all, err)
			}
			if took := time.Since(began); took != c.after {
				t.Errorf("%s: it took %s of virtual time, want %s", name, took, c.after)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := (Patient{Reader: &turnstile{away: 9, err: throttled}}).Versions(ctx, "r"); !errors.Is(err, throttled) {
			t.Errorf("after its time: %v", err)
		}
	})
}
