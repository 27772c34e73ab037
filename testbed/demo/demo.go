package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"example.com/mote/testbed/bed"
)

// demo is the bed with the samples in it.
type demo struct {
	bed       *bed.Bed
	root      string
	namespace string
	shared    bool // the cluster is somebody's own: leave it as it was
	out       io.Writer
	screen    *screen
	mote      *bed.Process
}

func (d *demo) samples() string { return filepath.Join(d.root, "k3s", "samples") }

// install puts the CRDs, and a namespace on a shared cluster.
func (d *demo) install(ctx context.Context) error {
	for _, f := range []string{"database.example.com_postgresdbs.yaml", "example.com_myapps.yaml"} {
		if _, err := d.bed.Kubectl(ctx, "", "apply", "-f", filepath.Join(d.root, "crd", f)); err != nil {
			return err
		}
	}
	if _, err := d.bed.Kubectl(ctx, "", "wait", "--for=condition=Established", "--timeout=30s",
		"crd/postgresdbs.database.example.com", "crd/myapps.example.com"); err != nil {
		return err
	}
	if !d.shared {
		return nil
	}
	if out, err := d.bed.Kubectl(ctx, "", "create", "namespace", d.namespace); err != nil && !strings.Contains(err.Error(), "AlreadyExists") && !strings.Contains(err.Error(), "already exists") {
		return fmt.Errorf("%w %s", err, out)
	}
	return nil
}

func (d *demo) apply(ctx context.Context) error {
	_, err := d.bed.Kubectl(ctx, "", "apply", "-n", d.namespace, "-f", d.samples())
	return err
}

// until shows the table until enough is reached, or a limit for all but Ctrl-C.
func (d *demo) until(ctx context.Context, what string, enough func([]row) bool) error {
	client, err := d.bed.Client()
	if err != nil {
		return err
	}
	limit := time.Now().Add(stageLimit)
	for {
		rows, err := table(ctx, client, d.namespace, time.Now())
		note, fatal := judge(err)
		if fatal != nil && ctx.Err() == nil {
			return fatal
		}
		if ctx.Err() == nil {
			if err == nil || apierrors.IsNotFound(err) {
				d.screen.show(rows)
			}
			d.screen.note(note)
			if err == nil && enough(rows) {
				return nil
			}
		}
		if what != "Ctrl-C" && time.Now().After(limit) {
			return fmt.Errorf("waited %s for %s; mote's last words:\n%s", stageLimit, what, lastLines(d.mote.Output(), 8))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-d.mote.Done():
			return fmt.Errorf("mote ended: %v\n%s", d.mote.Err(), lastLines(d.mote.Output(), 8))
		case <-time.After(400 * time.Millisecond):
		}
	}
}

// judge tells what goes by, with a note, from what ends the demo: somebody may follow
// docs/install.md against it, the part about uninstalling too.
func judge(err error) (note string, fatal error) {
	switch {
	case err == nil:
		return "", nil
	case apierrors.IsNotFound(err):
		return "A CustomResourceDefinition is gone from the cluster, and all its objects with it; waiting for it to come back.", nil
	case apierrors.IsTooManyRequests(err), apierrors.IsServiceUnavailable(err): // while they come and go
		return "The API server asks for patience: " + err.Error(), nil
	}
	return "", fmt.Errorf("read the objects: %w", err)
}

// cleanAfter tidies a shared cluster up, also when the demo was interrupted or
// went wrong: mote has to run for that, and the stand-in's instances mean nothing.
func (d *demo) cleanAfter(err error) error {
	if !d.shared {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), stageLimit)
	defer cancel()
	fmt.Fprintf(d.out, "taking the samples and namespace %s out of the cluster ...\n", d.namespace)
	_, cleaned := d.bed.Kubectl(ctx, "", "delete", "-n", d.namespace, "-f", d.samples(), "--ignore-not-found", "--timeout=60s")
	if cleaned == nil {
		_, cleaned = d.bed.Kubectl(ctx, "", "delete", "namespace", d.namespace, "--ignore-not-found", "--timeout=60s")
	}
	if cleaned == nil {
		fmt.Fprintln(d.out, "The CRDs stay; take them out with: kubectl delete crd postgresdbs.database.example.com myapps.example.com")
	}
	return errors.Join(err, cleaned)
}

// clean deletes both samples and proves that nothing is left: no instance that is
// billed, no child of either.
func (d *demo) clean(ctx context.Context) error {
	fmt.Fprintln(d.out, "Deleting both.")
	if _, err := d.bed.Kubectl(ctx, "", "delete", "-n", d.namespace, "-f", d.samples(), "--wait=false"); err != nil {
		return err
	}
	if err := d.until(ctx, "both to be gone", func(rows []row) bool { return len(rows) == 0 }); err != nil {
		return d.cleanAfter(err)
	}
	ledger, err := d.bed.Cloud().Ledger(ctx)
	if err != nil {
		return err
	}
	for _, e := range ledger {
		if e.Billed {
			return d.cleanAfter(fmt.Errorf("instance %s is still billed (%s)", e.ID, e.Status))
		}
	}
	if len(ledger) != 1 {
		return d.cleanAfter(fmt.Errorf("%d instances were bought for one object", len(ledger)))
	}
	if err := d.childrenGone(ctx); err != nil {
		return d.cleanAfter(err)
	}
	fmt.Fprintln(d.out, "Nothing is left: 1 instance was bought, none is billed, all children are gone.")
	return d.cleanAfter(nil)
}

// childrenGone waits for the garbage collector.
func (d *demo) childrenGone(ctx context.Context) error {
	const kinds = "deployments,replicasets,pods,services,configmaps,secrets"
	left := ""
	for limit := time.Now().Add(90 * time.Second); time.Now().Before(limit); {
		out, err := d.bed.Kubectl(ctx, "", "get", kinds, "-n", d.namespace, "-l", "app.kubernetes.io/managed-by=mote", "-o", "name")
		if err != nil {
			return err
		}
		if left = strings.TrimSpace(strings.ReplaceAll(out, "No resources found in "+d.namespace+" namespace.", "")); left == "" {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
	return fmt.Errorf("still there after both owners went: %s", strings.ReplaceAll(left, "\n", ", "))
}

// hints are things to try while it stays.
func (d *demo) hints() {
	n := ""
	if d.namespace != "default" {
		n = " -n " + d.namespace
	}
	fmt.Fprintf(d.out, `
It stays until Ctrl-C. In another terminal:

  export KUBECONFIG=%s
  alias kubectl=%s
  kubectl get pgdb,mapp -o wide%[3]s
  kubectl describe pgdb orders%[3]s
  kubectl scale mapp shop --replicas=5%[3]s
  kubectl patch pgdb orders --type=merge -p '{"spec":{"storageGB":200}}'%[3]s
  kubectl get secret orders-connection -o jsonpath='{.data.uri}'%[3]s | base64 -d
  kubectl delete deployment shop%[3]s             # it comes back
  curl -s %s/_standin/ledger        # what the cloud has sold
  tail -f %s

`, d.bed.Kubeconfig, d.bed.Paths.Kubectl, n, d.bed.CloudURL, d.mote.Log)
	d.screen.drawn = 0 // the table goes on below
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return "  " + strings.Join(lines[max(0, len(lines)-n):], "\n  ")
}
