package jsonscan

import (
	"fmt"
	"strconv"
)

// String takes a string into v; null leaves v as it is, and anything else is an error.
func (s *Scanner) String(v *string) error {
	null, err := s.Null()
	if null || err != nil {
		return err
	}
	text, err := s.Text()
	if err == nil {
		*v = text
	}
	return err
}

// Int takes a whole number into v; null leaves v as it is, and anything else is an error.
func (s *Scanner) Int(v *int) error {
	null, err := s.Null()
	if null || err != nil {
		return err
	}
	at := s.i
	n, err := strconv.Atoi(string(s.bare()))
	if err != nil {
		return fmt.Errorf("no whole number at byte %d of the JSON text", at)
	}
	*v = n
	return nil
}

// Bool takes a boolean into v; null leaves v as it is, and anything else is an error.
func (s *Scanner) Bool(v *bool) error {
	null, err := s.Null()
	if null || err != nil {
		return err
	}
	at := s.i
	switch string(s.bare()) {
	case "true":
		*v = true
	case "false":
		*v = false
	default:
		return fmt.Errorf("no boolean at byte %d of the JSON text", at)
	}
	return nil
}
