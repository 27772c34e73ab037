package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// Document is one object of a file, or why there is none.
type Document struct {
	File   string // "-" for standard input
	Number int    // within its file; the first is 1. All items of a List have the List's
	Object map[string]any
	Err    error
}

// mostBytes is the largest file that is read: no manifest is nearly as large.
const mostBytes = 64 << 20

// Read reads what the paths name: files, folders (their *.yaml, *.yml and *.json, not
// what is in folders below), and "-". What cannot be read is a Document with an error,
// and the rest is read all the same. Empty documents are left out; a path that has
// nothing else is an error, as what should have filled it may have failed.
func Read(stdin io.Reader, paths ...string) (all []Document) {
	for _, path := range paths {
		before := len(all)
		if path == "-" {
			if all = append(all, read(path, stdin)...); len(all) == before {
				all = append(all, Document{File: path, Err: errors.New("standard input has no manifest")})
			}
			continue
		}
		files, err := filesOf(path)
		if err != nil {
			all = append(all, Document{File: path, Err: nameless(err)})
		}
		for _, name := range files {
			f, err := os.Open(name)
			if err != nil {
				all = append(all, Document{File: name, Err: nameless(err)})
				continue
			}
			all = append(all, read(name, f)...)
			f.Close()
		}
		if len(all) == before {
			all = append(all, Document{File: path, Err: errors.New("there is no manifest in it")})
		}
	}
	return all
}

// nameless is an error without the name of the file, which its Document has.
func nameless(err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err
	}
	return err
}

func filesOf(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, errors.New("this folder has no *.yaml, *.yml or *.json")
	}
	return files, nil
}

func read(name string, r io.Reader) (all []Document) {
	data, err := io.ReadAll(io.LimitReader(r, mostBytes+1))
	if err == nil && len(data) > mostBytes {
		err = fmt.Errorf("it has more than %d MiB", mostBytes>>20)
	}
	if err != nil {
		return []Document{{File: name, Err: err}}
	}
	for n, text := range split(data) {
		d := Document{File: name, Number: n + 1}
		object, err := decode(text)
		switch {
		case err != nil:
			d.Err = err
		case object == nil:
			continue
		case strings.HasSuffix(fmt.Sprint(object["kind"]), "List") && object["items"] != nil:
			items, _ := object["items"].([]any)
			for _, i := range items {
				one := Document{File: name, Number: n + 1}
				if one.Object, _ = i.(map[string]any); one.Object == nil {
					one.Err = fmt.Errorf("an item of the list is no object")
				}
				all = append(all, one)
			}
			continue
		}
		d.Object = object
		all = append(all, d)
	}
	return all
}

// split cuts a stream at its lines of three dashes.
func split(data []byte) (all [][]byte) {
	var one []byte
	for line := range bytes.Lines(data) {
		text := bytes.TrimRight(line, " \t\r\n")
		if bytes.Equal(text, []byte("---")) || bytes.HasPrefix(text, []byte("--- ")) {
			if len(all) > 0 || says(one) { // comments before the first are no document
				all = append(all, one)
			}
			one = []byte{}
			continue
		}
		one = append(one, line...)
	}
	return append(all, one)
}

// says tells whether a text has more than comments.
func says(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return true
		}
	}
	return false
}

// decode reads one document; nil: it is empty. A field that is there twice is refused.
func decode(text []byte) (map[string]any, error) {
	data, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %s", strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", " "))
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	object, ok := v.(map[string]any)
	if v != nil && !ok {
		return nil, fmt.Errorf("it is no object, but %T", v)
	}
	return object, nil
}
