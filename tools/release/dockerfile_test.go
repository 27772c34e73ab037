package main

import (
	"bytes"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instruction is one line of a Dockerfile, its continuations joined.
type instruction struct{ name, rest string }

// instructions reads a Dockerfile, as far as ours goes: no heredocs, no directives.
func instructions(t *testing.T) []instruction {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(top, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	var list []instruction
	text := strings.ReplaceAll(string(data), "\\\n", " ")
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, ok := strings.Cut(line, " ")
		if !ok || strings.Contains(rest, "<<") {
			t.Fatalf("this test does not read %q", line)
		}
		list = append(list, instruction{name, strings.TrimSpace(rest)})
	}
	return list
}

// The Dockerfile's own commands, run in a clean copy of what its context would be,
// make the same program and the same roots as `make image` puts in, bit for bit.
func TestDockerfileMakesTheSame(t *testing.T) {
	_, all := mustMake(t)
	list := instructions(t)
	for _, arch := range []string{"amd64", "arm"} {
		b := all[slices.IndexFunc(all, func(b built) bool { return b.platform.arch == arch })]
		t.Run(b.platform.String(), func(t *testing.T) {
			src := copyTree(t)
			for _, name := range ignored(t) {
				if err := os.RemoveAll(filepath.Join(src, name)); err != nil {
					t.Fatal(err)
				}
			}
			ran := 0
			for _, i := range list {
				if i.name != "RUN" {
					continue
				}
				ran++
				cmd := exec.Command("sh", "-c", i.rest)
				cmd.Dir = src
				cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "MAKE") }),
					"TARGETARCH="+b.platform.arch, "TARGETVARIANT="+b.platform.variant, "VERSION=v0.0.0-test")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("RUN %s: %v\n%s", i.rest, err, out)
				}
			}
			if ran == 0 {
				t.Fatal("the Dockerfile runs nothing")
			}
			same(t, filepath.Join(src, "dist/files/mote"), b.binary)
			roots, err := certificates()
			if err != nil {
				t.Fatal(err)
			}
			same(t, filepath.Join(src, "dist/files/etc/ssl/certs/ca-certificates.crt"), roots)
			if block, _ := pem.Decode(roots); block == nil {
				t.Error("the roots are no PEM")
			}
		})
	}
}

func same(t *testing.T, file string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes, which are not the %d of make image", filepath.Base(file), len(got), len(want))
	}
}

// ignored are the top-level names in .dockerignore.
func ignored(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(top, ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			if strings.ContainsAny(line, "*!/") {
				t.Fatalf("this test does not read the pattern %q", line)
			}
			names = append(names, line)
		}
	}
	return names
}

// What the Dockerfile says of the image is what `make image` says, and its base can be chosen.
func TestDockerfileSaysTheSame(t *testing.T) {
	r, all := mustMake(t)
	config, err := all[0].image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	// The last stage is the image.
	last := map[string][]string{}
	args := map[string]bool{}
	for _, i := range instructions(t) {
		if i.name == "ARG" && len(last["FROM"]) == 0 {
			args[i.rest] = true
		}
		if i.name == "FROM" {
			last = map[string][]string{}
		}
		last[i.name] = append(last[i.name], i.rest)
	}
	if !args["BASE=scratch"] || !slices.Equal(last["FROM"], []string{"${BASE}"}) {
		t.Errorf("FROM %q with arguments %v: the base is no argument", last["FROM"], args)
	}
	quoted := func(words []string) string { return `["` + strings.Join(words, `", "`) + `"]` }
	for name, want := range map[string]string{
		"USER": config.Config.User, "WORKDIR": config.Config.WorkingDir,
		"ENTRYPOINT": quoted(config.Config.Entrypoint), "CMD": quoted(config.Config.Cmd),
	} {
		if !slices.Equal(last[name], []string{want}) {
			t.Errorf("%s %q, want %q", name, last[name], want)
		}
	}
	labels := map[string]string{}
	for _, m := range regexp.MustCompile(`(\S+)="([^"]*)"`).FindAllStringSubmatch(strings.Join(last["LABEL"], " "), -1) {
		labels[m[1]] = strings.ReplaceAll(m[2], "${VERSION}", r.source.version)
	}
	for name, want := range r.source.labels() {
		// When and of which commit, a build without the repository does not know.
		if got := labels[name]; got != want && !strings.HasSuffix(name, ".created") && !strings.HasSuffix(name, ".revision") {
			t.Errorf("label %s is %q, want %q", name, got, want)
		}
	}
}
