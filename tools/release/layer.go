package main

import (
	"archive/tar"
	"bytes"
	"io"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"
)

// entry is one file of a tar archive; a name that ends in a slash is a directory.
type entry struct {
	name string
	mode int64
	data []byte
}

// archive writes the entries in their order, all root's and of the given time.
func archive(entries []entry, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: e.name, Mode: e.mode, Size: int64(len(e.data)), ModTime: at, Format: tar.FormatUSTAR}
		if e.name[len(e.name)-1] == '/' {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// window is how far back the compression looks, in bytes: over the whole of a
// binary, and so little that every reader allows it by default.
const window = 8 << 20

// compress makes zstd of data. One thread, so that the bytes do not depend on the
// number of processors.
func compress(data []byte, level zstd.EncoderLevel) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level),
		zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return w.EncodeAll(data, nil), nil
}

// layer is one layer of an image, held in both its forms.
type layer struct {
	v1.Layer // the compressed form
	plain    []byte
}

// newLayer makes a layer of the entries. Their time is 1970, so that a layer is the
// same from one release to the next as long as its files are.
func newLayer(entries []entry) (layer, error) {
	plain, err := archive(entries, time.Unix(0, 0))
	if err != nil {
		return layer{}, err
	}
	packed, err := compress(plain, zstd.SpeedBestCompression)
	if err != nil {
		return layer{}, err
	}
	return layer{static.NewLayer(packed, types.OCILayerZStd), plain}, nil
}

// DiffID is the digest of the uncompressed form.
func (l layer) DiffID() (v1.Hash, error) {
	h, _, err := v1.SHA256(bytes.NewReader(l.plain))
	return h, err
}

// Uncompressed reads the tar archive.
func (l layer) Uncompressed() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(l.plain)), nil
}
