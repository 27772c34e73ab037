package proc

import (
	"os"
	"testing"
	"time"
)

func TestCPU(t *testing.T) {
	got, err := cpu([]byte("42 (a) b (c) R 1 2 3 4 5 6 7 8 9 10 150 25 0 0 20"))
	if err != nil || got != 1750*time.Millisecond {
		t.Errorf("cpu = %v, %v; want 1.75s", got, err)
	}
	if _, err := cpu([]byte("nonsense")); err == nil {
		t.Error("nonsense was understood")
	}
}

func TestMemory(t *testing.T) {
	rss, peak, err := memory([]byte("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n"))
	if err != nil || rss != 1<<20 || peak != 2<<20 {
		t.Errorf("memory = %d, %d, %v", rss, peak, err)
	}
	if _, _, err := memory([]byte("Name:\tx\n")); err == nil {
		t.Error("a zombie was taken for a process with memory")
	}
}

func TestRead(t *testing.T) {
	u, err := Read(os.Getpid())
	if err != nil || u.RSS <= 0 || u.Peak < u.RSS/2 {
		t.Errorf("Read = %+v, %v", u, err)
	}
	if _, err := Read(1 << 30); err == nil {
		t.Error("a process that is not there was read")
	}
}
