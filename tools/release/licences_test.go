package main

import (
	"bytes"
	"debug/buildinfo"
	"strings"
	"testing"
)

// Every module in the binary has its licence in the list.
func TestLicences(t *testing.T) {
	r, all := mustMake(t)
	data, err := r.source.licences()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.Read(bytes.NewReader(all[0].binary))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range info.Deps {
		if !bytes.Contains(data, []byte(m.Path+" "+m.Version+"\n")) {
			t.Errorf("no licence of %s %s", m.Path, m.Version)
		}
	}
	for _, want := range []string{"the Go standard library\n", "Apache License", "Redistribution and use"} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("no %q among the licences", strings.TrimSpace(want))
		}
	}
	if _, err := licenceFiles(t.TempDir()); err == nil {
		t.Error("a module without a licence passes")
	}
}
