package cloud

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/mote/metric"
)

func TestMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMeter()
		answer := func(class Class) error {
			return fmt.Errorf("wrapped: %w", &Error{Class: class, RequestID: "r-1"})
		}
		silence := func(class Class) error { return &Error{Class: class} }
		for _, c := range []struct {
			action, region string
			err            error
		}{
			{"CreateInstances", "a", nil},
			{"CreateInstances", "a", answer(Refused)},
			{"CreateInstances", "a", answer(SoldOut)},
			{"CreateInstances", "a", silence(Ambiguous)},
			{"CreateInstances", "a", silence(Throttled)}, // not sent
			{"CreateInstances", "a", answer(Throttled)},
			{"DescribeDBInstances", "b", silence(NotSent)},
			{"DescribeDBInstances", "b", errors.New("anything")},
			{"DescribeDBInstances", "c", silence(NotSent)},
			{"DescribeDBInstances", "c", silence(Denied)}, // no credentials: says nothing of the region
			{"DescribeDBInstances", "d", silence(NotSent)},
			{"DescribeDBInstances", "d", silence(NotSent)},
			{"DescribeDBInstances", "d", answer(Denied)},
		} {
			m.Called(c.action, c.region, 2*time.Second, c.err)
		}
		page := pageOf(m)
		for _, want := range []string{
			`mote_cloud_requests_total{action="CreateInstances",region="a",class="OK"} 1`,
			`mote_cloud_requests_total{action="CreateInstances",region="a",class="Throttled"} 1`,
			`mote_cloud_requests_total{action="DescribeDBInstances",region="b",class="Ambiguous"} 1`,
			`mote_cloud_request_duration_seconds_sum{action="CreateInstances"} 10`,
			`mote_cloud_throttled_total{action="CreateInstances",region="a",by="mote"} 1`,
			`mote_cloud_throttled_total{action="CreateInstances",region="a",by="cloud"} 1`,
			`mote_cloud_region_reachable{region="a"} 1`, `mote_cloud_region_reachable{region="b"} 0`,
			`mote_cloud_region_reachable{region="c"} 1`, `mote_cloud_region_reachable{region="d"} 1`,
			`mote_cloud_last_answer_timestamp_seconds{region="b"} 0`, `mote_cloud_last_answer_timestamp_seconds{region="d"} 9.466848e+08`,
			`mote_purchases_total{outcome="made"} 1`, `mote_purchases_total{outcome="refused"} 3`, `mote_purchases_total{outcome="unknown"} 1`,
		} {
			if !strings.Contains(page, want+"\n") {
				t.Errorf("there is no line %q in\n%s", want, page)
			}
		}
	})
}

// Whatever regions users write, the page and the memory are bounded.
func TestMeterIsBounded(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	m := NewMeter()
	for i := range 2000 {
		m.Called("DescribeSubnets", fmt.Sprint("region-", i), time.Second, nil)
		m.Called("DescribeSubnets", fmt.Sprint("region-", i), time.Second, &Error{Class: Throttled})
	}
	held := heap() - before
	t.Logf("%d bytes held", held)
	if held > 256<<10 {
		t.Errorf("%d bytes are held", held)
	}
	page := pageOf(m)
	if n := len(page); n > 200_000 {
		t.Errorf("the page has %d bytes", n)
	}
	for _, want := range []string{`mote_cloud_requests_total{action="other",region="other",class="other"} 1488`, `mote_cloud_region_reachable{region="other"} 1`} {
		if !strings.Contains(page, want+"\n") {
			t.Errorf("there is no line %q", want)
		}
	}
}

// A good call that is counted again costs no memory.
func TestMeterAllocatesNothing(t *testing.T) {
	m := NewMeter()
	if n := testing.AllocsPerRun(100, func() { m.Called("DescribeSubnets", "a", time.Second, nil) }); n != 0 {
		t.Errorf("it allocates %v times", n)
	}
}

func pageOf(m *Meter) string {
	var p metric.Page
	m.Metrics(&p)
	var b strings.Builder
	p.WriteTo(&b)
	return b.String()
}
