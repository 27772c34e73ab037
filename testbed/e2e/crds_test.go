package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"

	"example.com/mote/testbed/bed"
)

// installCRDs does what the README says: mote crds | kubectl apply -f -.
func installCRDs(ctx context.Context, b *bed.Bed) error {
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
