package k3s

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"example.com/mote/crd"
)

// File is one manifest.
type File struct {
	// Name is one that k3s takes: it ends in .yaml and has no '_'. By their names,
	// files come in the order in which they are to be applied.
	Name string
	Data []byte
}

//go:embed controller.yaml
var controller string

//go:embed samples/postgresdb.yaml
var samplePostgresDB []byte

//go:embed samples/myapp.yaml
var sampleMyApp []byte

// Files are the manifests of one Mote: the CustomResourceDefinitions, which several
// Motes share, and the controller. They are apart because what is taken out of a file
// k3s removes from the cluster, and a CustomResourceDefinition takes all objects with it.
func Files(o Options) ([]File, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	return []File{
		{"mote-0-crds.yaml", crd.All()},
		{"mote-1-" + o.Name + ".yaml", o.controller()},
	}, nil
}

// Samples are a database and an app. They are no part of Files: what lies in k3s's
// folder is applied, and a database costs money.
func Samples() File {
	return File{"mote-samples.yaml", []byte(string(samplePostgresDB) + "---\n" + string(sampleMyApp))}
}

// controller is the template, filled in.
func (o Options) controller() []byte {
	o.Args = append([]string{"--listen-address=:8080"}, o.Args...)
	return []byte(strings.NewReplacer(
		"@namespace-manifest@", o.namespaceManifest(),
		"@cluster-name@", o.clusterName(),
		"@namespace@", o.Namespace,
		"@name@", o.Name,
		"@version@", o.Version,
		"@image@", o.Image,
		"@labels@\n", labels("  ", o),
		"@pod-labels@\n", labels("      ", o),
		"@roles@", o.roles(),
		"@args@\n", o.args(),
		"@env@", o.env(),
		"@grace@", o.Grace.String(),
		// The listener's end and the Lease's release come after the turns.
		"@stop-seconds@", strconv.Itoa(int(math.Ceil(o.Grace.Seconds()))+int(afterTurns.Seconds())),
	).Replace(controller))
}

// afterTurns is what a stop may take beside its turns.
const afterTurns = 15 * time.Second

func labels(indent string, o Options) string {
	b := indent + "labels:\n"
	add := func(name, value string) { b += fmt.Sprintf("%s  app.kubernetes.io/%s: %q\n", indent, name, value) }
	add("name", "mote")
	add("instance", o.Name)
	add("component", "controller")
	if o.Version != "" && len(validation.IsValidLabelValue(o.Version)) == 0 {
		add("version", o.Version)
	}
	return b
}

func (o Options) namespaceManifest() string {
	if !o.ownNamespace() {
		return ""
	}
	return `---
apiVersion: v1
kind: Namespace
metadata:
  name: ` + o.Namespace + `
  labels:
    pod-security.kubernetes.io/enforce: restricted
    pod-security.kubernetes.io/warn: restricted
`
}

func (o Options) args() string {
	const indent = "            - "
	b := indent + "run\n"
	for _, a := range o.Args {
		b += indent + strconv.Quote(a) + "\n"
	}
	return b
}

// env are the cloud's keys from a Secret, which the kubelet reads: Mote has no right to.
func (o Options) env() string {
	if o.EnvSecret == "" {
		return ""
	}
	b := "          env:\n"
	for _, v := range []struct{ name, key, more string }{
		{"TENCENTCLOUD_SECRET_ID", "secret-id", ""}, {"TENCENTCLOUD_SECRET_KEY", "secret-key", ""}, {"TENCENTCLOUD_TOKEN", "token", ", optional: true"},
	} {
		b += fmt.Sprintf("            - name: %s\n              valueFrom: {secretKeyRef: {name: %s, key: %s%s}}\n", v.name, o.EnvSecret, v.key, v.more)
	}
	return b
}
