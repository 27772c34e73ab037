package command

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/validation"

	"example.com/mote/crd"
	"example.com/mote/k3s"
)

// manifestOptions are all that `mote manifests` can be told.
type manifestOptions struct {
	run   RunOptions
	k3s   k3s.Options
	to    string // a folder; "" is standard output
	only  bool   // samples alone
	given []string
}

// notInManifests are flags of `mote run` that manifests settle themselves, or that
// make no sense in a pod.
var notInManifests = []string{"kubeconfig", "namespace", "credentials-dir", "listen-address", "lease-namespace", "lease-name", "leader-elect"}

// manifestFlags declares the flags of `mote manifests`: its own, and those of `mote
// run` that it passes on.
func manifestFlags(m *manifestOptions) *flag.FlagSet {
	f := flag.NewFlagSet("manifests", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&m.to, "o", "", "`folder` that gets a file for each part, like /var/lib/rancher/k3s/server/manifests (default: all parts on standard output)")
	f.BoolVar(&m.only, "samples", false, "print the samples, a database and an app, and nothing else")
	f.StringVar(&m.k3s.Namespace, "namespace", k3s.DefaultNamespace, "`namespace` that Mote is installed into")
	f.StringVar(&m.k3s.Name, "name", "", "`name` of what is installed (default: mote, or mote-SITE)")
	f.StringVar(&m.k3s.Image, "image", "", "`image` to run (default: "+defaultImage()+")")
	f.StringVar(&m.k3s.EnvSecret, "credentials-env", "", "`name` of a Secret in --namespace that becomes environment variables: Mote needs no right to it, and a change of it needs a restart")
	f.StringVar(&m.run.namespace, "watch-namespace", "", "serve only this `namespace`, with rights in no other; its databases have to be deleted before it is (default: all)")
	runFlags(&m.run).VisitAll(func(x *flag.Flag) {
		if !slices.Contains(notInManifests, x.Name) {
			f.Var(x.Value, x.Name, x.Usage)
		}
	})
	return f
}

// defaultImage is the image of this very version.
func defaultImage() string { return "example.com/mote:" + version }

// parseManifests reads the flags. The environment does not count: what is printed
// depends on the command line alone.
func parseManifests(args []string) (manifestOptions, error) {
	var m manifestOptions
	f := manifestFlags(&m)
	if err := parseFlags(f, args); err != nil {
		return m, err
	}
	empty := ""
	f.Visit(func(x *flag.Flag) {
		m.given = append(m.given, x.Name)
		if x.Value.String() == "" && slices.Contains([]string{"image", "name", "o"}, x.Name) {
			empty = spelled(x.Name)
		}
	})
	if empty != "" {
		return m, errors.New(empty + " is given, but empty")
	}
	if m.run.namespace != "" && len(validation.IsDNS1123Label(m.run.namespace)) > 0 {
		return m, fmt.Errorf("--watch-namespace %q: a namespace is at most 63 lower-case letters, digits and '-'", m.run.namespace)
	}
	m.k3s.Image = cmp.Or(m.k3s.Image, defaultImage())
	m.k3s.Name = cmp.Or(m.k3s.Name, k3s.NameFor(m.run.site))
	m.k3s.Version, m.k3s.Grace = version, m.run.GracePeriod
	if err := m.run.check(); err != nil {
		return m, err
	}
	if err := selectable(m.run.fieldSelector); err != nil {
		return m, err
	}
	if m.k3s.EnvSecret == "" {
		m.run.credentialsSecret = cmp.Or(m.run.credentialsSecret, m.k3s.Namespace+"/mote-credentials")
	}
	m.run.leaseNamespace = m.k3s.Namespace
	m.k3s.Scope = m.run.scope()
	m.k3s.Args = m.args(f)
	return m, m.k3s.Check()
}

// selectable finds fields by which no API server selects both kinds. `mote run` does
// not ask: its cluster may have CustomResourceDefinitions of another version.
func selectable(selector string) error {
	parsed, err := fields.ParseSelector(selector)
	if err != nil {
		return fmt.Errorf("--field-selector %q: %w", selector, err)
	}
	for _, r := range parsed.Requirements() {
		if both := crd.SelectableFields(); !slices.Contains(both, r.Field) {
			return fmt.Errorf("--field-selector %q: no API server selects both kinds by %s (there are %s)", selector, r.Field, strings.Join(both, ", "))
		}
	}
	return nil
}

// args are the flags of `mote run` that the Deployment gets.
func (m *manifestOptions) args(f *flag.FlagSet) []string {
	args := []string{"--lease-namespace=" + m.run.leaseNamespace, "--lease-name=" + m.k3s.Scope.LeaseName}
	if m.run.namespace != "" {
		args = append(args, "--namespace="+m.run.namespace)
	}
	if m.run.credentialsSecret != "" {
		args = append(args, "--credentials-secret="+m.run.credentialsSecret)
	}
	var o RunOptions
	runFlags(&o).VisitAll(func(x *flag.Flag) {
		passed := f.Lookup(x.Name)
		if slices.Contains(m.given, x.Name) && !slices.Contains(notInManifests, x.Name) && x.Name != "credentials-secret" {
			args = append(args, "--"+x.Name+"="+passed.Value.String())
		}
	})
	return args
}

// manifestsUsage lists the flags of `mote manifests`.
func manifestsUsage() string {
	var m manifestOptions
	theirs := runFlags(&RunOptions{})
	own := func(name string) bool { return name == "namespace" || theirs.Lookup(name) == nil }
	return "Usage: mote manifests [flags]\n\nPrints what installs Mote into a cluster, with exactly the rights that it uses: the\n" +
		"CustomResourceDefinitions, then the controller. The environment has no part in it.\n\n" + listed(manifestFlags(&m), own, "Flags of `mote run`, which are passed on to it:")
}

// manifests prints the manifests, or writes them into a folder. The output itself
// keeps its errors.
func manifests(m manifestOptions, stdout io.Writer) error {
	files, err := k3s.Files(m.k3s)
	if err != nil {
		return err
	}
	if m.only {
		files = []k3s.File{k3s.Samples()}
	}
	if m.to != "" {
		for _, file := range files {
			if err := replaceFile(m.to, file); err != nil {
				return err
			}
			fmt.Fprintln(stdout, filepath.Join(m.to, file.Name))
		}
		return nil
	}
	for i, file := range files {
		if i > 0 {
			fmt.Fprintln(stdout, "---")
		}
		stdout.Write(file.Data)
	}
	return nil
}

// replaceFile writes a file as a whole or not at all: k3s looks into its folder at
// any time, and takes half a file for one from which the rest was removed.
func replaceFile(folder string, f k3s.File) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	half, err := os.CreateTemp(folder, ".mote-*.tmp") // k3s takes .yaml, .yml and .json
	if err != nil {
		return err
	}
	_, err = half.Write(f.Data)
	err = errors.Join(err, half.Chmod(0o644), half.Sync(), half.Close())
	if err == nil {
		err = os.Rename(half.Name(), filepath.Join(folder, f.Name))
	}
	if err != nil {
		os.Remove(half.Name())
	}
	return err
}

// manifestsCommand is mote manifests.
func manifestsCommand(_ context.Context, args []string, s surroundings) int {
	m, err := parseManifests(args)
	if err == errHelp {
		fmt.Fprint(s.stdout, manifestsUsage())
		return exitOK
	}
	if err != nil {
		return refuse(s.stderr, "manifests", err)
	}
	manifestFlags(&manifestOptions{}).VisitAll(func(x *flag.Flag) {
		if s.env(envName(x.Name)) != "" {
			fmt.Fprintf(s.stderr, "mote: note: %s has no part in manifests; what counts is --%s\n", envName(x.Name), x.Name)
		}
	})
	if err := manifests(m, s.stdout); err != nil {
		fmt.Fprintf(s.stderr, "mote: %v\n", err)
		return exitError
	}
	return exitOK
}
