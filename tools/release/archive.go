package main

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// imageArchive is a platform's image as one file: an OCI layout in a tar archive, as
// k3s imports it from agent/images and podman and skopeo read it, and with the file
// manifest.json, by which `docker load` finds the same blobs. The layers stay
// compressed in it, so that it takes little of a node's disk, and the digest of the
// manifest is that in the multi-arch index.
func (r release) imageArchive(b built) ([]byte, error) {
	index := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{
		Add: b.image, Descriptor: v1.Descriptor{Platform: b.platform.oci(), Annotations: names(r.ref)},
	})
	list, err := index.RawManifest()
	if err != nil {
		return nil, err
	}
	blobs, err := imageBlobs(b.image)
	if err != nil {
		return nil, err
	}
	docker, err := dockerManifest(b.image, r.ref)
	if err != nil {
		return nil, err
	}
	entries := []entry{
		{name: "oci-layout", mode: 0o644, data: []byte(`{"imageLayoutVersion":"1.0.0"}`)},
		{name: "index.json", mode: 0o644, data: list},
		{name: "manifest.json", mode: 0o644, data: docker},
		{name: "blobs/", mode: 0o755}, {name: "blobs/sha256/", mode: 0o755},
	}
	return archive(append(entries, blobs...), r.source.created)
}

// imageBlobs are the manifest, the configuration and the layers, by their digests.
func imageBlobs(img v1.Image) ([]entry, error) {
	digest, err := img.Digest()
	if err != nil {
		return nil, err
	}
	manifest, err := img.RawManifest()
	if err != nil {
		return nil, err
	}
	configName, err := img.ConfigName()
	if err != nil {
		return nil, err
	}
	config, err := img.RawConfigFile()
	if err != nil {
		return nil, err
	}
	blobs := []entry{{blobPath(digest), 0o644, manifest}, {blobPath(configName), 0o644, config}}
	layers, err := img.Layers()
	if err != nil {
		return nil, err
	}
	for _, l := range layers {
		digest, err := l.Digest()
		if err != nil {
			return nil, err
		}
		r, err := l.Compressed()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		blobs = append(blobs, entry{blobPath(digest), 0o644, data})
	}
	slices.SortFunc(blobs, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return blobs, nil
}

func blobPath(h v1.Hash) string { return "blobs/" + h.Algorithm + "/" + h.Hex }

// dockerManifest is what `docker load` looks for.
func dockerManifest(img v1.Image, ref string) ([]byte, error) {
	manifest, err := img.Manifest()
	if err != nil {
		return nil, err
	}
	one := struct {
		Config   string
		RepoTags []string
		Layers   []string
	}{Config: blobPath(manifest.Config.Digest), RepoTags: []string{ref}}
	for _, l := range manifest.Layers {
		one.Layers = append(one.Layers, blobPath(l.Digest))
	}
	return json.Marshal([]any{one})
}
