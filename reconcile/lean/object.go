package lean

import (
	"bytes"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ours is the prefix of the annotations that are kept.
const ours = "mote.example.com/"

// glance reads one object.
func glance(s *scanner) (map[string]any, error) {
	o := map[string]any{}
	err := s.object(func(key []byte) (err error) {
		switch string(key) {
		case "apiVersion", "kind":
			o[string(key)], _, err = s.scalar()
		case "metadata":
			o[string(key)], err = metadata(s)
		case "status":
			o[string(key)], err = scalars(s)
		default:
			err = s.skip()
		}
		return err
	})
	return o, err
}

// metadata reads an object's metadata without what only people and the server read.
func metadata(s *scanner) (map[string]any, error) {
	m := map[string]any{}
	err := s.object(func(key []byte) (err error) {
		switch string(key) {
		case "name", "namespace", "uid", "resourceVersion", "generation", "deletionTimestamp", "creationTimestamp":
			var ok bool
			var v any
			if v, ok, err = s.scalar(); ok {
				m[string(key)] = v
			}
		case "finalizers", "ownerReferences":
			m[string(key)], err = s.whole()
		case "annotations":
			a := map[string]any{}
			if err = s.object(func(key []byte) (err error) {
				if !bytes.HasPrefix(key, []byte(ours)) && string(key) != initialEventsEnd {
					return s.skip()
				}
				a[string(key)], err = s.text()
				return err
			}); len(a) > 0 {
				m[string(key)] = a
			}
		default:
			err = s.skip()
		}
		return err
	})
	return m, err
}

// initialEventsEnd marks the bookmark that ends a streamed list.
const initialEventsEnd = "k8s.io/initial-events-end"

// scalars reads the scalars of an object and drops what is nested. What is no
// object (the status of a Status is a word) is dropped whole.
func scalars(s *scanner) (map[string]any, error) {
	m := map[string]any{}
	if c, err := s.space(); err == nil && c != '{' {
		return m, s.skip()
	}
	err := s.object(func(key []byte) error {
		v, ok, err := s.scalar()
		if ok {
			m[string(key)] = v
		}
		return err
	})
	return m, err
}

// list reads a list of objects into out.
func list(s *scanner, out *unstructured.UnstructuredList) error {
	out.Object = map[string]any{}
	return s.object(func(key []byte) (err error) {
		switch string(key) {
		case "apiVersion", "kind":
			out.Object[string(key)], _, err = s.scalar()
		case "metadata":
			out.Object[string(key)], err = scalars(s)
		case "items":
			err = s.array(func() error {
				o, err := glance(s)
				out.Items = append(out.Items, unstructured.Unstructured{Object: o})
				return err
			})
		default:
			err = s.skip()
		}
		return err
	})
}
