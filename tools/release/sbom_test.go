package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/xeipuuv/gojsonschema"
)

// checkBOM holds a bill of materials against the specification's own schema, and
// against the binary.
func checkBOM(t *testing.T, b built, data []byte) {
	t.Helper()
	for _, fault := range schemaFaults(t, data) {
		t.Errorf("%s: CycloneDX's schema says: %s", b.platform, fault)
	}

	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(data), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.Read(bytes.NewReader(b.binary))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for _, c := range *bom.Components {
		parts[c.Name] = c.Version
	}
	for _, m := range info.Deps {
		if parts[m.Path] != m.Version {
			t.Errorf("%s: %s is %q in the bill, %s in the binary", b.platform, m.Path, parts[m.Path], m.Version)
		}
	}
	if parts["std"] != strings.TrimPrefix(info.GoVersion, "go") || parts[rootsModule] == "" || len(parts) != len(info.Deps)+2 {
		t.Errorf("%s: %d parts, Go %q, roots %q", b.platform, len(parts), parts["std"], parts[rootsModule])
	}
	if parts["k8s.io/client-go"] == "" {
		t.Errorf("%s: no client-go in the bill, so it is not the binary's", b.platform)
	}
}

// schemaFaults is what the specification's schema finds wrong.
func schemaFaults(t *testing.T, data []byte) []string {
	t.Helper()
	dir, err := run(".", nil, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go")
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string) gojsonschema.JSONLoader {
		return gojsonschema.NewReferenceLoader("file://" + filepath.ToSlash(filepath.Join(strings.TrimSpace(dir), "schema", name)))
	}
	// What the schema refers to by addresses in the network is beside it.
	loader := gojsonschema.NewSchemaLoader()
	if err := loader.AddSchemas(file("spdx.schema.json"), file("jsf-0.82.schemax.json")); err != nil {
		t.Fatal(err)
	}
	schema, err := loader.Compile(file("bom-1.6.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	result, err := schema.Validate(gojsonschema.NewBytesLoader(data))
	if err != nil {
		t.Fatal(err)
	}
	var faults []string
	for _, e := range result.Errors() {
		faults = append(faults, e.String())
	}
	return faults
}

// A bill that cannot say what it is meant to say is an error.
func TestFaultyBOM(t *testing.T) {
	r, all := mustMake(t)
	if _, err := r.source.bom(all[0].platform, []byte("no program"), &debug.BuildInfo{}); err == nil || !strings.Contains(err.Error(), "says nothing") {
		t.Errorf("no program: %v", err)
	}
	if _, err := r.source.bom(all[0].platform, all[0].binary, &debug.BuildInfo{}); err == nil || !strings.Contains(err.Error(), rootsModule) {
		t.Errorf("no roots: %v", err)
	}
	data, err := r.source.sbom(all[0].platform, all[0].binary)
	if err != nil {
		t.Fatal(err)
	}
	if faults := schemaFaults(t, bytes.Replace(data, []byte(`"library"`), []byte(`"book"`), 1)); len(faults) == 0 {
		t.Error("the schema takes a part that is a book")
	}
	var plain map[string]any
	if err := json.Unmarshal(data, &plain); err != nil {
		t.Fatal(err)
	}
	if plain["specVersion"] != "1.6" || !strings.HasPrefix(plain["serialNumber"].(string), "urn:uuid:") {
		t.Errorf("%v %v", plain["specVersion"], plain["serialNumber"])
	}
}
