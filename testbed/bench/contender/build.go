package contender

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build builds all programs but Mote, which is given; that in Rust, which takes
// minutes the first time, only if it is wanted. say is told what goes on, also which
// contender is left out and why.
func Build(ctx context.Context, root, mote string, rust bool, say func(string)) (Programs, error) {
	p := Programs{Mote: mote}
	cache, err := os.UserCacheDir()
	if err != nil {
		return p, fmt.Errorf("no cache folder for the peers: %w", err)
	}
	dir := filepath.Join(cache, "mote-testbed", "bench")
	bench := filepath.Join(root, "testbed", "bench")
	for _, b := range []struct {
		path        *string
		name, where string
		pkg         string
	}{
		{&p.ControllerRuntime, "controller-runtime-peer", filepath.Join(bench, "peers", "controller-runtime"), "."},
		{&p.List, "list", bench, "./floor/list"},
		{&p.Empty, "empty", bench, "./floor/empty"},
	} {
		say("building " + b.name)
		*b.path = filepath.Join(dir, b.name)
		c := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o", *b.path, b.pkg)
		c.Dir, c.Env = b.where, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
		if out, err := c.CombinedOutput(); err != nil {
			return p, fmt.Errorf("build %s: %w\n%s", b.name, err, out)
		}
	}
	if !rust {
		return p, nil
	}
	p.KubeRS, err = buildKubeRS(ctx, filepath.Join(bench, "peers", "kube-rs"), filepath.Join(cache, "mote-testbed", "kube-rs"), say)
	return p, err
}

// buildKubeRS builds the peer in Rust; "" when there is no cargo.
func buildKubeRS(ctx context.Context, source, target string, say func(string)) (string, error) {
	if _, err := exec.LookPath("cargo"); errors.Is(err, exec.ErrNotFound) {
		say("kube-rs is left out: there is no cargo on this machine (install Rust and run again)")
		return "", nil
	}
	say("building kube-rs-peer")
	c := exec.CommandContext(ctx, "cargo", "build", "--release", "--locked", "--target-dir", target)
	c.Dir = source
	out, err := c.StderrPipe()
	if err != nil {
		return "", err
	}
	if err := c.Start(); err != nil {
		return "", fmt.Errorf("build kube-rs-peer: %w", err)
	}
	compiled := 0
	var tail []string
	for s := bufio.NewScanner(out); s.Scan(); {
		if strings.Contains(s.Text(), "Compiling") {
			compiled++
			say(fmt.Sprintf("building kube-rs-peer, once: %d crates of some 190 (some 5 minutes on two cores, then kept)", compiled))
		}
		if tail = append(tail, s.Text()); len(tail) > 25 {
			tail = tail[1:]
		}
	}
	if err := c.Wait(); err != nil {
		return "", fmt.Errorf("build kube-rs-peer: %w\n%s", err, strings.Join(tail, "\n"))
	}
	return filepath.Join(target, "release", "kube-rs-peer"), nil
}
