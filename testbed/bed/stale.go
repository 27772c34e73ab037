package bed

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// prefix is how the folders of beds begin.
const prefix = "mote-bed-"

const ownerFile = "owner"

// own marks a folder as in use for as long as this process lives, however it ends.
// The file gets its name only when it is locked: a folder with an unlocked one is
// nobody's.
func own(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, ownerFile+"-")
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return f, os.Rename(f.Name(), filepath.Join(dir, ownerFile))
}

// sweep removes the beds whose processes were killed: they hold memory when base
// is a file system in memory.
func sweep(base string) error {
	dirs, err := filepath.Glob(filepath.Join(base, prefix+"*"))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		f, err := os.Open(filepath.Join(dir, ownerFile))
		if err != nil {
			continue // new, gone, or somebody else's
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			os.RemoveAll(dir)
		}
		f.Close()
	}
	return nil
}
