// Command release makes what is delivered from the binaries of `make build`: the
// container image for each platform, and the bundles for nodes without internet.
// Nothing it writes depends on when or on which machine it runs: the same commit
// and the same Go give the same bytes. It needs no container engine and no network
// beyond that of `go build`.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const usage = `usage: release [flags] image|airgap|all
       release certificates

  image    DIST/image: an OCI layout with a multi-arch index
  airgap   DIST/mote-airgap-ARCH.tar.zst: what a k3s node without internet needs
  all      both, and DIST/SHA256SUMS

  certificates  prints the roots that the image trusts
`

func main() {
	if err := command(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// command makes what the arguments ask for, and says on w what it made.
func command(args []string, w io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(flags.Output(), usage); flags.PrintDefaults() }
	root := flags.String("root", "..", "top of the tree")
	version := flags.String("version", "", "what the binary says of itself, and the image's tag (default: git's)")
	name := flags.String("image", "example.com/mote", "the image's name without a tag")
	dist := flags.String("dist", "", "where to write (default: ROOT/dist)")
	only := flags.String("arch", "", "architectures, with commas between (default: all)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("one of image, airgap, all and certificates has to be asked for\n%s", usage)
	}
	if flags.Arg(0) == "certificates" {
		roots, err := certificates()
		if err != nil {
			return err
		}
		_, err = w.Write(roots)
		return err
	}
	top, err := filepath.Abs(*root)
	if err != nil {
		return err
	}
	src, err := readSource(top, *version)
	if err != nil {
		return err
	}
	tag, err := reference(*name, src.version)
	if err != nil {
		return err
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	out := *dist
	if out == "" {
		out = filepath.Join(top, "dist")
	}
	r := release{source: src, ref: tag, dist: out, log: w}
	switch what := flags.Arg(0); what {
	case "image":
		return r.make(chosen, r.image)
	case "airgap":
		return r.make(chosen, r.airgap)
	case "all":
		return r.make(chosen, r.image, r.airgap, r.checksums)
	default:
		return fmt.Errorf("there is no %q\n%s", what, usage)
	}
}

// release is one run: what is made of which source, and where it goes.
type release struct {
	source source
	ref    string // the image's name and tag, as a Deployment names it
	dist   string
	log    io.Writer
}

// make builds the binaries and the images of the platforms, and runs the steps on them.
func (r release) make(platforms []platform, steps ...func([]built) error) error {
	if err := os.MkdirAll(r.dist, 0o755); err != nil {
		return err
	}
	var all []built
	for _, p := range platforms {
		b, err := r.build(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		fmt.Fprintf(r.log, "%-14s binary %8d bytes, image %7d bytes\n", p, len(b.binary), b.size)
		all = append(all, b)
	}
	for _, step := range steps {
		if err := step(all); err != nil {
			return err
		}
	}
	return nil
}

// reference joins the image's name and the version to one that a registry and
// containerd take.
func reference(name, version string) (string, error) {
	for _, r := range version {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", r) {
			return "", fmt.Errorf("version %q cannot be an image's tag: it has %q", version, r)
		}
	}
	if version == "" || len(version) > 128 || strings.ContainsAny(version[:1], ".-") {
		return "", fmt.Errorf("version %q cannot be an image's tag: 1 to 128 characters, the first no dot or dash", version)
	}
	if name == "" || strings.ContainsAny(name, ":@ ") {
		return "", fmt.Errorf("image name %q: a name without tag or digest is wanted", name)
	}
	return name + ":" + version, nil
}
