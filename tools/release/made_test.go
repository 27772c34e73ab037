package main

import (
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const top = "../.." // of the tree

// made is one release of this tree, which the tests look at from all sides.
var made = sync.OnceValues(func() (result struct {
	release
	all []built
}, err error) {
	if result.source, err = readSource(top, "v0.0.0-test"); err != nil {
		return result, err
	}
	if result.source.root, err = filepath.Abs(top); err != nil {
		return result, err
	}
	result.ref, result.log = "example.com/mote:v0.0.0-test", io.Discard
	for _, p := range platforms {
		b, err := result.build(p)
		if err != nil {
			return result, err
		}
		result.all = append(result.all, b)
	}
	return result, nil
})

func mustMake(t *testing.T) (release, []built) {
	t.Helper()
	m, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return m.release, m.all
}

// copyTree copies what git would commit of the tree into a new directory.
func copyTree(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("git", "-C", top, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(top, name))
		if os.IsNotExist(err) {
			continue // deleted, not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Another checkout, elsewhere and without a repository, gives the same index: names,
// times, permissions and the order of things are not the machine's.
func TestReproducible(t *testing.T) {
	first, all := mustMake(t)
	want, err := first.index(all).Digest()
	if err != nil {
		t.Fatal(err)
	}
	second := first
	second.source.root = copyTree(t)
	t.Setenv("TZ", "Asia/Shanghai")
	t.Setenv("GOMAXPROCS", "1")
	var again []built
	for _, p := range platforms {
		b, err := second.build(p)
		if err != nil {
			t.Fatal(err)
		}
		again = append(again, b)
	}
	got, err := second.index(again).Digest()
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("the index is %s, and %s when it is made in another place", want, got)
	}
	for i, b := range all {
		t.Logf("%-14s binary %8d bytes, image %7d bytes", b.platform, len(b.binary), b.size)
		if again[i].size != b.size {
			t.Errorf("%s: %d bytes, and then %d", b.platform, b.size, again[i].size)
		}
	}
}

// What cannot be compressed does not fit, and the error says by how much.
func TestTooLargeImageIsRefused(t *testing.T) {
	noise := make([]byte, imageBudget)
	random := rand.NewChaCha8([32]byte{1})
	if _, err := random.Read(noise); err != nil {
		t.Fatal(err)
	}
	r := release{source: source{version: "v0"}}
	img, err := r.source.image(platforms[0], noise)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fits(img); err == nil || !strings.Contains(err.Error(), "more than its budget of 5000000") {
		t.Errorf("an image of %d bytes of noise: %v", len(noise), err)
	}
}

// The release's time is the commit's or the one that is asked for, and never now.
func TestSource(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "86400")
	s, err := readSource(top, "")
	if err != nil {
		t.Fatal(err)
	}
	if s.created.Unix() != 86400 || s.version == "" || len(s.revision) < 40 {
		t.Errorf("%+v", s)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "today")
	if _, err := readSource(top, "v1"); err == nil || !strings.Contains(err.Error(), "no number of seconds") {
		t.Errorf("SOURCE_DATE_EPOCH=today: %v", err)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "")
	// Outside a repository, too.
	t.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir())
	bare := t.TempDir()
	if s, err := readSource(bare, "v1"); err != nil || s.created.Unix() != 0 || s.revision != "" {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := readSource(bare, ""); err == nil || !strings.Contains(err.Error(), "give -version") {
		t.Errorf("no version: %v", err)
	}
}

func TestReference(t *testing.T) {
	for _, c := range []struct{ name, version, want string }{
		{"example.com/mote", "v1.2.3-rc.1", "example.com/mote:v1.2.3-rc.1"},
		{"example.com/mote", "v1.2.3+more", "it has '+'"},
		{"example.com/mote", "", "1 to 128 characters"},
		{"example.com/mote", ".1", "the first no dot"},
		{"example.com/mote:v1", "v1", "without tag"},
		{"", "v1", "without tag"},
	} {
		got, err := reference(c.name, c.version)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%q %q: %q, want %q", c.name, c.version, got, c.want)
		}
	}
}

func TestRefusedCommandLines(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "one of image, airgap, all and certificates"},
		{"-version v1 -arch amd64 -dist DIST nothing", `there is no "nothing"`},
		{"-version v1 -arch vax image", `no architecture "vax"`},
		{"-version a+b image", "cannot be an image's tag"},
	} {
		args := strings.Fields(strings.ReplaceAll("-root "+top+" "+c.args, "DIST", t.TempDir()))
		if err := command(args, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
	}
}
