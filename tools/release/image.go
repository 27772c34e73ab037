package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// user is who runs in the image: a number, because only of a number can Kubernetes
// tell that it is not root, and the one that is usual for this.
const user = "65532:65532"

// imageBudget is the greatest size of one platform's image as it is stored and
// sent: manifest, configuration and compressed layers, in bytes.
const imageBudget = 5_000_000

// built is one platform's binary and image.
type built struct {
	platform platform
	binary   []byte
	image    v1.Image
	size     int64
}

// build makes the platform's binary and its image, which has to keep its budget.
func (r release) build(p platform) (built, error) {
	binary, err := r.source.binary(p)
	if err != nil {
		return built{}, err
	}
	img, err := r.source.image(p, binary)
	if err != nil {
		return built{}, err
	}
	size, err := fits(img)
	if err != nil {
		return built{}, err
	}
	return built{platform: p, binary: binary, image: img, size: size}, nil
}

// image is the binary and the roots of trust, and nothing else. No time zones:
// Mote's windows are in UTC+8, which has no summer time, and its times are UTC.
// The roots are a layer of their own, which stays when the binary changes.
func (s source) image(p platform, binary []byte) (v1.Image, error) {
	roots, err := certificates()
	if err != nil {
		return nil, err
	}
	trust, err := newLayer([]entry{
		{name: "etc/", mode: 0o755}, {name: "etc/ssl/", mode: 0o755}, {name: "etc/ssl/certs/", mode: 0o755},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, data: roots},
	})
	if err != nil {
		return nil, err
	}
	program, err := newLayer([]entry{{name: "mote", mode: 0o755, data: binary}})
	if err != nil {
		return nil, err
	}
	img := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	img = mutate.ConfigMediaType(img, types.OCIConfigJSON)
	created := v1.Time{Time: s.created}
	img, err = mutate.Append(img,
		mutate.Addendum{Layer: trust, History: v1.History{Created: v1.Time{Time: time.Unix(0, 0).UTC()}, CreatedBy: "Mozilla's root certificates"}},
		mutate.Addendum{Layer: program, History: v1.History{Created: created, CreatedBy: "make build"}},
	)
	if err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Variant = "linux", p.arch, p.variant
	config.Created = created
	config.Config = v1.Config{User: user, Entrypoint: []string{"/mote"}, Cmd: []string{"run"}, WorkingDir: "/", Labels: s.labels()}
	if img, err = mutate.ConfigFile(img, config); err != nil {
		return nil, err
	}
	return mutate.Annotations(img, s.labels()).(v1.Image), nil
}

// labels say what the image is, in the words of the OCI.
func (s source) labels() map[string]string {
	labels := map[string]string{
		"org.opencontainers.image.title":       "mote",
		"org.opencontainers.image.description": "Keeps PostgresDB and MyApp objects true on an edge cluster",
		"org.opencontainers.image.version":     s.version,
		"org.opencontainers.image.created":     s.created.Format(time.RFC3339),
		"org.opencontainers.image.licenses":    "Apache-2.0",
	}
	if s.revision != "" {
		labels["org.opencontainers.image.revision"] = s.revision
	}
	return labels
}

// fits is what an image takes in a registry or on a disk, in bytes; more than the
// budget is an error.
func fits(img v1.Image) (int64, error) {
	manifest, err := img.Manifest()
	if err != nil {
		return 0, err
	}
	size, err := img.Size()
	if err != nil {
		return 0, err
	}
	size += manifest.Config.Size
	for _, l := range manifest.Layers {
		size += l.Size
	}
	if size > imageBudget {
		return 0, fmt.Errorf("the image has %d bytes, %d more than its budget of %d", size, size-imageBudget, imageBudget)
	}
	return size, nil
}

// index is the multi-arch index over the images.
func (r release) index(all []built) v1.ImageIndex {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, b := range all {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: b.image, Descriptor: v1.Descriptor{Platform: b.platform.oci()}})
	}
	return mutate.Annotations(index, r.source.labels()).(v1.ImageIndex)
}

// image writes DIST/image: an OCI layout that holds the index under the image's name.
func (r release) image(all []built) error {
	dir := filepath.Join(r.dist, "image")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	index := r.index(all)
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	if err := path.AppendIndex(index, layout.WithAnnotations(names(r.ref))); err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	fmt.Fprintf(r.log, "%s: %s@%s\n", dir, r.ref, digest)
	return nil
}

// names are the annotations from which containerd, skopeo and podman take an image's name.
func names(ref string) map[string]string {
	return map[string]string{"io.containerd.image.name": ref, "org.opencontainers.image.ref.name": ref}
}
