package contender

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"os"
)

// Size is a binary's size, and that of an image layer with nothing but it: a tar
// of one file, compressed by gzip at its best.
func Size(binary string) (file, layer int64, err error) {
	f, err := os.Open(binary)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	var n counted
	z, err := gzip.NewWriterLevel(&n, gzip.BestCompression)
	if err != nil {
		return 0, 0, err
	}
	t := tar.NewWriter(z)
	if err := t.WriteHeader(&tar.Header{Name: "operator", Mode: 0o755, Size: info.Size(), Typeflag: tar.TypeReg}); err != nil {
		return 0, 0, err
	}
	if _, err := io.Copy(t, f); err != nil {
		return 0, 0, err
	}
	if err := t.Close(); err != nil {
		return 0, 0, err
	}
	if err := z.Close(); err != nil {
		return 0, 0, err
	}
	return info.Size(), int64(n), nil
}

// counted counts what is written to it.
type counted int64

// Write counts.
func (c *counted) Write(b []byte) (int, error) {
	*c += counted(len(b))
	return len(b), nil
}
