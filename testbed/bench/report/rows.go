package report

import (
	"fmt"

	"example.com/mote/testbed/bench/result"
)

// row is one measure of all contenders. Less is better in every one.
type row struct {
	name  string
	unit  func(float64) string
	value func(result.Measured) (float64, bool) // false: it was not measured
}

// rows are all measures, in the order in which they are shown.
var rows = []row{
	{"binary", mb, func(m result.Measured) (float64, bool) { return float64(m.Binary), true }},
	{"image layer (tar, gzip -9)", mb, func(m result.Measured) (float64, bool) { return float64(m.Layer), true }},
	{"start to synced", seconds, func(m result.Measured) (float64, bool) { return m.Start.Synced, m.Start.Synced > 0 }},
	{"start to settled", seconds, func(m result.Measured) (float64, bool) { return m.Start.Settled, m.Start.Synced > 0 }},
	{"CPU of the start", seconds, func(m result.Measured) (float64, bool) { return m.Start.CPU, m.Start.Synced > 0 }},
	{"requests of the start", count, func(m result.Measured) (float64, bool) { return float64(m.Start.Taken.Requests), m.Start.Synced > 0 }},
	{"bytes of the start", mb, func(m result.Measured) (float64, bool) { return float64(m.Start.Taken.Bytes), m.Start.Synced > 0 }},
	{"peak memory of the start", mib, func(m result.Measured) (float64, bool) { return float64(m.Start.Peak), true }},
	{"steady memory", mib, idle(func(i result.Measured) float64 { return float64(i.Idle.RSS) })},
	{"idle CPU a minute", seconds, idle(func(m result.Measured) float64 { return m.Idle.CPUPerMinute() })},
	{"idle requests a minute", count, idle(func(m result.Measured) float64 { return perMinute(m.Idle.Taken.Requests, m.Idle.Seconds) })},
	{"idle bytes a minute", kb, idle(func(m result.Measured) float64 { return perMinute(m.Idle.Taken.Bytes, m.Idle.Seconds) })},
	{"event to reconcile, p50", milliseconds, changes(func(m result.Measured) float64 { return m.Changes.Latency.P50 })},
	{"event to reconcile, p99", milliseconds, changes(func(m result.Measured) float64 { return m.Changes.Latency.P99 })},
	{"CPU for 1000 changes", seconds, changes(func(m result.Measured) float64 {
		return m.Changes.CPU * 1000 / float64(max(1, m.Changes.Latency.Sent))
	})},
	{"requests for 1000 changes", count, changes(func(m result.Measured) float64 {
		return float64(m.Changes.Taken.Requests) * 1000 / float64(max(1, m.Changes.Latency.Sent))
	})},
	{"peak memory through changes", mib, changes(func(m result.Measured) float64 { return float64(m.Changes.Peak) })},
}

func idle(value func(result.Measured) float64) func(result.Measured) (float64, bool) {
	return func(m result.Measured) (float64, bool) {
		if m.Idle == nil {
			return 0, false
		}
		return value(m), true
	}
}

func changes(value func(result.Measured) float64) func(result.Measured) (float64, bool) {
	return func(m result.Measured) (float64, bool) {
		if m.Changes == nil {
			return 0, false
		}
		return value(m), true
	}
}

func perMinute(n int64, seconds float64) float64 { return float64(n) / seconds * 60 }

func mb(v float64) string           { return fmt.Sprintf("%.1f MB", v/1e6) }
func kb(v float64) string           { return fmt.Sprintf("%.1f kB", v/1e3) }
func mib(v float64) string          { return fmt.Sprintf("%.1f MiB", v/(1<<20)) }
func seconds(v float64) string      { return fmt.Sprintf("%.2f s", v) }
func milliseconds(v float64) string { return fmt.Sprintf("%.1f ms", v) }
func count(v float64) string        { return fmt.Sprintf("%.0f", v) }

// cell is a value and, for others than Mote, how many times Mote's it is.
func (r row) cell(m, mote *result.Measured) string {
	if m == nil {
		return ""
	}
	v, ok := r.value(*m)
	if !ok {
		return ""
	}
	text := r.unit(v)
	if mote == nil || m == mote {
		return text
	}
	base, ok := r.value(*mote)
	if !ok || base == 0 {
		return text
	}
	return text + " (" + ratio(v/base) + ")"
}

func ratio(x float64) string {
	switch {
	case x >= 9.95:
		return fmt.Sprintf("%.0fx", x)
	case x >= 0.095:
		return fmt.Sprintf("%.1fx", x)
	case x >= 0.005:
		return fmt.Sprintf("%.2fx", x)
	}
	return "<0.01x"
}
