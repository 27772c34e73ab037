package bed

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSweep(t *testing.T) {
	base := t.TempDir()
	dir := func(name string) string {
		d := filepath.Join(base, name)
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
		return d
	}
	fresh, others, live, dead := dir(prefix+"fresh"), dir("other"), dir(prefix+"live"), dir(prefix+"dead")
	owner, err := own(live)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close()
	gone, err := own(dead)
	if err != nil {
		t.Fatal(err)
	}
	gone.Close() // as the kernel does for a process that is killed
	if err := sweep(base); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{fresh, others, live} {
		if _, err := os.Stat(d); err != nil {
			t.Errorf("%s was removed", filepath.Base(d))
		}
	}
	if _, err := os.Stat(dead); err == nil {
		t.Error("the bed of a dead process was left")
	}
}
