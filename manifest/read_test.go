package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml": "# a word\n---\nkind: A\n---\n# nothing\n---\nkind: B\n--- # more\nkind: [\n---\n- 1\n---\nkind: C\nkind: C\n",
		"b.yml":  "kind: D\nn: 1\n",
		"c.json": `{"kind": "EList", "items": [{"kind": "E"}, 1]}`,
		"d.txt":  "kind: X\n", "e/f.yaml": "kind: X\n", "g.yaml": "",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, d := range Read(strings.NewReader("kind: S\n---\n"), dir, "-", filepath.Join(dir, "none.yaml"), filepath.Join(dir, "e")) {
		what := fmt.Sprint(d.Object["kind"])
		if d.Err != nil {
			what = "error"
			if strings.Contains(d.Err.Error(), "\n") {
				t.Errorf("an error of several lines: %v", d.Err)
			}
		}
		if _, number := d.Object["n"].(float64); number {
			t.Error("a whole number was read as one with a fraction")
		}
		got = append(got, fmt.Sprint(filepath.Base(d.File), " ", d.Number, " ", what))
	}
	want := "a.yaml 1 A,a.yaml 3 B,a.yaml 4 error,a.yaml 5 error,a.yaml 6 error,b.yml 1 D,c.json 1 E,c.json 1 error,- 1 S,none.yaml 0 error,f.yaml 1 X"
	if strings.Join(got, ",") != want {
		t.Errorf("read %s, want %s", strings.Join(got, ","), want)
	}
	empty := t.TempDir()
	if all := Read(nil, empty); len(all) != 1 || all[0].Err == nil {
		t.Errorf("an empty folder: %v", all)
	}
}

// The name of a file stands before its error, and not in it again.
func TestErrorsNameTheirFileOnce(t *testing.T) {
	empty := t.TempDir()
	for _, path := range []string{empty, empty + "/none"} {
		if all := Read(nil, path); len(all) != 1 || all[0].File != path || strings.Contains(all[0].Err.Error(), empty) {
			t.Errorf("%+v", all)
		}
	}
}

// What has no document at all is an error: what should have written it may have failed.
func TestReadNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none.yaml")
	if err := os.WriteFile(file, []byte("# nothing\n---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, in := range map[string]string{"-": "", file: "", filepath.Dir(file): ""} {
		if all := Read(strings.NewReader(in), path); len(all) != 1 || all[0].Err == nil || all[0].File != path {
			t.Errorf("%s: %v", path, all)
		}
	}
}
