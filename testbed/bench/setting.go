package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"example.com/mote/testbed/artifact"
	"example.com/mote/testbed/bench/contender"
	"example.com/mote/testbed/bench/result"
)

// loadBefore is how busy the machine was with other things when the benchmark
// began; times mean little when it was.
var loadBefore = loadAverage()

// loadAverage is the number of processes that wanted to run over the last minute.
func loadAverage() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(b), " ")
	return first
}

// setting tells where and with what is measured, in words that fit any machine.
func setting(ctx context.Context, root string, p contender.Programs) result.Setting {
	peers := filepath.Join(root, "testbed", "bench", "peers")
	s := result.Setting{
		Date: time.Now().UTC().Format(time.DateOnly),
		Machine: fmt.Sprintf("%d cores, %s of memory, %s/%s, shared by control plane, contender and the benchmark's own load (load average before it began: %s)",
			runtime.NumCPU(), memory(), runtime.GOOS, runtime.GOARCH, loadBefore),
		Versions: []string{
			"Mote " + strings.TrimPrefix(said(ctx, p.Mote, "version"), "mote "),
			"Kubernetes " + artifact.Kubernetes + " over etcd in memory",
			"controller-runtime " + locked(filepath.Join(peers, "controller-runtime", "go.mod"), `controller-runtime (v\S+)`) +
				", client-go " + locked(filepath.Join(peers, "controller-runtime", "go.mod"), `client-go (v\S+)`),
		},
	}
	if p.KubeRS != "" {
		s.Versions = append(s.Versions, "kube-rs "+locked(filepath.Join(peers, "kube-rs", "Cargo.lock"), `name = "kube"\nversion = "([^"]+)"`)+
			", "+said(ctx, "rustc", "--version"))
	}
	return s
}

// said is the one line that a program answers, or "unknown".
func said(ctx context.Context, program string, args ...string) string {
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// locked finds a version in a lock file, or "unknown".
func locked(file, pattern string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return "unknown"
	}
	if m := regexp.MustCompile(pattern).FindSubmatch(b); m != nil {
		return string(m[1])
	}
	return "unknown"
}

// memory is the machine's, in whole GiB.
func memory() string {
	b, err := os.ReadFile("/proc/meminfo")
	var kb int64
	if err == nil {
		_, err = fmt.Sscanf(string(b), "MemTotal: %d kB", &kb)
	}
	if err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%d GiB", (kb+1<<19)>>20)
}
