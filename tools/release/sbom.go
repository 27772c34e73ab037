package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// rootsModule is where the image's root certificates come from.
const rootsModule = "golang.org/x/crypto/x509roots/fallback"

// bom is the bill of materials of a platform's image, made from what the linker
// wrote into the binary: the modules that are really in it, in their versions, and
// the Go that built it. own is the build information of this command, which
// knows the version of the root certificates.
func (s source) bom(p platform, binary []byte, own *debug.BuildInfo) (*cdx.BOM, error) {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return nil, fmt.Errorf("the binary says nothing of what it was built from: %w", err)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(binary))
	main := cdx.Component{
		BOMRef: "mote", Type: cdx.ComponentTypeApplication, Name: info.Main.Path, Version: s.version,
		PackageURL: purl(info.Main.Path, s.version, "goos=linux&goarch="+p.arch),
		Hashes:     &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: sum}},
		Licenses:   &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
	}
	parts := []cdx.Component{component("std", strings.TrimPrefix(info.GoVersion, "go"), "")}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, component(m.Path, m.Version, m.Sum))
	}
	roots, err := moduleOf(own, rootsModule)
	if err != nil {
		return nil, err
	}
	parts = append(parts, component(roots.Path, roots.Version, roots.Sum))

	bom := cdx.NewBOM()
	bom.SerialNumber = serial(sum)
	bom.Metadata = &cdx.Metadata{Timestamp: s.created.Format(time.RFC3339), Component: &main}
	bom.Components = &parts
	refs := make([]string, len(parts))
	for i, c := range parts {
		refs[i] = c.BOMRef
	}
	bom.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &refs}}
	return bom, nil
}

// sbom is the bill of materials as CycloneDX JSON.
func (s source) sbom(p platform, binary []byte) ([]byte, error) {
	own, ok := debug.ReadBuildInfo()
	if !ok {
		return nil, fmt.Errorf("this command was built without build information")
	}
	bom, err := s.bom(p, binary, own)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON)
	encoder.SetPretty(true)
	encoder.SetEscapeHTML(false)
	if err := encoder.EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// component is a Go module as a part. Its go.sum checksum is no checksum of a file,
// and so stands among the properties.
func component(path, version, sum string) cdx.Component {
	c := cdx.Component{
		BOMRef: purl(path, version, ""), Type: cdx.ComponentTypeLibrary, Name: path, Version: version,
		PackageURL: purl(path, version, ""), Scope: cdx.ScopeRequired,
	}
	if sum != "" {
		c.Properties = &[]cdx.Property{{Name: "go:sum", Value: sum}}
	}
	return c
}

// purl is the package URL of a Go module.
func purl(path, version, qualifiers string) string {
	url := "pkg:golang/" + strings.ReplaceAll(path, "@", "%40") + "@" + strings.ReplaceAll(version, "+", "%2B")
	if qualifiers != "" {
		url += "?" + qualifiers
	}
	return url
}

// serial is a UUID that follows from the binary's checksum, in hex.
func serial(sum string) string {
	variant := "89ab"[strings.IndexByte("0123456789abcdef", sum[16])&3]
	return fmt.Sprintf("urn:uuid:%s-%s-8%s-%c%s-%s", sum[:8], sum[8:12], sum[13:16], variant, sum[17:20], sum[20:32])
}

func moduleOf(info *debug.BuildInfo, path string) (*debug.Module, error) {
	for _, m := range info.Deps {
		if m.Path == path {
			return m, nil
		}
	}
	return nil, fmt.Errorf("this command's build information does not name %s", path)
}
