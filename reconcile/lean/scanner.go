package lean

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// scanner walks over one JSON text. It finds the end of what it skips without
// decoding it; the texts come from an API server, so what is skipped is checked
// for balance, not for being JSON to the letter.
type scanner struct {
	b []byte
	i int
}

var errCut = errors.New("the JSON text ends early")

// space skips white space and returns the next byte without taking it.
func (s *scanner) space() (byte, error) {
	for ; s.i < len(s.b); s.i++ {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
		default:
			return s.b[s.i], nil
		}
	}
	return 0, errCut
}

// take skips white space and takes the given byte.
func (s *scanner) take(c byte) error {
	got, err := s.space()
	if err != nil {
		return err
	}
	if got != c {
		return fmt.Errorf("%q instead of %q at byte %d of the JSON text", got, c, s.i)
	}
	s.i++
	return nil
}

// next tells whether another member follows, after an opening bracket (first) or
// a member; it takes the comma, or the closing bracket.
func (s *scanner) next(closing byte, first bool) (bool, error) {
	c, err := s.space()
	if err != nil {
		return false, err
	}
	switch {
	case c == closing:
		s.i++
		return false, nil
	case first:
		return true, nil
	}
	return true, s.take(',')
}

// object calls member for each key of an object; member must take the value, and
// may not keep the key. At null it does nothing.
func (s *scanner) object(member func(key []byte) error) error {
	if null, err := s.null(); null || err != nil {
		return err
	}
	if err := s.take('{'); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := s.next('}', first)
		if err != nil || !more {
			return err
		}
		key, err := s.key()
		if err != nil {
			return err
		}
		if err := s.take(':'); err != nil {
			return err
		}
		if err := member(key); err != nil {
			return err
		}
	}
}

// array calls element before each element; element must take it. At null it does
// nothing.
func (s *scanner) array(element func() error) error {
	if null, err := s.null(); null || err != nil {
		return err
	}
	if err := s.take('['); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := s.next(']', first)
		if err != nil || !more {
			return err
		}
		if err := element(); err != nil {
			return err
		}
	}
}

// null takes a null, if there is one.
func (s *scanner) null() (bool, error) {
	c, err := s.space()
	if err != nil || c != 'n' {
		return false, err
	}
	return true, s.word("null")
}

func (s *scanner) word(w string) error {
	if len(s.b)-s.i < len(w) {
		return errCut
	}
	if string(s.b[s.i:s.i+len(w)]) != w {
		return fmt.Errorf("no JSON value at byte %d", s.i)
	}
	s.i += len(w)
	return nil
}

// raw takes a string with its quotes and tells whether it holds an escape.
func (s *scanner) raw() (text []byte, escaped bool, err error) {
	if err := s.take('"'); err != nil {
		return nil, false, err
	}
	from := s.i - 1
	for ; s.i < len(s.b); s.i++ {
		switch s.b[s.i] {
		case '"':
			s.i++
			return s.b[from:s.i], escaped, nil
		case '\\':
			escaped = true
			s.i++
		}
	}
	return nil, false, errCut
}

// key takes a string as bytes of the JSON text, or decoded if it holds an escape.
func (s *scanner) key() ([]byte, error) {
	raw, escaped, err := s.raw()
	if err != nil {
		return nil, err
	}
	if !escaped {
		return raw[1 : len(raw)-1], nil
	}
	var out string
	err = json.Unmarshal(raw, &out)
	return []byte(out), err
}

// text takes a string. The result shares no memory with the JSON text.
func (s *scanner) text() (string, error) {
	raw, escaped, err := s.raw()
	if err != nil || !escaped {
		if err == nil {
			raw = raw[1 : len(raw)-1]
		}
		return string(raw), err
	}
	var out string
	return out, json.Unmarshal(raw, &out)
}

// skip takes a value of any kind and drops it.
func (s *scanner) skip() error {
	for depth := 0; ; {
		c, err := s.space()
		if err != nil {
			return err
		}
		switch c {
		case '"':
			if _, _, err := s.raw(); err != nil {
				return err
			}
		case '{', '[':
			depth++
			s.i++
		case '}', ']':
			if depth == 0 {
				return fmt.Errorf("no JSON value at byte %d", s.i)
			}
			depth--
			s.i++
		case ',', ':':
			if depth == 0 {
				return fmt.Errorf("no JSON value at byte %d", s.i)
			}
			s.i++
			continue
		default:
			s.bare()
		}
		if depth == 0 {
			return nil
		}
	}
}

// bare takes a number or a word.
func (s *scanner) bare() []byte {
	from := s.i
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ',', ':', '}', ']', '{', '[', '"', ' ', '\t', '\n', '\r':
			return s.b[from:s.i]
		}
		s.i++
	}
	return s.b[from:s.i]
}

// scalar takes a value and returns it when it is a string, a boolean or a number
// (int64 where it is whole, as Unstructured has it); ok false: it is something
// else, and was dropped.
func (s *scanner) scalar() (v any, ok bool, err error) {
	c, err := s.space()
	if err != nil {
		return nil, false, err
	}
	switch c {
	case '"':
		v, err = s.text()
		return v, err == nil, err
	case '{', '[', 'n':
		return nil, false, s.skip()
	case 't':
		return true, true, s.word("true")
	case 'f':
		return false, true, s.word("false")
	}
	at, b := s.i, string(s.bare())
	if n, err := strconv.ParseInt(b, 10, 64); err == nil {
		return n, true, nil
	}
	f, err := strconv.ParseFloat(b, 64)
	if err != nil {
		return nil, false, fmt.Errorf("no JSON value at byte %d", at)
	}
	return f, true, nil
}

// whole takes a value of any kind, decoded as Unstructured has it.
func (s *scanner) whole() (any, error) {
	c, err := s.space()
	if err != nil {
		return nil, err
	}
	switch c {
	case '{':
		m := map[string]any{}
		return m, s.object(func(key []byte) (err error) {
			m[string(key)], err = s.whole()
			return err
		})
	case '[':
		a := []any{}
		err := s.array(func() error {
			v, err := s.whole()
			a = append(a, v)
			return err
		})
		return a, err
	case 'n':
		return nil, s.word("null")
	}
	v, _, err := s.scalar()
	return v, err
}
