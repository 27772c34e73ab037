package reconcile

import (
	"testing"
	"time"
)

func TestBackoffDelay(t *testing.T) {
	b := Backoff{Base: time.Second, Max: 5 * time.Minute}
	for _, c := range []struct {
		failures int
		random   float64
		want     time.Duration
	}{
		{0, 0, time.Second}, // asked too early: as for the first
		{1, 0, time.Second},
		{1, 0.5, 1125 * time.Millisecond},
		{2, 0, 2 * time.Second},
		{3, 0, 4 * time.Second},
		{9, 0, 256 * time.Second},
		{10, 0, 5 * time.Minute},
		{10, 0.999999, 5*time.Minute + 75*time.Second - 75*time.Microsecond},
		{255, 0, 5 * time.Minute},
		{1 << 30, 0, 5 * time.Minute},
	} {
		if got := b.Delay(c.failures, c.random); got != c.want {
			t.Errorf("Delay(%d, %v) = %s, want %s", c.failures, c.random, got, c.want)
		}
	}
	if got := (Backoff{Base: time.Hour, Max: time.Minute}).Delay(3, 0); got != time.Minute {
		t.Errorf("a Base above Max gives %s, want Max", got)
	}
	if got := (Backoff{}).Delay(1<<30, 0.5); got != 0 {
		t.Errorf("no backoff at all gives %s, want 0", got)
	}
}

// Keys that failed together must not come back together.
func TestBackoffSpreads(t *testing.T) {
	b := DefaultBackoff
	for failures := 1; failures <= 12; failures++ {
		low, high := b.Delay(failures, 0), b.Delay(failures, 0.9999)
		if spread := high - low; spread < low/5 || spread > low/4 {
			t.Errorf("after %d failures the spread is %s on %s", failures, spread, low)
		}
	}
}
