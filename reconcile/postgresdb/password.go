package postgresdb

import (
	"fmt"
	"io"
	"strings"
)

// Password alphabet: 8 to 32 characters of all four kinds, not beginning with
// '/' (CreateInstances, AdminPassword). Of the special ones only those that need
// no quoting in a shell or a URI.
var passwordKinds = [4]string{"abcdefghijkmnopqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789", "-_.~"}

const passwordLength = 24

// NewPassword makes a password from a source of randomness. Each character is
// picked by rejection, so none is likelier than another of its kind.
func NewPassword(random io.Reader) (string, error) {
	all := passwordKinds[0] + passwordKinds[1] + passwordKinds[2] + passwordKinds[3]
	out := make([]byte, 0, passwordLength)
	for len(out) < passwordLength {
		from := all
		if n := len(out) - 1; n >= 0 && n < len(passwordKinds) {
			from = passwordKinds[n] // one of each kind, after a first letter
		}
		if len(out) == 0 {
			from = passwordKinds[0]
		}
		c, err := pick(random, from)
		if err != nil {
			return "", fmt.Errorf("no randomness for a password: %w", err)
		}
		out = append(out, c)
	}
	return string(out), nil
}

// passwordSymbols are the special characters that the cloud takes.
const passwordSymbols = "()`~!@#$%^&*-+=_|{}[]:;'<>,.?/"

// passwordFault says why the cloud would not take a password, or ""
// (CreateInstances, AdminPassword). It never repeats any of it.
func passwordFault(p string) string {
	if len(p) < 8 || len(p) > 32 {
		return "it has to be 8 to 32 characters long"
	}
	var lower, upper, digit, symbol bool
	for _, c := range p {
		switch {
		case 'a' <= c && c <= 'z':
			lower = true
		case 'A' <= c && c <= 'Z':
			upper = true
		case '0' <= c && c <= '9':
			digit = true
		case strings.ContainsRune(passwordSymbols, c):
			symbol = true
		default:
			return "it may hold letters, digits and " + passwordSymbols + " only"
		}
	}
	switch {
	case !lower || !upper || !digit || !symbol:
		return "it needs a lower-case letter, an upper-case letter, a digit and one of " + passwordSymbols
	case p[0] == '/':
		return "it must not begin with '/'"
	}
	return ""
}

func pick(random io.Reader, from string) (byte, error) {
	var b [1]byte
	for limit := 256 - 256%len(from); ; {
		if _, err := io.ReadFull(random, b[:]); err != nil {
			return 0, err
		}
		if int(b[0]) < limit {
			return from[int(b[0])%len(from)], nil
		}
	}
}
