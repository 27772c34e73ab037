package lean

import (
	"slices"

	"example.com/mote/jsonscan"
)

// Trim is an object's JSON with null for its managedFields, which are a third of it and
// which nobody reads who does not write to it; in memory of its own.
func Trim(text []byte) ([]byte, error) {
	var managed []byte
	s := jsonscan.New(text)
	err := s.Object(func(key []byte) error {
		if string(key) != "metadata" {
			return s.Skip()
		}
		return s.Object(func(key []byte) (err error) {
			if string(key) != "managedFields" {
				return s.Skip()
			}
			managed, err = s.Raw()
			return err
		})
	})
	if err != nil || managed == nil {
		return slices.Clone(text), err
	}
	from := cap(text) - cap(managed) // it is a part of text
	return slices.Concat(text[:from], []byte("null"), text[from+len(managed):]), nil
}
