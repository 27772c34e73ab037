package main

import (
	"context"
	"log/slog"
	"runtime"
	"syscall"
	"time"
)

const (
	// lookAtProcessors is how often it is looked how many processors are of use.
	lookAtProcessors = 2 * time.Second
	// calm and busy are shares of one processor: below the one, one does; above the
	// other, all are used. In between it stays as it is.
	calm, busy = 0.2, 0.5
)

// keepFew uses one processor while there is little to do, and all that the process
// may have when there is more, until ctx ends; unless the user set how many. With
// several, each goroutine that becomes ready wakes a thread of a free one, which finds
// nothing: of 50 changes a second that was a quarter of all CPU.
func keepFew(ctx context.Context, env func(string) string, log *slog.Logger) {
	all := runtime.GOMAXPROCS(0)
	if env("GOMAXPROCS") != "" || all == 1 {
		return
	}
	defer runtime.GOMAXPROCS(all)
	ticker := time.NewTicker(lookAtProcessors)
	defer ticker.Stop()
	now, at, used := all, time.Now(), cpuTime()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		share := float64(cpuTime()-used) / float64(time.Since(at))
		at, used = time.Now(), cpuTime()
		if n := processors(now, all, share); n != now {
			log.Debug("processors in use", "now", n, "before", now)
			runtime.GOMAXPROCS(n)
			now = n
		}
	}
}

// processors is how many of all to use by a process that uses so many now, and that
// has used such a share of one.
func processors(now, all int, share float64) int {
	switch {
	case share < calm:
		return 1
	case share > busy:
		return all
	}
	return now
}

// cpuTime is what the process has used until now.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0 // never so on Linux
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
