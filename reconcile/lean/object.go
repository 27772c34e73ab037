package lean

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/jsonscan"
)

// ours is the prefix of the annotations that are kept.
const ours = "mote.example.com/"

// glance reads one object; what is named is read whole.
func glance(s *jsonscan.Scanner, whole ...string) (map[string]any, error) {
	o := map[string]any{}
	err := s.Object(func(key []byte) (err error) {
		switch name := string(key); {
		case slices.Contains(whole, name):
			o[name], err = s.Whole()
		case name == "apiVersion", name == "kind":
			o[name], _, err = s.Scalar()
		case name == "metadata":
			o[name], err = metadata(s)
		case name == "status":
			o[name], err = scalars(s)
		default:
			err = s.Skip()
		}
		return err
	})
	return o, err
}

// Look reads an object but for most of its metadata: a glance with the whole spec and
// status.
func Look(text []byte) (*unstructured.Unstructured, error) { return look(text, "spec", "status") }

// Bare reads an object whole but for its managedFields.
func Bare(text []byte) (*unstructured.Unstructured, error) { return one(text, bare) }

// look reads the one object of a text, and those parts of it whole.
func look(text []byte, whole ...string) (*unstructured.Unstructured, error) {
	return one(text, func(s *jsonscan.Scanner) (map[string]any, error) { return glance(s, whole...) })
}

// one reads the one object of a text.
func one(text []byte, read reader) (*unstructured.Unstructured, error) {
	s := jsonscan.New(text)
	o, err := read(s)
	if err == nil {
		err = s.End()
	}
	if err != nil {
		return nil, fmt.Errorf("read an object: %w", err)
	}
	return &unstructured.Unstructured{Object: o}, nil
}

// metadata reads an object's metadata without what only people and the server read.
func metadata(s *jsonscan.Scanner) (map[string]any, error) {
	m := map[string]any{}
	err := s.Object(func(key []byte) (err error) {
		switch string(key) {
		case "name", "namespace", "uid", "resourceVersion", "generation", "deletionTimestamp", "creationTimestamp":
			var ok bool
			var v any
			if v, ok, err = s.Scalar(); ok {
				m[string(key)] = v
			}
		case "finalizers", "ownerReferences":
			m[string(key)], err = s.Whole()
		case "annotations":
			a := map[string]any{}
			if err = s.Object(func(key []byte) (err error) {
				if !bytes.HasPrefix(key, []byte(ours)) && string(key) != initialEventsEnd {
					return s.Skip()
				}
				a[string(key)], err = s.Text()
				return err
			}); len(a) > 0 {
				m[string(key)] = a
			}
		default:
			err = s.Skip()
		}
		return err
	})
	return m, err
}

// initialEventsEnd marks the bookmark that ends a streamed list.
const initialEventsEnd = "k8s.io/initial-events-end"

// scalars reads the scalars of an object and drops what is nested. What is no
// object (the status of a Status is a word) is dropped whole.
func scalars(s *jsonscan.Scanner) (map[string]any, error) {
	m := map[string]any{}
	if c, err := s.Peek(); err == nil && c != '{' {
		return m, s.Skip()
	}
	err := s.Object(func(key []byte) error {
		v, ok, err := s.Scalar()
		if ok {
			m[string(key)] = v
		}
		return err
	})
	return m, err
}

// bare reads one object, whole but for its managedFields.
func bare(s *jsonscan.Scanner) (map[string]any, error) {
	o := map[string]any{}
	err := s.Object(func(key []byte) (err error) {
		if string(key) != "metadata" {
			o[string(key)], err = s.Whole()
			return err
		}
		m := map[string]any{}
		o["metadata"] = m
		return s.Object(func(key []byte) (err error) {
			if string(key) == "managedFields" {
				return s.Skip()
			}
			m[string(key)], err = s.Whole()
			return err
		})
	})
	return o, err
}

// list reads a list of objects into out. The API server's own kinds come without
// apiVersion and kind, which the list has for all.
func list(s *jsonscan.Scanner, read reader, out *unstructured.UnstructuredList) error {
	out.Object = map[string]any{}
	defer func() {
		kind, isList := strings.CutSuffix(out.GetKind(), "List")
		for i := range out.Items {
			if o := out.Items[i].Object; isList && o["kind"] == nil {
				o["kind"], o["apiVersion"] = kind, out.GetAPIVersion()
			}
		}
	}()
	return s.Object(func(key []byte) (err error) {
		switch string(key) {
		case "apiVersion", "kind":
			out.Object[string(key)], _, err = s.Scalar()
		case "metadata":
			out.Object[string(key)], err = scalars(s)
		case "items":
			err = s.Array(func() error {
				o, err := read(s)
				out.Items = append(out.Items, unstructured.Unstructured{Object: o})
				return err
			})
		default:
			err = s.Skip()
		}
		return err
	})
}
