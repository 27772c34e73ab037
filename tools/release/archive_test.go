package main

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/containerd/containerd/v2/core/content"
	"github.com/containerd/containerd/v2/core/images"
	importer "github.com/containerd/containerd/v2/core/images/archive"
	"github.com/containerd/containerd/v2/plugins/content/local"
	nodes "github.com/containerd/platforms"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/klauspost/compress/zstd"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// containerd's own importer takes each platform's archive, under the name that the
// Deployment has, and every blob of it is what its digest says.
func TestContainerdTakesTheArchive(t *testing.T) {
	r, all := mustMake(t)
	for _, b := range all {
		t.Run(b.platform.String(), func(t *testing.T) {
			data, err := r.imageArchive(b)
			if err != nil {
				t.Fatal(err)
			}
			store, err := local.NewStore(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			ctx := context.Background()
			index, err := importer.ImportIndex(ctx, store, bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			var list ocispec.Index
			readBlob(t, store, index, &list)
			if len(list.Manifests) != 1 || list.Manifests[0].Annotations[images.AnnotationImageName] != r.ref {
				t.Fatalf("imported %+v, want one image %s", list.Manifests, r.ref)
			}
			want, err := b.image.Digest()
			if err != nil {
				t.Fatal(err)
			}
			if got := list.Manifests[0].Digest.String(); got != want.String() {
				t.Errorf("manifest %s, in the multi-arch index %s", got, want)
			}
			// As a kubelet of that platform would ask for it.
			node := nodes.Only(ocispec.Platform{OS: "linux", Architecture: b.platform.arch, Variant: b.platform.variant})
			manifest, err := images.Manifest(ctx, store, index, node)
			if err != nil {
				t.Fatal(err)
			}
			checkImage(t, store, manifest, b)
		})
	}
}

// checkImage reads configuration and layers back.
func checkImage(t *testing.T, store content.Provider, manifest ocispec.Manifest, b built) {
	t.Helper()
	var config ocispec.Image
	readBlob(t, store, manifest.Config, &config)
	if config.Config.User != user || !slices.Equal(config.Config.Entrypoint, []string{"/mote"}) || !slices.Equal(config.Config.Cmd, []string{"run"}) {
		t.Errorf("runs %q %q as %q", config.Config.Entrypoint, config.Config.Cmd, config.Config.User)
	}
	if config.OS != "linux" || config.Architecture != b.platform.arch || config.Variant != b.platform.variant {
		t.Errorf("is for %s/%s/%s, want %s", config.OS, config.Architecture, config.Variant, b.platform)
	}
	for _, label := range []string{"title", "version", "revision", "created", "licenses"} {
		if config.Config.Labels["org.opencontainers.image."+label] == "" {
			t.Errorf("no label org.opencontainers.image.%s", label)
		}
	}
	if len(manifest.Layers) != len(config.RootFS.DiffIDs) {
		t.Fatalf("%d layers, %d diff IDs", len(manifest.Layers), len(config.RootFS.DiffIDs))
	}
	var files []string
	for i, l := range manifest.Layers {
		if l.MediaType != ocispec.MediaTypeImageLayerZstd {
			t.Errorf("layer %d is %s", i, l.MediaType)
		}
		d, err := zstd.NewReader(bytes.NewReader(readBlob(t, store, l, nil)))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(d)
		d.Close()
		if err != nil {
			t.Fatal(err)
		}
		if got := digest.FromBytes(plain); got != config.RootFS.DiffIDs[i] {
			t.Errorf("layer %d unpacks to %s, the configuration says %s", i, got, config.RootFS.DiffIDs[i])
		}
		tr := tar.NewReader(bytes.NewReader(plain))
		for {
			h, err := tr.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if h.Uid != 0 || h.Gid != 0 || h.Mode&0o022 != 0 {
				t.Errorf("%s is of %d:%d with mode %o: only root may write in the image", h.Name, h.Uid, h.Gid, h.Mode)
			}
			files = append(files, h.Name)
		}
	}
	if want := []string{"etc/", "etc/ssl/", "etc/ssl/certs/", "etc/ssl/certs/ca-certificates.crt", "mote"}; !slices.Equal(files, want) {
		t.Errorf("holds %q, want %q", files, want)
	}
}

// readBlob returns a blob whose size and digest are as its descriptor says, and
// decodes it when asked to.
func readBlob(t *testing.T, store content.Provider, desc ocispec.Descriptor, into any) []byte {
	t.Helper()
	data, err := content.ReadBlob(context.Background(), store, desc)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(data)) != desc.Size || digest.FromBytes(data) != desc.Digest {
		t.Errorf("%s: %d bytes with digest %s", desc.Digest, len(data), digest.FromBytes(data))
	}
	if into != nil {
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

// The archive's list for docker names the same blobs, under the same name.
func TestDockerManifest(t *testing.T) {
	r, all := mustMake(t)
	data, err := r.imageArchive(all[0])
	if err != nil {
		t.Fatal(err)
	}
	files := untar(t, data)
	var list []struct {
		Config           string
		RepoTags, Layers []string
	}
	if err := json.Unmarshal(files["manifest.json"], &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || !slices.Equal(list[0].RepoTags, []string{r.ref}) || len(list[0].Layers) != 2 {
		t.Fatalf("%+v", list)
	}
	for _, name := range append(list[0].Layers, list[0].Config) {
		if files[name] == nil {
			t.Errorf("manifest.json names %s, which is not there", name)
		}
	}
}

// The layout that `make image` writes holds the whole index, sound to the last blob.
func TestLayout(t *testing.T) {
	r, all := mustMake(t)
	r.dist = t.TempDir()
	// What an earlier run left goes.
	stale := filepath.Join(r.dist, "image", "stale")
	if err := os.MkdirAll(stale, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.image(all); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("%s: %v", stale, err)
	}
	index, err := layout.ImageIndexFromPath(filepath.Join(r.dist, "image"))
	if err != nil {
		t.Fatal(err)
	}
	outer, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(outer.Manifests) != 1 || outer.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != r.ref {
		t.Fatalf("%+v", outer.Manifests)
	}
	inner, err := index.ImageIndex(outer.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	// Fast, because the library unpacks layers as gzip only; what they unpack to,
	// TestContainerdTakesTheArchive sees.
	if err := validate.Index(inner, validate.Fast); err != nil {
		t.Error(err)
	}
	blobs, err := filepath.Glob(filepath.Join(r.dist, "image", "blobs", "sha256", "*"))
	if err != nil || len(blobs) != 1+4*3+1 { // the index; manifest, configuration and program of each; the roots
		t.Errorf("%d blobs, %v", len(blobs), err)
	}
	for _, name := range blobs {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if digest.FromBytes(data).Encoded() != filepath.Base(name) {
			t.Errorf("blob %s has the digest %s", filepath.Base(name), digest.FromBytes(data))
		}
	}
	list, err := inner.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list.Manifests {
		got = append(got, m.Platform.String())
	}
	if want := []string{"linux/amd64", "linux/arm64", "linux/arm/v7", "linux/riscv64"}; !slices.Equal(got, want) {
		t.Errorf("for %q, want %q", got, want)
	}
}

// untar reads the files of an archive into memory.
func untar(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	tr := tar.NewReader(bytes.NewReader(data))
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name] = content
	}
}
