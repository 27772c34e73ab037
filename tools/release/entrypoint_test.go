package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// unpack lays the image's files into a new directory, as a container engine would.
func unpack(t *testing.T, b built) string {
	t.Helper()
	dir := t.TempDir()
	// Who is not root must get in to the root of the file system.
	for d := dir; d != os.TempDir() && len(d) > 1; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			break
		}
	}
	r := mutate.Extract(b.image)
	defer r.Close()
	tr := tar.NewReader(r)
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, h.Name)
		if h.Typeflag == tar.TypeDir {
			if err := os.MkdirAll(name, h.FileInfo().Mode().Perm()); err != nil {
				t.Fatal(err)
			}
			continue
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, h.FileInfo().Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
}

// selfTest runs the program through what needs no cluster. prefix is the command
// line before the program's arguments. The kinds are those of this tree's files.
func selfTest(t *testing.T, arch string, prefix ...string) {
	t.Helper()
	kinds := ""
	files, err := filepath.Glob(filepath.Join(top, "crd", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("crd/*.yaml: %d files, %v", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		kinds += string(data)
	}
	for _, c := range []struct {
		args string
		code int
		want string
		sum  bool
	}{
		{args: "version", want: fmt.Sprintf("mote v0.0.0-test %s linux/%s\n", runtime.Version(), arch)},
		{args: "crds", want: kinds, sum: true},
		{args: "run --help", want: "--region region"},
		{args: "check --self", want: "authorities are there"},
		{args: "run --workers=0", code: 2, want: "--workers 0: it is 1 to 1000"},
		{args: "run --kubeconfig=/nowhere", code: 1, want: "no cluster to work for"},
	} {
		args := append(prefix[1:len(prefix):len(prefix)], strings.Fields(c.args)...)
		cmd := exec.Command(prefix[0], args...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatalf("%s: %v", c.args, err)
		}
		if got := cmd.ProcessState.ExitCode(); got != c.code {
			t.Errorf("mote %s: exit %d, want %d\n%.2000s", c.args, got, c.code, out)
		}
		if c.sum && sha256.Sum256(out) != sha256.Sum256([]byte(c.want)) {
			t.Errorf("mote %s: %d bytes, which are not crd/*.yaml", c.args, len(out))
		}
		if !strings.Contains(string(out), c.want) && !c.sum {
			t.Errorf("mote %s: no %q in\n%.2000s", c.args, c.want, out)
		}
	}
}

// Nothing but the image's files is needed, nobody's rights, and no place to write.
func TestEntryPointInABareRoot(t *testing.T) {
	_, all := mustMake(t)
	for _, b := range all {
		if b.platform.arch != runtime.GOARCH {
			continue
		}
		root := unpack(t, b)
		if os.Geteuid() != 0 {
			t.Log("not root: the program runs from the image's files, but with this user's rights and without a read-only root")
			selfTest(t, runtime.GOARCH, filepath.Join(root, "mote"))
			return
		}
		const inside = `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" || exit 125
if touch "$0/tmp" 2>/dev/null; then echo "the root can be written to" >&2; exit 124; fi
exec chroot --userspec=` + user + ` "$0" /mote "$@"`
		selfTest(t, runtime.GOARCH, "unshare", "--mount", "sh", "-c", inside, root)
		return
	}
	t.Fatalf("there is no image for linux/%s, on which this runs", runtime.GOARCH)
}

// emulators are qemu's names of what runs a platform's programs.
var emulators = map[string]string{"amd64": "x86_64", "arm64": "aarch64", "arm": "arm", "riscv64": "riscv64"}

// Every other platform's program runs too, on an emulated processor. In CI the
// emulator has to be there (.ci/run installs it).
func TestEveryPlatformRuns(t *testing.T) {
	_, all := mustMake(t)
	for _, b := range all {
		if b.platform.arch == runtime.GOARCH {
			continue
		}
		t.Run(b.platform.String(), func(t *testing.T) {
			qemu := emulator(emulators[b.platform.arch])
			if qemu == "" {
				if os.Getenv("CI") != "" {
					t.Fatal("there is no qemu-" + emulators[b.platform.arch] + " on this machine: install qemu-user-static or qemu-user")
				}
				t.Log("not run: there is no qemu for it on this machine (Debian's qemu-user-static)")
				return
			}
			selfTest(t, b.platform.arch, qemu, filepath.Join(unpack(t, b), "mote"))
		})
	}
}

// emulator is the path of qemu for a processor, or nothing.
func emulator(processor string) string {
	for _, name := range []string{"qemu-" + processor + "-static", "qemu-" + processor} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// The roots are read by what reads them in the binary, and those of large issuers are
// among them.
func TestCertificates(t *testing.T) {
	var out bytes.Buffer
	if err := command([]string{"certificates"}, &out); err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(out.Bytes()) {
		t.Fatal("no certificate can be read")
	}
	n := bytes.Count(out.Bytes(), []byte("BEGIN CERTIFICATE"))
	t.Logf("%d roots, %d bytes", n, out.Len())
	if n < 100 {
		t.Errorf("only %d roots", n)
	}
	subjects := names509(t, out.Bytes())
	for _, want := range []string{"DigiCert Global Root G2", "GlobalSign", "ISRG Root X1"} {
		if !strings.Contains(subjects, want) {
			t.Errorf("%s is not among the roots", want)
		}
	}
}

// names509 are the subjects of PEM certificates.
func names509(t *testing.T, data []byte) string {
	t.Helper()
	var all strings.Builder
	for {
		block, rest := pem.Decode(data)
		if block == nil {
			return all.String()
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&all, c.Subject)
		data = rest
	}
}
