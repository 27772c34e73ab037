package expr

import (
	"fmt"
	"strings"
)

// token is a word of an expression: an operator by its own text, or one of the
// kinds below.
type token struct {
	kind string // an operator, or one of the constants
	text string
}

const (
	tokenEnd    = "the end"
	tokenName   = "a name"
	tokenString = "a string"
	tokenInt    = "a number"
)

// operators, the longer ones first.
var operators = []string{"==", "!=", "<=", ">=", "&&", "||", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", ".", ",", "(", ")", "[", "]"}

func lex(s string) (all []token, err error) {
	for s = strings.TrimLeft(s, " \t\n"); s != ""; s = strings.TrimLeft(s, " \t\n") {
		var t token
		switch c := s[0]; {
		case c == '\'' || c == '"':
			if t, s, err = lexString(s); err != nil {
				return nil, err
			}
		case letter(c):
			t, s = run(s, tokenName, func(c byte) bool { return letter(c) || digit(c) })
		case digit(c):
			t, s = run(s, tokenInt, digit)
		default:
			op := ""
			for _, o := range operators {
				if op == "" && strings.HasPrefix(s, o) {
					op = o
				}
			}
			if op == "" {
				return nil, fmt.Errorf("unknown character %q", s[:1])
			}
			t, s = token{kind: op, text: op}, s[len(op):]
		}
		all = append(all, t)
	}
	return append(all, token{kind: tokenEnd}), nil
}

func letter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }

func run(s, kind string, in func(byte) bool) (token, string) {
	n := 1
	for n < len(s) && in(s[n]) {
		n++
	}
	return token{kind: kind, text: s[:n]}, s[n:]
}

// lexString reads a quoted string; of escapes it knows those of a character itself.
func lexString(s string) (token, string, error) {
	var b strings.Builder
	for n := 1; n < len(s); n++ {
		switch c := s[n]; {
		case c == s[0]:
			return token{kind: tokenString, text: b.String()}, s[n+1:], nil
		case c == '\\' && n+1 < len(s) && strings.IndexByte(`\'"`, s[n+1]) >= 0:
			n++
			b.WriteByte(s[n])
		case c == '\\':
			return token{}, "", fmt.Errorf("unknown escape in %s", s)
		default:
			b.WriteByte(c)
		}
	}
	return token{}, "", fmt.Errorf("a string without an end: %s", s)
}
