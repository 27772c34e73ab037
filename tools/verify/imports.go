package main

import (
	"fmt"
	"strings"
)

// sdk is the cloud's SDK, of which only the package common may be used.
const sdk = "github.com/tencentcloud/tencentcloud-sdk-go/tencentcloud"

// ban is a package, with all below it, that the product may not import.
// Sizes are of a stripped linux/amd64 binary that has nothing but client-go's
// rest and dynamic clients (10.8 MB) and the package in question.
type ban struct {
	path, reason string
	except       string // what below path is allowed, with all below it
}

var bans = []ban{
	{path: "k8s.io/api", reason: "14.4 MB instead of 10.8 with apps/v1 alone; write Deployment, Service, Lease and Event as small maps or structs"},
	{path: "k8s.io/client-go/kubernetes", reason: "23.5 MB instead of 10.8 for its scheme alone; use the dynamic client"},
	{path: "k8s.io/client-go/tools/leaderelection", reason: "26.7 MB instead of 10.8; the Lease goes through the dynamic client"},
	{path: "k8s.io/client-go/informers", reason: "an informer holds every object, 8.7 kB a piece; a key with a few numbers takes 80-95 bytes"},
	{path: "k8s.io/client-go/tools/cache", reason: "it holds every object, 8.7 kB a piece; a key with a few numbers takes 80-95 bytes"},
	{path: "sigs.k8s.io/controller-runtime", reason: "it holds every object, 8.7 kB a piece, and brings the clientset's scheme, 23.5 MB instead of 10.8"},
	{path: "github.com/prometheus/client_golang", reason: "13.6 MB instead of 10.8 for promhttp; the text format takes a few lines"},
	{path: "google.golang.org/grpc", reason: "nothing in Mote speaks gRPC (size not measured)"},
	{path: "github.com/spf13/cobra", reason: "the standard library's flag parses what Mote has (size not measured)"},
	{path: sdk, except: sdk + "/common", reason: "of the SDK only common is used, 0.3-0.4 MB; requests of our own types go through common.Client.Send"},
	{path: "k8s.io/apiserver", reason: "a server's code has no place in a client (size not measured)"},
	{path: "k8s.io/apiextensions-apiserver", reason: "CRDs are generated and embedded as YAML (size not measured)"},
	{path: standin, reason: "the stand-in of the cloud is for tests and the demo"},
	{path: "testing", reason: "test code has reached the product"},
}

// noForbiddenImports: the product, as built for linux, imports nothing that is banned.
func noForbiddenImports(t tree) error {
	deps, err := t.packages(".", []string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"}, "-deps", ".")
	if err != nil {
		return err
	}
	if found := forbidden(deps); len(found) > 0 {
		return fmt.Errorf("%s\nfix: `go mod why -m MODULE` or `go list -deps -f '{{.ImportPath}}: {{.Imports}}' .` shows who imports it",
			strings.Join(found, "\n"))
	}
	return nil
}

// forbidden lists the banned ones among packages, each with the reason.
func forbidden(packages []string) []string {
	var found []string
	for _, p := range packages {
		for _, b := range bans {
			if within(p, b.path) && (b.except == "" || !within(p, b.except)) {
				found = append(found, p+": "+b.reason)
			}
		}
	}
	return found
}

// within tells whether a package is the one at path or below it.
func within(pkg, path string) bool {
	return pkg == path || strings.HasPrefix(pkg, path+"/")
}
