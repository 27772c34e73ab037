package e2e

import (
	"os"
	"testing"
)

// TestBinarySize keeps bin/mote small enough for an edge node's disk.
func TestBinarySize(t *testing.T) {
	const budget = 12_630_000
	info, err := os.Stat(cluster.Paths.Mote)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("bin/mote has %d bytes, %d %% of its budget", info.Size(), info.Size()*100/budget)
	if info.Size() > budget {
		t.Errorf("bin/mote has %d bytes, more than %d", info.Size(), budget)
	}
}
