package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Scanner walks over one JSON text. It finds the end of what it skips without
// decoding it; the texts come from APIs over a safe channel, so what is skipped is
// checked for balance, not for being JSON to the letter. A text that was cut off
// anywhere is an error. After an error a Scanner is of no more use.
type Scanner struct {
	b []byte
	i int
}

// New makes a Scanner at the beginning of a text, which it does not change.
func New(text []byte) *Scanner { return &Scanner{b: text} }

var errCut = errors.New("the JSON text ends early")

// Peek skips white space and returns the next byte without taking it.
func (s *Scanner) Peek() (byte, error) {
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
func (s *Scanner) take(c byte) error {
	got, err := s.Peek()
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
func (s *Scanner) next(closing byte, first bool) (bool, error) {
	c, err := s.Peek()
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

// Object calls member for each key of an object; member must take the value, and
// may not keep the key. At null it does nothing.
func (s *Scanner) Object(member func(key []byte) error) error {
	if null, err := s.Null(); null || err != nil {
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

// Array calls element before each element; element must take it. At null it does
// nothing.
func (s *Scanner) Array(element func() error) error {
	if null, err := s.Null(); null || err != nil {
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

// Null takes a null, if there is one.
func (s *Scanner) Null() (bool, error) {
	c, err := s.Peek()
	if err != nil || c != 'n' {
		return false, err
	}
	return true, s.word("null")
}

func (s *Scanner) word(w string) error {
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
func (s *Scanner) raw() (text []byte, escaped bool, err error) {
	if err := s.take('"'); err != nil {
		return nil, false, err
	}
	from := s.i - 1
	err = s.rest()
	text = s.b[from:s.i]
	return text, bytes.IndexByte(text, '\\') >= 0, err
}

// rest takes what is left of a string after its first quote.
func (s *Scanner) rest() error {
	for {
		n := bytes.IndexByte(s.b[s.i:], '"')
		if n < 0 {
			s.i = len(s.b)
			return errCut
		}
		end := s.i + n
		// A quote after an odd number of backslashes is part of the string.
		slashes := end
		for slashes > s.i && s.b[slashes-1] == '\\' {
			slashes--
		}
		s.i = end + 1
		if (end-slashes)%2 == 0 {
			return nil
		}
	}
}

// key takes a string as bytes of the JSON text, or decoded if it must be.
func (s *Scanner) key() ([]byte, error) {
	raw, escaped, err := s.raw()
	if err != nil {
		return nil, err
	}
	if plain(raw, escaped) {
		return raw[1 : len(raw)-1], nil
	}
	var out string
	err = json.Unmarshal(raw, &out)
	return []byte(out), err
}

// plain tells whether a string's bytes are what it says.
func plain(raw []byte, escaped bool) bool { return !escaped && utf8.Valid(raw) }

// Text takes a string. The result shares no memory with the JSON text.
func (s *Scanner) Text() (string, error) {
	raw, escaped, err := s.raw()
	if err != nil {
		return "", err
	}
	if plain(raw, escaped) {
		return string(raw[1 : len(raw)-1]), nil
	}
	var out string
	return out, json.Unmarshal(raw, &out)
}

// Raw takes a value of any kind and returns its bytes, which are those of the text.
func (s *Scanner) Raw() ([]byte, error) { return s.Span(s.Skip) }

// Span returns the bytes of the text that take takes: one value.
func (s *Scanner) Span(take func() error) ([]byte, error) {
	if _, err := s.Peek(); err != nil {
		return nil, err
	}
	from := s.i
	err := take()
	return s.b[from:s.i], err
}

// End tells of anything but white space that is left.
func (s *Scanner) End() error {
	if c, err := s.Peek(); err == nil {
		return fmt.Errorf("%q after the end of the JSON text, at byte %d", c, s.i)
	}
	return nil
}

// Skip takes a value of any kind and drops it.
func (s *Scanner) Skip() error {
	c, err := s.Peek()
	if err != nil {
		return err
	}
	switch c {
	case '"':
		_, _, err = s.raw()
		return err
	case '{', '[':
		return s.container()
	case '}', ']', ',', ':':
		return fmt.Errorf("no JSON value at byte %d", s.i)
	}
	s.bare()
	return nil
}

// container takes an object or an array; brackets are counted, and not told apart.
func (s *Scanner) container() error {
	depth := 0
	for s.i < len(s.b) {
		c := s.b[s.i]
		s.i++
		switch c {
		case '"':
			if err := s.rest(); err != nil {
				return err
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return nil
			}
		}
	}
	return errCut
}

// bare takes a number or a word.
func (s *Scanner) bare() []byte {
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

// Scalar takes a value and returns it when it is a string, a boolean or a number
// (int64 where it is whole, as Unstructured has it); ok false: it is something
// else, and was dropped.
func (s *Scanner) Scalar() (v any, ok bool, err error) {
	c, err := s.Peek()
	if err != nil {
		return nil, false, err
	}
	switch c {
	case '"':
		v, err = s.Text()
		return v, err == nil, err
	case '{', '[', 'n':
		return nil, false, s.Skip()
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

// Whole takes a value of any kind, decoded as Unstructured has it.
func (s *Scanner) Whole() (any, error) {
	c, err := s.Peek()
	if err != nil {
		return nil, err
	}
	switch c {
	case '{':
		m := map[string]any{}
		return m, s.Object(func(key []byte) (err error) {
			m[string(key)], err = s.Whole()
			return err
		})
	case '[':
		a := []any{}
		err := s.Array(func() error {
			v, err := s.Whole()
			a = append(a, v)
			return err
		})
		return a, err
	case 'n':
		return nil, s.word("null")
	}
	v, _, err := s.Scalar()
	return v, err
}
