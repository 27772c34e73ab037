package metric

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"
)

// Process is the Go runtime and the process as the usual dashboards ask for them.
type Process struct{ began time.Time }

// NewProcess remembers when the process began, which is about now.
func NewProcess() *Process { return &Process{began: time.Now()} }

// Metrics puts go_* and process_* on the page. To read the heap's numbers, the
// runtime stops all goroutines for some microseconds.
func (s *Process) Metrics(p *Page) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	p.Gauge("go_info", "The Go version of the binary.", 1, "version", runtime.Version())
	p.Gauge("go_goroutines", "Goroutines that exist.", float64(runtime.NumGoroutine()))
	for _, g := range []struct {
		name, help string
		value      uint64
	}{
		{"go_memstats_alloc_bytes", "Heap bytes in use by objects.", m.Alloc},
		{"go_memstats_heap_alloc_bytes", "Heap bytes in use by objects.", m.HeapAlloc},
		{"go_memstats_heap_inuse_bytes", "Heap bytes in spans that are in use.", m.HeapInuse},
		{"go_memstats_heap_idle_bytes", "Heap bytes that wait to be used.", m.HeapIdle},
		{"go_memstats_heap_released_bytes", "Heap bytes given back to the operating system.", m.HeapReleased},
		{"go_memstats_heap_sys_bytes", "Heap bytes obtained from the operating system.", m.HeapSys},
		{"go_memstats_heap_objects", "Objects on the heap.", m.HeapObjects},
		{"go_memstats_stack_inuse_bytes", "Bytes of stacks in use.", m.StackInuse},
		{"go_memstats_next_gc_bytes", "Heap bytes at which the next collection takes place.", m.NextGC},
		{"go_memstats_sys_bytes", "Bytes obtained from the operating system.", m.Sys},
	} {
		p.Gauge(g.name, g.help, float64(g.value))
	}
	p.Gauge("go_memstats_last_gc_time_seconds", "When the last collection ended, in Unix time.", float64(m.LastGC)/1e9)
	p.Counter("go_memstats_alloc_bytes_total", "Heap bytes ever allocated.", float64(m.TotalAlloc))
	p.Counter("go_memstats_mallocs_total", "Heap objects ever allocated.", float64(m.Mallocs))
	p.Counter("go_memstats_frees_total", "Heap objects ever freed.", float64(m.Frees))
	p.Gauge("process_start_time_seconds", "When the process began, in Unix time.", float64(s.began.UnixMilli())/1e3)
	if b, err := os.ReadFile("/proc/self/stat"); err == nil {
		if u, ok := parseStat(b); ok {
			p.Counter("process_cpu_seconds_total", "CPU time of the process, user and system.", float64(u.ticks)/ticksPerSecond)
			p.Gauge("process_virtual_memory_bytes", "Virtual memory of the process.", float64(u.virtual))
			p.Gauge("process_resident_memory_bytes", "Resident memory of the process.", float64(u.pages)*float64(os.Getpagesize()))
		}
	}
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		p.Gauge("process_open_fds", "Open file descriptors.", float64(len(fds)-1)) // one reads the list
	}
}

// ticksPerSecond is the unit of /proc's CPU times, USER_HZ, which is 100 on every
// architecture that Linux and Go have in common.
const ticksPerSecond = 100

// usage is what /proc/PID/stat says; see proc_pid_stat(5).
type usage struct{ ticks, virtual, pages uint64 }

// parseStat reads /proc/PID/stat. The command's name, in parentheses, may hold anything.
func parseStat(b []byte) (u usage, ok bool) {
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	const user, system, virtual, pages = 14 - 3, 15 - 3, 23 - 3, 24 - 3 // from the third field on
	if len(f) <= pages {
		return usage{}, false
	}
	var n [4]uint64
	for i, at := range []int{user, system, virtual, pages} {
		v, err := strconv.ParseUint(string(f[at]), 10, 64)
		if err != nil {
			return usage{}, false
		}
		n[i] = v
	}
	return usage{ticks: n[0] + n[1], virtual: n[2], pages: n[3]}, true
}
