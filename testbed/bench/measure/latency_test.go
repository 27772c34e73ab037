package measure

import (
	"testing"
	"time"
)

func TestLatencyOf(t *testing.T) {
	var took []time.Duration
	for i := 100; i >= 1; i-- {
		took = append(took, time.Duration(i)*time.Millisecond)
	}
	l := latencyOf(120, took)
	if l != (Latency{Sent: 120, Served: 100, P50: 51, P99: 100, Max: 100}) {
		t.Errorf("got %+v", l)
	}
	if l := latencyOf(3, nil); l != (Latency{Sent: 3}) {
		t.Errorf("got %+v", l)
	}
}
