package bed

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"example.com/mote/testbed/artifact"
)

// Prepare makes a bed for the programs of the tree, and builds what is missing of
// them; say is told each step. What is tested stays the same, even if the tree is
// built again meanwhile.
func Prepare(ctx context.Context, say func(string)) (*Bed, error) {
	root, err := artifact.Root()
	if err != nil {
		return nil, err
	}
	say("looking for the control plane")
	paths, err := artifact.ControlPlane(ctx, root, os.Stderr)
	if err != nil {
		return nil, err
	}
	say("building mote and the cloud's stand-in")
	built, err := artifact.Mote(ctx, root)
	if err != nil {
		return nil, err
	}
	b, err := New(paths)
	if err != nil {
		return nil, err
	}
	if b.Paths.Mote, err = copied(built.Mote, b.Dir); err == nil {
		b.Paths.Standin, err = copied(built.Standin, b.Dir)
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// PrepareServer makes a bed for the control plane alone.
func PrepareServer(ctx context.Context) (*Bed, error) {
	root, err := artifact.Root()
	if err != nil {
		return nil, err
	}
	paths, err := artifact.ControlPlane(ctx, root, os.Stderr)
	if err != nil {
		return nil, err
	}
	return New(paths)
}

// copied puts a copy of a program into a folder.
func copied(program, dir string) (string, error) {
	data, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	to := filepath.Join(dir, filepath.Base(program))
	return to, os.WriteFile(to, data, 0o755)
}

// InstallCRDs does what the README says: mote crds | kubectl apply -f -.
func (b *Bed) InstallCRDs(ctx context.Context) error {
	crds := exec.CommandContext(ctx, b.Paths.Mote, "crds")
	var complaint bytes.Buffer
	crds.Stderr = &complaint
	out, err := crds.Output()
	if err != nil {
		return fmt.Errorf("mote crds: %w: %s", err, complaint.String())
	}
	if _, err := b.Kubectl(ctx, string(out), "apply", "-f", "-"); err != nil {
		return err
	}
	_, err = b.Kubectl(ctx, "", "wait", "--for=condition=Established", "--timeout=60s",
		"crd/postgresdbs.database.example.com", "crd/myapps.example.com")
	return err
}
