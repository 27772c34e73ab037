package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// bundled makes the bundles into a new directory and returns the files of each,
// by architecture and name.
func bundled(t *testing.T) (string, map[string]map[string][]byte) {
	t.Helper()
	r, all := mustMake(t)
	r.dist = t.TempDir()
	if err := r.airgap(all); err != nil {
		t.Fatal(err)
	}
	bundles := map[string]map[string][]byte{}
	for _, b := range all {
		data, err := os.ReadFile(filepath.Join(r.dist, bundleName(b.platform)+".tar.zst"))
		if err != nil {
			t.Fatal(err)
		}
		d, err := zstd.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(d)
		d.Close()
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		for name, content := range untar(t, plain) {
			short, ok := strings.CutPrefix(name, bundleName(b.platform)+"/")
			if !ok {
				t.Errorf("%s is outside the bundle's folder", name)
			}
			if short != "" && !strings.HasSuffix(short, "/") {
				files[short] = content
			}
		}
		bundles[b.platform.arch] = files
	}
	if err := r.checksums(all); err != nil {
		t.Fatal(err)
	}
	return r.dist, bundles
}

func TestBundle(t *testing.T) {
	r, all := mustMake(t)
	dist, bundles := bundled(t)
	for _, b := range all {
		files := bundles[b.platform.arch]
		want := []string{"IMAGE", "LICENSES.txt", "README.md", "SHA256SUMS", "images/mote.tar", "install.sh",
			"manifests/mote-0-crds.yaml", "manifests/mote-1-mote.yaml", "sbom.cdx.json"}
		if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
			t.Errorf("%s: holds %q, want %q", b.platform, got, want)
		}
		// The checksums are over everything else.
		lines := strings.Split(strings.TrimSpace(string(files["SHA256SUMS"])), "\n")
		if len(lines) != len(files)-1 {
			t.Errorf("%s: %d checksums for %d files", b.platform, len(lines), len(files))
		}
		for _, line := range lines {
			sum, name, _ := strings.Cut(line, "  ")
			if got := fmt.Sprintf("%x", sha256.Sum256(files[name])); got != sum {
				t.Errorf("%s: %s has checksum %s, not %s", b.platform, name, got, sum)
			}
		}
		// The node finds the image under the name by which the Deployment asks for it.
		img, err := r.imageArchive(b)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(files["images/mote.tar"], img) {
			t.Errorf("%s: images/mote.tar is not the platform's image", b.platform)
		}
		if !strings.Contains(string(files["manifests/mote-1-mote.yaml"]), "image: "+r.ref+"\n") || string(files["IMAGE"]) != r.ref+"\n" {
			t.Errorf("%s: the Deployment does not run %s", b.platform, r.ref)
		}
		if strings.Count(string(files["manifests/mote-0-crds.yaml"]), "\nkind: CustomResourceDefinition\n") != 2 {
			t.Errorf("%s: the kinds are not in mote-0-crds.yaml", b.platform)
		}
		checkBOM(t, b, files["sbom.cdx.json"])
	}
	list, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
	if err != nil || bytes.Count(list, []byte("\n")) != len(all) {
		t.Errorf("dist/SHA256SUMS, %v:\n%s", err, list)
	}
	// Again, and no byte differs.
	again, _ := bundled(t)
	second, err := os.ReadFile(filepath.Join(again, "SHA256SUMS"))
	if err != nil || !bytes.Equal(list, second) {
		t.Errorf("made twice, %v:\n%s\n%s", err, list, second)
	}
}

// The bundle as it is delivered, unpacked and installed.
func TestBundleInstalls(t *testing.T) {
	_, bundles := bundled(t)
	onEachShell(t, func(t *testing.T, n *node) {
		if err := os.RemoveAll(n.bundle); err != nil {
			t.Fatal(err)
		}
		for name, content := range bundles["arm64"] {
			n.write(filepath.Join(n.bundle, name), string(content), 0o644)
		}
		code, out, _ := n.run()
		n.want(code, 0, out, "Installed example.com/mote:v0.0.0-test")
		n.has(tarball, string(bundles["arm64"]["images/mote.tar"]))
		n.has(deployFile, string(bundles["arm64"]["manifests/mote-1-mote.yaml"]))
		n.has(crdFile, string(bundles["arm64"]["manifests/mote-0-crds.yaml"]))
		code, out, _ = n.run("uninstall", "--yes")
		n.want(code, 0, out, "Uninstalled")
		n.has(crdFile, "")
	})
}
