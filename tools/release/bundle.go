package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// airgap writes one bundle for each platform.
func (r release) airgap(all []built) error {
	if len(all) == 0 {
		return nil
	}
	manifests, err := r.manifests()
	if err != nil {
		return err
	}
	licences, err := r.source.licences()
	if err != nil {
		return err
	}
	for _, b := range all {
		bundle, err := r.bundle(b, manifests, licences)
		if err != nil {
			return fmt.Errorf("%s: %w", b.platform, err)
		}
		file := filepath.Join(r.dist, bundleName(b.platform)+".tar.zst")
		if err := os.WriteFile(file, bundle, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(r.log, "%s: %d bytes\n", file, len(bundle))
	}
	return nil
}

// bundleName is the name of a platform's bundle, and of the folder in it.
func bundleName(p platform) string { return "mote-airgap-" + p.arch }

// bundle packs what a node of the platform needs, in a folder of its own.
func (r release) bundle(b built, manifests []entry, licences []byte) ([]byte, error) {
	img, err := r.imageArchive(b)
	if err != nil {
		return nil, err
	}
	bom, err := r.source.sbom(b.platform, b.binary)
	if err != nil {
		return nil, err
	}
	files := []entry{
		{"IMAGE", 0o644, []byte(r.ref + "\n")},
		{"LICENSES.txt", 0o644, licences},
		{"sbom.cdx.json", 0o644, bom},
		{"images/", 0o755, nil},
		{"images/mote.tar", 0o644, img},
		{"manifests/", 0o755, nil},
	}
	files = append(files, manifests...)
	for name, mode := range map[string]int64{"README.md": 0o644, "install.sh": 0o755} {
		data, err := os.ReadFile(filepath.Join(r.source.root, "k3s", "airgap", name))
		if err != nil {
			return nil, err
		}
		files = append(files, entry{name, mode, data})
	}
	slices.SortFunc(files, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	files = append(files, entry{"SHA256SUMS", 0o644, sums(files)})
	top := bundleName(b.platform) + "/"
	for i := range files {
		files[i].name = top + files[i].name
	}
	packed, err := archive(append([]entry{{top, 0o755, nil}}, files...), r.source.created)
	if err != nil {
		return nil, err
	}
	// What is large in it is compressed already.
	return compress(packed, zstd.SpeedDefault)
}

// sums are the SHA-256 checksums of the files, as `sha256sum -c` reads them.
func sums(files []entry) []byte {
	var out bytes.Buffer
	for _, f := range files {
		if !strings.HasSuffix(f.name, "/") {
			fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(f.data), f.name)
		}
	}
	return out.Bytes()
}

// manifests are the files for server/manifests, made by the program itself: any
// platform's says the same, so the one is asked that runs here.
func (r release) manifests() ([]entry, error) {
	dir, err := os.MkdirTemp("", "release-manifests-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	mote := filepath.Join(dir, "mote")
	if _, err := run(r.source.root, nil, "make", "-s", "build", "MOTE="+mote, "VERSION="+r.source.version); err != nil {
		return nil, err
	}
	out := filepath.Join(dir, "manifests")
	if _, err := run(dir, nil, mote, "manifests", "--image", r.ref, "-o", out); err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(out, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var files []entry
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, entry{"manifests/" + filepath.Base(name), 0o644, data})
	}
	if len(files) < 2 {
		return nil, fmt.Errorf("mote manifests -o wrote %d files; the kinds and the controller were expected", len(files))
	}
	return files, nil
}

// checksums writes DIST/SHA256SUMS over the bundles.
func (r release) checksums([]built) error {
	names, err := filepath.Glob(filepath.Join(r.dist, "*.tar.zst"))
	if err != nil {
		return err
	}
	var files []entry
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files = append(files, entry{name: filepath.Base(name), data: data})
	}
	return os.WriteFile(filepath.Join(r.dist, "SHA256SUMS"), sums(files), 0o644)
}
