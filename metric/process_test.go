package metric

import (
	"os"
	"runtime"
	"testing"
)

func TestParseStat(t *testing.T) {
	const rest = " S 1 7 7 0 -1 4194560 812 0 3 0 250 50 0 0 20 0 9 0 123456 1300807680 3114 18446744073709551615 1"
	for _, c := range []struct {
		text string
		want usage
		ok   bool
	}{
		{"7 (mote)" + rest, usage{ticks: 300, virtual: 1300807680, pages: 3114}, true},
		{"7 (a) b (c))" + rest, usage{ticks: 300, virtual: 1300807680, pages: 3114}, true},
		{"7 (mote) S 1 7", usage{}, false},
		{"7 (mote) S a b c d e f g h i j k l m n o p q r s t u v", usage{}, false},
		{"", usage{}, false},
	} {
		if u, ok := parseStat([]byte(c.text)); u != c.want || ok != c.ok {
			t.Errorf("%q: %+v, %t", c.text, u, ok)
		}
	}
}

// The process's own numbers are there, and make sense.
func TestProcess(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skipf("%s has no /proc", runtime.GOOS)
	}
	var p Page
	NewProcess().Metrics(&p)
	for _, name := range []string{"go_goroutines", "go_info", "go_memstats_heap_inuse_bytes", "process_cpu_seconds_total",
		"process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds"} {
		if p.families[name] == nil || len(p.families[name].samples) != 1 {
			t.Errorf("%s is missing", name)
		}
	}
}
