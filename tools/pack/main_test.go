package main

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestPack(t *testing.T) {
	dir := t.TempDir()
	if err := pack(dir); err == nil {
		t.Error("an empty directory is packed")
	}
	for name, text := range map[string]string{"b.yaml": "---\nb\n", "a.yaml": "---\na\n", "c.go": "c"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := pack(dir); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "crds.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != "---\na\n---\nb\n" {
		t.Errorf("packed is %q, %v", got, err)
	}
}
