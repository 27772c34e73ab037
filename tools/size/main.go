// Command size tells what the binary's size consists of: it builds it with its
// symbols, adds them up by package, and writes the tables between two markers of
// docs/size.md. With -print it writes to standard output instead.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	root := flag.String("root", "..", "top of the tree")
	show := flag.Bool("print", false, "print the tables, and change no file")
	flag.Parse()
	if err := size(*root, *show); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

func size(root string, show bool) error {
	top, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "size-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	named := filepath.Join(dir, "named")
	stripped := filepath.Join(dir, "stripped")
	// The same program twice: as it is delivered, and with the names of its parts.
	for file, strip := range map[string]string{named: "STRIP=", stripped: "STRIP=-s -w"} {
		cmd := exec.Command("make", "-s", "build", "MOTE="+file, strip)
		cmd.Dir = top
		cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool {
			return strings.HasPrefix(kv, "MAKE") || strings.HasPrefix(kv, "MFLAGS=")
		}), "GOOS=linux", "GOARCH=amd64")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("make build: %w\n%s", err, out)
		}
	}
	info, err := os.Stat(stripped)
	if err != nil {
		return err
	}
	m, err := measure(named)
	if err != nil {
		return err
	}
	text := m.tables(info.Size())
	if show {
		fmt.Print(text)
		return nil
	}
	doc := filepath.Join(top, "docs", "size.md")
	old, err := os.ReadFile(doc)
	if err != nil {
		return err
	}
	changed, err := between(string(old), text)
	if err != nil {
		return fmt.Errorf("%s: %w", doc, err)
	}
	return os.WriteFile(doc, []byte(changed), 0o644)
}

// The lines between which the tables stand.
const (
	begin = "<!-- written by make size: begin -->\n"
	end   = "<!-- written by make size: end -->\n"
)

// between puts text between the markers of a document.
func between(doc, text string) (string, error) {
	head, rest, ok := strings.Cut(doc, begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", fmt.Errorf("the markers %q and %q are wanted, in this order", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return head + begin + text + end + tail, nil
}
