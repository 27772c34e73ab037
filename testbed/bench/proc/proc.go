// Package proc reads what a process has cost from /proc.
//
// What may come in: the standard library.
package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Usage is what a process has cost so far.
type Usage struct {
	CPU  time.Duration // user and system, to a hundredth of a second
	RSS  int64         // bytes held now
	Peak int64         // the most bytes ever held
}

// tick is the unit of CPU times in /proc, the same on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// Read reads a process's usage. It fails when the process has ended.
func Read(pid int) (Usage, error) {
	var u Usage
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return u, err
	}
	if u.CPU, err = cpu(stat); err != nil {
		return u, err
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return u, err
	}
	u.RSS, u.Peak, err = memory(status)
	return u, err
}

// cpu reads /proc/PID/stat. The command's name, in parentheses, may hold anything.
func cpu(stat []byte) (time.Duration, error) {
	end := bytes.LastIndexByte(stat, ')')
	fields := strings.Fields(string(stat[end+1:]))
	if end < 0 || len(fields) < 13 {
		return 0, fmt.Errorf("/proc has %q", stat)
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * tick, err
}

// memory reads /proc/PID/status.
func memory(status []byte) (rss, peak int64, err error) {
	for line := range bytes.Lines(status) {
		f := strings.Fields(string(line))
		if len(f) != 3 || f[0] != "VmRSS:" && f[0] != "VmHWM:" {
			continue
		}
		kb, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			return 0, 0, err
		}
		if f[0] == "VmRSS:" {
			rss = kb << 10
		} else {
			peak = kb << 10
		}
	}
	if rss == 0 || peak == 0 {
		return 0, 0, fmt.Errorf("/proc shows no memory: has the process ended?")
	}
	return rss, peak, nil
}
