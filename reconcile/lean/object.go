package lean

import (
	"bytes"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/jsonscan"
)

// ours is the prefix of the annotations that are kept.
const ours = "mote.example.com/"

// glance reads one object.
func glance(s *jsonscan.Scanner) (map[string]any, error) {
	o := map[string]any{}
	err := s.Object(func(key []byte) (err error) {
		switch string(key) {
		case "apiVersion", "kind":
			o[string(key)], _, err = s.Scalar()
		case "metadata":
			o[string(key)], err = metadata(s)
		case "status":
			o[string(key)], err = scalars(s)
		default:
			err = s.Skip()
		}
		return err
	})
	return o, err
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

// list reads a list of objects into out.
func list(s *jsonscan.Scanner, out *unstructured.UnstructuredList) error {
	out.Object = map[string]any{}
	return s.Object(func(key []byte) (err error) {
		switch string(key) {
		case "apiVersion", "kind":
			out.Object[string(key)], _, err = s.Scalar()
		case "metadata":
			out.Object[string(key)], err = scalars(s)
		case "items":
			err = s.Array(func() error {
				o, err := glance(s)
				out.Items = append(out.Items, unstructured.Unstructured{Object: o})
				return err
			})
		default:
			err = s.Skip()
		}
		return err
	})
}
